// Orders in which no work-group goes on as soon as it can: work-groups and invocations pause at their atomics, each in
// turn or all of them, and atomics take effect out of the program's order if nothing else orders them.
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

// Whether the run's kernels have atomics in buffers, atomics that invocations wait for in a loop, several in shared
// memory, or one there whose result depends on which invocation comes first.
bool mayDiffer(EmulatedRun& emulated, const RecordedRun& run);

// Whether some kernel compares and exchanges in a loop.
bool mayLose(EmulatedRun& emulated, const RecordedRun& run);

class OtherSchedules {
public:
    // All arguments must outlive this object. fresh: the contents of the buffers before any run.
    OtherSchedules(EmulatedRun& emulated, const RecordedRun& run, EmulatorSettings settings, const GivenWords& given,
                   const std::vector<EmulatedBuffer>& fresh);
    // judge returns what is wrong with the result in the buffers: "element 3 of the result is 5 instead of 7", or
    // nothing.
    void judgeBy(std::function<std::string()> judge) { judge_ = std::move(judge); }

    struct Failure {
        Schedule schedule;
        std::string wrong;              // of the result; empty: nothing
        std::vector<Finding> findings;  // findings that fail
        KernelLine where;               // of the first finding; line 0: not known
        // Buffers: the same order is right if one of these is as before any run. Empty: it would not be, or this is not
        // known.
        std::vector<std::string> stale = {};
    };
    // Tries as many orders as fit into a few hundred million instructions, or only this one.
    std::optional<Failure> firstThatFails(const std::optional<Schedule>& only);
    // Tries orders in which an invocation that compares and exchanges in a loop loses as often as there are others:
    // each time it tries, another one has changed the word. The input's elements should all be equal, so that the words
    // are, too.
    std::optional<Failure> firstLossThatFails();

    // Describes the failure, with the option that repeats it; a pass if nothing failed.
    Verdict verdictOf(const std::optional<Failure>& failed);
    bool waited() const { return waited_; }  // an invocation waited in a loop for another work-group

private:
    KernelLine placeOf(const Schedule& schedule);  // of its first atomic; line 0: not known
    // "with subgroups of 4, in a second run, where each work-group pauses before the atomic at shaders/A2X.comp:12
    // until all others wait or have ended"
    std::string textOf(const Schedule& schedule);
    // How to fix it: "put memoryBarrierBuffer() after that atomic, or ..."; empty if only a different order would.
    std::string cureOf(const Schedule& schedule);
    bool prepare();
    std::optional<Failure> walked(const Schedule& schedule, const std::vector<EmulatedBuffer>& before);
    bool fails(const Schedule& schedule);
    std::vector<std::string> staleBuffers(const Schedule& schedule);
    bool failsInTheUsualOrder();
    bool tryAll();
    static Verdict verdictInTheUsualOrder(const Failure& failed);
    static Finding staleFinding(const Failure& failed);
    const EmulatedKernel* kernelOf(std::uint64_t dispatch);
    const EmulatedKernel::Atomic* atomicOf(const Schedule& schedule, const EmulatorSettings::Pause& pause);

    EmulatedRun& emulated_;
    const RecordedRun& run_;
    EmulatorSettings settings_;
    const GivenWords& given_;
    const std::vector<EmulatedBuffer>& fresh_;
    std::function<std::string()> judge_;
    std::array<std::vector<EmulatedBuffer>, 3> before_;  // the buffers before a run, by the number of earlier runs
    std::uint64_t effort_ = 0;                           // Emulated::effort
    bool waited_ = false;
    std::optional<Failure> failure_;
};

}  // namespace a2
