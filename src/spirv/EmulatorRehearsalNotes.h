// Notes for a rehearsal which values are made of which.
#pragma once

#include "spirv/EmulatorRehearsalState.h"

namespace a2::emulator {

class FlowNotes {
public:
    explicit FlowNotes(RehearsalState& state) : state_(state) {}

    // One flow: begin, read what it is made of, and name what flowed.
    void begin() { firstRead_ = static_cast<std::uint32_t>(state_.made.ranges.size()); }
    void read(std::uint32_t first, std::uint32_t count)
    {
        if (!state_.follows) state_.made.ranges.push_back({state_.place(first), count});
    }
    Flow& flowed(std::uint32_t write, std::uint32_t writes);

    void copied(std::uint32_t to, std::uint32_t from, std::uint32_t count);
    void decide(std::uint32_t cell);
    // A value read or written through a pointer also depends on the pointer's target.
    void pointed(std::uint32_t pointer, std::uint32_t to, std::uint32_t count);
    void boundary() { state_.made.boundaries.push_back({state_.cells, state_.made.flows.size()}); }

private:
    RehearsalState& state_;
    std::uint32_t firstRead_ = 0;
    Flow ignored_;
};

}  // namespace a2::emulator
