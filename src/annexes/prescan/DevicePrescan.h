// The prescan on the device: the kernels and the host code of scan/work-efficient, for uint32 and for floats.
#pragma once

#include "annexes/prescan/PartOffset.h"
#include "annexes/prescan/PrescanJudge.h"
#include "gpu/Staging.h"
#include "judge/Digest.h"
#include "judge/LookInside.h"
#include "judge/Series.h"
#include "judge/StudentSolution.h"
#include "judge/WatchedMemory.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// The course's own row, or the same on floats.
Task prescanRow(const ElementType& element);

class DevicePrescan {
public:
    // n >= 1 elements. Device memory: 8 bytes per element, half of it from prepare() on. laterPart: others lie before
    // them, and addBefore() is to finish the result. Throws LimitError, KernelError.
    DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n, bool laterPart = false);

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

    // Runs the recorded work alone, unjudged.
    RunTime runAlone(Timer timer);
    // The same as a series.
    DeviceTimes time(const SeriesSettings& settings);

    // What the last run's result says that all elements add up to.
    struct Total {
        std::uint32_t modular = 0;
        double real = 0;  // floats: the scan's last element; of an exclusive one with the input's, added as doubles
    };
    Total foundTotal();

    // Adds `before`, a word of the elements' type, to all of the last run's result, by the Offset kernel. Of a later
    // part alone.
    RunTime addBefore(std::uint32_t before, Timer timer);

    // The result as it is now, by this judge. facts: as for runAndJudge.
    PrescanVerdict judgeResult(PrescanJudge judge, const InputFacts& facts, std::span<std::uint32_t> keep = {}) const;

    // Brings the result to the host and forgets it, milliseconds.
    double timeDownload();

private:
    Digest digest();
    Inside lookInsideTwice();

    Device& gpu_;
    PrescanSettings settings_;
    std::uint64_t n_;
    DeviceBuffer input_;
    std::optional<PartOffset> offset_;  // of a later part; before what watches
    WatchedMemory memory_;
    TimedRun timed_;
    std::unique_ptr<StudentSolution> solution_;
    std::optional<DeviceDigests> digests_;
};

}  // namespace a2
