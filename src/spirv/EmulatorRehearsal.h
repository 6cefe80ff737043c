// Runs some turns of a loop, step by step, on a copy of its invocations, and notes which values are made of which.
#pragma once

#include "spirv/EmulatorRehearsalSteps.h"

#include <optional>

namespace a2::emulator {

class Rehearsal {
public:
    explicit Rehearsal(const LoopQuestion& question);

    // Call it once. Empty: it is not known what the loop does.
    std::optional<Rehearsed> run();
    std::uint64_t steps() const { return tried_; }  // steps that were tried

    // Whether it takes that many turns whatever others do or, with `trusts`, as long as memory does not change.
    bool takes(std::uint64_t turns, bool trusts);

private:
    // An invocation.
    struct Lane {
        std::uint32_t invocation = 0, at = 0;  // at: instruction
        LaneState state = LaneState::running;
    };

    bool all(LaneState state) const;
    void release();
    // Each lane goes on until it waits for others, and then all of them from there. False: the next step is not known.
    bool goOn();
    std::vector<std::uint32_t> wayOf(std::uint32_t lane) const;
    // A subgroup operation of those lanes that are first on their way.
    bool meetIn(std::uint32_t first, std::uint32_t end);
    std::vector<std::uint32_t> firstOnTheirWay(std::uint32_t first, std::uint32_t end) const;
    void calculateIn(const std::vector<std::uint32_t>& members, const Instruction& one);
    void turnTo(std::uint32_t lane) { state_.base = lane * state_.frame; }

    std::vector<Lane> lanes_;
    RehearsalState state_;
    FlowNotes notes_;
    RehearsalSteps steps_;
    std::uint64_t tried_ = 0;  // steps of all lanes
};

}  // namespace a2::emulator
