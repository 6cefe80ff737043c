// Cases that are timed, judged before and while they are; and the device's bandwidth, with which theirs are compared.
#pragma once

#include "judge/CheckedCases.h"

namespace a2 {

class CpuTimer;

class TimedCases {
public:
    TimedCases(Cases& cases, Orders& orders, PartCases& parts, CheckedCases& checked)
        : cases_(cases), orders_(orders), parts_(parts), checked_(checked)
    {
    }

    // Adds the case that was asked for, checked and timed; an emulated device is not timed.
    void checkAndTime(const Task& task, const KernelShape& shape, TaskOutcome& outcome);
    // Adds to each task the cases of the settings that it has not yet. Called after each case:
    using ShowCase = std::function<void(const Task&, const CaseOutcome&)>;
    void bench(std::vector<TaskOutcome>& outcomes, const ShowCase& show);
    // GB/s of the copy kernel, measured on first use; 0 if it cannot be measured, and on an emulated device. If it is
    // wanted, ask before inputs fill the memory: on an NVIDIA H200 it read 1 % less afterwards.
    double copyPeakGBps();
    // A remark on it, once it was asked for: why it is missing, or that the host's clock was used. Empty if there is
    // none, and for a device that failed.
    const std::string& copyRemark() const { return copyRemark_; }
    void freeInput() { input_.free(); }  // the last case's, which is kept for the next task

private:
    SeriesSettings seriesSettings() const;
    // A timed series of a trial that has passed; it fails the case, or fills in the benchmark.
    void timeCase(Trial& trial, const DeviceInput& onDevice, Benchmark benchmark, CaseOutcome& one);
    CaseOutcome benchCase(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup,
                          std::unique_ptr<CpuTimer>& cpu);
    void benchParts(std::vector<TaskOutcome>& outcomes, const ShowCase& show);

    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    Orders& orders_;
    PartCases& parts_;
    CheckedCases& checked_;
    KeptInput input_;
    std::optional<double> copyPeak_ = settings_.copyPeakGBps;
    std::string copyRemark_;
};

}  // namespace a2
