// One invocation, from its present place to where it must wait for others, or to its end.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

class Atomics;
class Delays;
class Faults;
class Memory;
class Pauses;
class Turns;

class InvocationWalk {
public:
    InvocationWalk(WalkState& state, Faults& faults, Memory& memory, Atomics& atomics, Delays& delays, Pauses& pauses,
                   Turns& turns);

    void run(Group& group, std::uint32_t invocation);

private:
    void followEdge(const Edge& edge, Cell* cells, Mark* marks);

    WalkState& state_;
    Faults& faults_;
    Memory& memory_;
    Atomics& atomics_;
    Delays& delays_;
    Pauses& pauses_;
    Turns& turns_;
    std::vector<Cell> moved_;
    std::vector<Mark> movedMarks_;
    std::uint64_t clock_;          // for OpReadClockKHR
    std::uint64_t knownPush_ = 0;  // bytes of the push constants, from the first on, that are all known
};

}  // namespace a2::emulator
