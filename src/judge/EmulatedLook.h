// What no result shows: a recorded run's kernels, walked on the host (spirv/Emulator.h), and their result held against
// the reference.
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

// The kernels of longer runs are not walked on the host.
constexpr std::uint64_t largestOnHost = 4200;  // elements
// But for one run of each row that is as long as this, and what is asked about a run that failed: some tenths of a
// second.
constexpr std::uint64_t longestWalkedWhole = std::uint64_t{1} << 16;
// Of an array whose dispatches are walked where what they bind makes them look as if they needed a barrier.
constexpr std::uint64_t longestApart = std::uint64_t{1} << 17;

// What a solution is given, as words of memory.
GivenWords givenWords(const Expectation& expectation);

// "element 3 of the result is 5 instead of 7"
std::string wrongText(const Mismatches& wrong, const ElementType& element);

// Invocations of a subgroup that devices have. Vulkan allows 1 and 2 as well: no driver with arithmetic in subgroups is
// known to have so few.
constexpr std::array<std::uint32_t, 6> allSubgroupSizes = {4, 8, 16, 32, 64, 128};

// Devices that are free otherwise than this one, and what is said of them.
struct FreeDevice {
    EmulatorSettings::Freedom freedom;
    std::string what;
};
std::vector<FreeDevice> freeDevices();

class EmulatedLook {
public:
    // Walks through the run with this device's subgroups, one work-group after the other. What is given outlives this
    // object. keepsInput: the run must leave its input as it was.
    EmulatedLook(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation,
                 bool keepsInput);

    const RecordedRun& run() const { return run_; }
    // Rules of the emulator, and input-modified; notes on what is not known.
    const Verdict& verdict() const { return verdict_; }
    bool complete() const { return complete_; }  // every kernel was followed to its end
    // The first kernel that was not followed for want of something that the emulator does not know; empty: none. The
    // emulated device cannot run it either.
    const std::string& lacking() const { return lacking_; }
    bool mayRun() const { return !endangers_; }  // on a device: see Emulated::endangers
    // Of the result; empty: none, or not complete.
    const std::optional<Mismatches>& mismatches() const { return mismatches_; }
    std::uint32_t result(std::uint64_t index) const;  // element, a number; 0 where there is none
    // What the dispatches use of the recording's buffers; of those that were not followed to their end, nothing.
    const WordsOfDispatches& words() const { return words_; }

    // Walks through the run again, on memory that is poisoned with this word, and calls `after` with each dispatch and
    // transfer by its place among the run's commands, and with what the buffers then hold.
    void replay(std::uint32_t poison,
                const std::function<void(std::uint64_t command, const EmulatedRun& buffers)>& after);

    // subgroup-size and group-order: the same with all usual sizes of subgroups, with work-groups from the last to the
    // first and in no order, and with several of them at a time; and, with no rule, where inexact functions and what is
    // undefined come out otherwise; up to the first fault. A note of the first rule: the same with subgroups that are
    // not full. The run has passed on the device.
    Verdict onOtherDevices();

    // Whether its kernels have atomics that work-groups share, that invocations wait for in a loop, or whose order
    // among each other may matter.
    bool talks();
    // group-order, and the emulator's rules: the same where work-groups pause at their atomics, each in turn, or all of
    // them, and where an atomic is late or early; in a first run, and on what runs on another input have left; up to
    // the first fault. Takes no more than some hundred million instructions. `only`: the one to be tried.
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
    std::vector<EmulatedBuffer> fresh_;  // what its buffers held at first
    Verdict verdict_;
    bool complete_ = false, endangers_ = false;
    bool free_ = false;  // something was calculated that a device may calculate otherwise
    std::string lacking_;
    std::set<Index> modified_;  // given buffers that were found so
    std::optional<Mismatches> mismatches_;
    UnsetResult unset_;
    WordsOfDispatches words_;
};

}  // namespace a2
