// What all cases of an evaluation share: the device, the user's choice, the shapes that follow from them, and what
// becomes of a case whose run throws.
#pragma once

#include "judge/EvaluationSettings.h"
#include "judge/Part.h"
#include "judge/Trial.h"

#include <functional>
#include <optional>
#include <vector>

namespace a2 {

using Progress = std::function<void(const std::string&)>;
// Called with each run on the device before it is prepared: task, length, pattern and shape.
using Begin = std::function<void(const Task&, const CaseOutcome&)>;

class Cases {
public:
    Cases(Device& device, EvaluationSettings chosen, Progress shown, Begin begun);
    Cases(const Cases&) = delete;
    Cases& operator=(const Cases&) = delete;

    Device& gpu;
    const EvaluationSettings settings;
    const Progress progress;

    // From here on, a case covers this rank's part of the array, and all ranks run the same cases.
    void shareWith(Together others) { together_ = std::move(others); }
    const std::optional<Together>& together() const { return together_; }
    unsigned allRanks() const { return together_ ? together_->own.ranks : 1; }

    // The shape for a task: its default or the user's choice, with fewer elements if its tile would not fit.
    KernelShape shapeOf(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup) const;
    // The shape that run() uses. If the kernel does not compile, any shape: the first case then reports why.
    KernelShape shapeOfRun(const Task& task) const;
    // Whether the shape's work-group size is the one that the user chose or, without a choice, the task's own.
    bool hasOwnWorkGroup(const Task& task, const KernelShape& shape) const;
    bool keepsToItsShape() const;  // the user or the course chose a shape
    // The user's choice, or the one that is easiest to follow, or to be timed.
    Pattern easyPattern(const Task& task) const;
    Pattern timedPattern() const { return settings.pattern.value_or(Pattern::parse("random")); }

    // A case that has not run, with the user's seed and limits of the device; its benchmark, without times.
    CaseOutcome blank(const Pattern& pattern, std::uint64_t n, const KernelShape& shape) const;
    CaseOutcome blankRandom(std::uint64_t n, const KernelShape& shape) const;
    Benchmark blankBenchmark(const Task& task, const CaseOutcome& one) const;

    // Announces a run, unless it is a probe.
    void begin(const Task& task, const CaseOutcome& one) const;
    // Runs body; an exception about the task becomes the case's status and finding.
    void guarded(CaseOutcome& outcome, const std::function<void()>& body);
    // Announces the case, and runs body, guarded, within the case's limits of the device.
    void limited(const Task& task, CaseOutcome& outcome, const std::function<void()>& body);
    // The same for a case that the device runs: if it has no room for so many elements, the case is skipped.
    void onDevice(const Task& task, CaseOutcome& outcome, const std::function<void()>& body);
    // What the walk on the host finds in a guarded case is kept, so that it is known even if the device never finishes
    // the run or ends this program.
    void keepWalk(Trial& trial, const Task& task, const CaseOutcome& one);
    bool deviceFailed() const;

    // While what it returns lives, runs are probes of a failure, which was announced: they are not.
    struct Probes {
        bool& probing;
        ~Probes() { probing = false; }
    };
    [[nodiscard]] Probes probes() { return {probing_ = true}; }

private:
    void failOnDevice(CaseOutcome& outcome, const DeviceError& error);

    Begin begin_;
    std::optional<Together> together_;
    bool probing_ = false;
    std::vector<Finding> walked_;  // faults that the walk on the host found in the guarded case
    FaultPlace walkedPlace_;
};

}  // namespace a2
