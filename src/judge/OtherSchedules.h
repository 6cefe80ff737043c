// Orders in which nobody goes on as soon as it can: work-groups and invocations that pause at their atomics, each in
// turn, or all of them; and atomics that take effect out of the program's order, where nothing but that orders them.
#pragma once

#include "judge/Schedule.h"
#include "judge/Verdict.h"
#include "lint/EmulatedRun.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Whether the run's kernels have atomics in buffers, some that invocations wait for in a loop, several in shared
// memory, or one there for which it matters who comes first.
bool mayDiffer(EmulatedRun& emulated, const RecordedRun& run);

// Whether some kernel compares and exchanges in a loop.
bool mayLose(EmulatedRun& emulated, const RecordedRun& run);

class OtherSchedules {
public:
    // All of it outlives this object. fresh: what the buffers held before any run.
    OtherSchedules(EmulatedRun& emulated, const RecordedRun& run, EmulatorSettings settings, const GivenWords& given,
                   const std::vector<EmulatedBuffer>& fresh);
    // What is wrong with the result that the buffers hold: "element 3 of the result is 5 instead of 7", or nothing.
    void judgeBy(std::function<std::string()> judge) { judge_ = std::move(judge); }

    struct Failure {
        Schedule schedule;
        std::string wrong;              // of the result; empty: nothing
        std::vector<Finding> findings;  // that fail
        KernelLine where;               // of the first; line 0: not known
    };
    // Tries as many as some hundred million instructions allow, or this one alone.
    std::optional<Failure> firstThatFails(const std::optional<Schedule>& only);
    // Of those in which who compares and exchanges in a loop loses as often as there are others: each comes to it again
    // and again after another one has changed the word. The input's elements had better be the same, so that the words
    // are, too.
    std::optional<Failure> firstLossThatFails();

    // What is said of it, with the option that repeats it; a pass where nothing fails.
    Verdict verdictOf(const std::optional<Failure>& failed);
    bool waited() const { return waited_; }  // somebody waited in a loop for what another work-group does

private:
    KernelLine placeOf(const Schedule& schedule);  // of its first atomic; line 0: not known
    // "with subgroups of 4, in a second run, where each work-group pauses before the atomic at shaders/A2X.comp:12
    // until all others wait or have ended"
    std::string textOf(const Schedule& schedule);
    // What mends it: "put memoryBarrierBuffer() after that atomic, or ..."; empty where nothing but the order does.
    std::string cureOf(const Schedule& schedule);
    bool prepare();
    bool fails(const Schedule& schedule);
    bool failsInTheUsualOrder();
    bool tryAll();
    static Verdict verdictInTheUsualOrder(const Failure& failed);
    const EmulatedKernel* kernelOf(std::uint64_t dispatch);
    const EmulatedKernel::Atomic* atomicOf(const Schedule& schedule, const EmulatorSettings::Pause& pause);

    EmulatedRun& emulated_;
    const RecordedRun& run_;
    EmulatorSettings settings_;
    const GivenWords& given_;
    const std::vector<EmulatedBuffer>& fresh_;
    std::function<std::string()> judge_;
    std::array<std::vector<EmulatedBuffer>, 3> before_;  // what the buffers hold before a run, by how many there were
    std::uint64_t effort_ = 0;                           // Emulated::effort
    bool waited_ = false;
    std::optional<Failure> failure_;
};

}  // namespace a2
