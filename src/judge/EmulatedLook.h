// Finds faults that no result shows: runs a recorded run's kernels on the host (spirv/Emulator.h) and compares their
// result with the reference.
#pragma once

#include "gpu/Device.h"
#include "judge/Schedule.h"
#include "judge/UnsetResult.h"
#include "judge/Verdict.h"
#include "lint/EmulatedFindings.h"
#include "lint/Hazards.h"
#include "tasks/Expectation.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

// The kernels of longer runs are not run on the host ...
constexpr std::uint64_t largestOnHost = 4200;  // elements
// ... except for one run of this length for each row, and for what is asked about a run that failed: a few tenths of a
// second.
constexpr std::uint64_t longestWalkedWhole = std::uint64_t{1} << 16;
// The longest array whose dispatches are walked when the bindings alone suggest that a barrier is missing.
constexpr std::uint64_t longestApart = std::uint64_t{1} << 17;

// A solution's input, as words of memory.
GivenWords givenWords(const Expectation& expectation);

// "element 3 of the result is 5 instead of 7"
std::string wrongText(const Mismatches& wrong, const ElementType& element);

// The cause of a wrong result that depends on what GLSL leaves open.
constexpr const char* leftOpen = "left open by GLSL";

// Subgroup sizes that devices have. Vulkan allows 1 and 2 as well, but no driver with arithmetic in subgroups is known
// to use them.
constexpr std::array<std::uint32_t, 6> allSubgroupSizes = {4, 8, 16, 32, 64, 128};

// Devices that use the freedom of the specification in another way than this one, and how messages describe them.
struct FreeDevice {
    EmulatorSettings::Freedom freedom;
    std::string what;
};
std::vector<FreeDevice> freeDevices();

class EmulatedLook {
public:
    // Walks through the run with this device's subgroups, one work-group after the other. The arguments must outlive
    // this object. keepsInput: the run must leave its input unchanged.
    EmulatedLook(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation,
                 bool keepsInput);

    const RecordedRun& run() const { return run_; }
    // Findings of the emulator's rules and of input-modified, and notes on what is not known.
    const Verdict& verdict() const { return verdict_; }
    bool complete() const { return complete_; }  // every kernel was followed to its end
    // The first kernel that was not followed because it uses something that the emulator does not support; empty: none.
    // The emulated device cannot run it either.
    const std::string& lacking() const { return lacking_; }
    bool mayRun() const { return !endangers_; }  // whether a device may run it: see Emulated::endangers
    // The result's mismatches; empty: none, or the walk is not complete.
    const std::optional<Mismatches>& mismatches() const { return mismatches_; }
    std::uint32_t result(std::uint64_t index) const;  // an element, as a number; 0 where there is none
    // The words of the recording's buffers that each dispatch uses; nothing for dispatches that were not followed to
    // their end.
    const WordsOfDispatches& words() const { return words_; }

    // Walks through the run again, on memory that is poisoned with this word. Calls `after` with each dispatch and
    // transfer, its index among the run's commands, and the contents of the buffers after it.
    void replay(std::uint32_t poison,
                const std::function<void(std::uint64_t command, const EmulatedRun& buffers)>& after);

    // Rules subgroup-size and group-order. Walks the run with all usual subgroup sizes, with the work-groups from the
    // last to the first, in a shuffled order, and several at a time. Without a rule: also with other results of inexact
    // functions and of undefined operations. Stops at the first fault. Subgroups that are not full give only a note of
    // the first rule. Uses at most a few hundred million instructions, one walk at least. The run must have passed on
    // the device.
    Verdict onOtherDevices();
    // Of all walks so far, but for those of other schedules (Emulated::effort).
    std::uint64_t effort() const { return effort_; }

    // Whether its kernels have atomics that work-groups share, that invocations wait for in a loop, or whose relative
    // order may matter.
    bool talks();
    // Rule group-order, and the emulator's rules. Walks the run with work-groups that pause at their atomics, each in
    // turn or all of them, and with atomics that take effect late or early; in a first run, and on the memory that runs
    // on another input have left. Stops at the first fault. Uses at most a few hundred million instructions. `only`:
    // tries this schedule alone.
    Verdict onOtherSchedules(const std::optional<Schedule>& only);

private:
    struct OtherDevice;
    std::vector<OtherDevice> otherDevices(const EmulatorSettings& usual);
    EmulatorSettings settings() const;
    bool walk(const EmulatorSettings& settings, Verdict& verdict, bool first);
    void take(const EmulatedStep& step, Verdict& verdict);
    void takeWords(const EmulatedStep& step);
    void checkGiven(const EmulatedStep& step, Verdict& verdict);
    std::optional<Mismatches> judged() const;

    Device& gpu_;
    const Recording& recording_;
    const RecordedRun& run_;
    const Expectation& expectation_;
    bool keepsInput_;
    GivenWords given_;
    EmulatedRun emulated_;
    std::vector<EmulatedBuffer> fresh_;  // the initial contents of its buffers
    Verdict verdict_;
    bool complete_ = false, endangers_ = false;
    bool free_ = false;  // it calculated something that may differ between devices
    std::string lacking_;
    std::set<Index> modified_;  // given buffers that were found modified
    std::optional<Mismatches> mismatches_;
    UnsetResult unset_;
    WordsOfDispatches words_;
    std::uint64_t effort_ = 0;
};

}  // namespace a2
