// The prescan on the device: the kernels and the host code of scan/work-efficient, for uint32 and for floats.
#pragma once

#include "judge/Series.h"
#include "judge/StudentSolution.h"
#include "gpu/Staging.h"
#include "labs/prescan/PrescanJudge.h"

#include <memory>
#include <string>
#include <vector>

namespace a2 {

class DevicePrescan {
public:
    // n >= 1 elements. Device memory: 8 bytes per element, half of it from prepare() on. Throws LimitError,
    // KernelError.
    DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n);

    // Brings the input to the device; milliseconds. The caller may then forget it.
    double upload(std::span<const std::uint32_t> input);

    // Has the solution record, and makes pipelines and further buffers.
    void prepare();

    // Runs on poisoned memory and judges the whole result. facts: of the input. timer: which of the times is wanted.
    // keep: as long as the result, or empty; gets the very words that were judged.
    struct Judged {
        PrescanVerdict verdict;
        std::vector<std::string> messages;  // of the lint and the validation layer about the run
        RunTime time;
        bool passed() const { return verdict.passed() && messages.empty(); }
    };
    Judged runAndJudge(const InputFacts& facts, Timer timer = Timer::gpu, std::span<std::uint32_t> keep = {});

    // Times the recorded work alone.
    DeviceTimes time(const SeriesSettings& settings);

    // Brings the result to the host and forgets it, milliseconds.
    double timeDownload();

private:
    Device& gpu_;
    PrescanSettings settings_;
    std::uint64_t n_;
    std::uint64_t firstBuffer_ = 0;  // number of the solution's first one
    DeviceBuffer input_;
    TimedRun timed_;
    std::unique_ptr<StudentSolution> solution_;
};

}  // namespace a2
