// The prescan on the device: the kernels and the host code of scan/work-efficient, for uint32 and for floats.
#pragma once

#include "gpu/Staging.h"
#include "judge/Digest.h"
#include "judge/Series.h"
#include "judge/StudentSolution.h"
#include "judge/WatchedMemory.h"
#include "labs/prescan/PrescanJudge.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// The course's own row, or the same on floats.
Task prescanRow(Element element);

class DevicePrescan {
public:
    // n >= 1 elements. Device memory: 8 bytes per element, half of it from prepare() on. Throws LimitError,
    // KernelError.
    DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n);

    // Brings the input to the device; milliseconds. The caller may then forget it.
    double upload(std::span<const std::uint32_t> input);

    // Has the solution record, and makes pipelines and further buffers.
    void prepare();

    // Runs on poisoned memory, between guards, and judges the whole result; two more runs must leave the same, bit by
    // bit. facts: of the input. timer: which of the first run's times is wanted. keep: as long as the result, or empty;
    // gets the very words that were judged.
    struct Judged {
        PrescanVerdict verdict;
        std::vector<std::string> messages;  // of lint, guards, validation layer and further runs
        RunTime time;
        bool passed() const { return verdict.passed() && messages.empty(); }
    };
    Judged runAndJudge(const InputFacts& facts, Timer timer = Timer::gpu, std::span<std::uint32_t> keep = {});

    // Times the recorded work alone.
    DeviceTimes time(const SeriesSettings& settings);

    // Brings the result to the host and forgets it, milliseconds.
    double timeDownload();

private:
    PrescanVerdict judgeResult(const InputFacts& facts, std::span<std::uint32_t> keep) const;
    Digest digest();

    Device& gpu_;
    PrescanSettings settings_;
    std::uint64_t n_;
    DeviceBuffer input_;
    WatchedMemory memory_;
    TimedRun timed_;
    std::unique_ptr<StudentSolution> solution_;
    std::optional<DeviceDigests> digests_;
};

}  // namespace a2
