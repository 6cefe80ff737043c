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

// The course's own row, or the same for floats.
Task prescanRow(const ElementType& element);

class DevicePrescan {
public:
    // n >= 1 elements. Device memory: 8 bytes per element, half of it from prepare() on. laterPart: the part does not
    // begin the array, and addBefore() will finish the result. Throws LimitError, KernelError.
    DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n, bool laterPart = false);

    // Copies the input to the device; returns milliseconds. The caller may then free it.
    double upload(std::span<const std::uint32_t> input);

    // Makes the solution record, and creates pipelines and further buffers.
    void prepare();

    // Runs on poisoned memory, between guards, and judges the whole result; two more runs must give the same bits.
    // facts: of the input. timer: the clock for the first run. keep: as long as the result, or empty; gets the words
    // that were judged.
    struct Judged {
        PrescanVerdict verdict;
        std::vector<std::string> messages;  // of lint, guards, validation layer and further runs
        RunTime time;
        bool passed() const { return verdict.passed() && messages.empty(); }
    };
    Judged runAndJudge(const InputFacts& facts, Timer timer = Timer::gpu, std::span<std::uint32_t> keep = {});

    // Runs only the recorded work, unjudged.
    RunTime runAlone(Timer timer);
    // The same as a series.
    DeviceTimes time(const SeriesSettings& settings);

    // The sum of all elements, from the last run's result.
    struct Total {
        std::uint32_t modular = 0;
        double real = 0;  // floats: the scan's last element; of an exclusive one with the input's, added as doubles
    };
    Total foundTotal();

    // Adds `before`, a word of the elements' type, to all elements of the last run's result, with the Offset kernel.
    // Only for a later part.
    RunTime addBefore(std::uint32_t before, Timer timer);

    // Judges the present result. facts: as for runAndJudge.
    PrescanVerdict judgeResult(PrescanJudge judge, const InputFacts& facts, std::span<std::uint32_t> keep = {}) const;

    // Copies the result to the host and discards it; returns milliseconds.
    double timeDownload();

private:
    Digest digest();
    Inside lookInsideTwice();

    Device& gpu_;
    PrescanSettings settings_;
    std::uint64_t n_;
    DeviceBuffer input_;
    std::optional<PartOffset> offset_;  // for a later part; made before memory_
    WatchedMemory memory_;
    TimedRun timed_;
    std::unique_ptr<StudentSolution> solution_;
    std::optional<DeviceDigests> digests_;
};

}  // namespace a2
