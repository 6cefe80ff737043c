// What the parts of a rehearsal share: the cells of its invocations, and what it has found.
#pragma once

#include "spirv/EmulatorFlows.h"

namespace a2::emulator {

constexpr Mark fromOthers = 128;  // may depend on what other invocations do

enum class LaneState : std::uint8_t { running, atBoundary, atSubgroup, atBarrier };

struct RehearsalState {
    // members: the invocations that take part.
    RehearsalState(const LoopQuestion& question, const std::vector<std::uint32_t>& members);

    std::uint32_t place(std::uint32_t cell) const { return cell < frame ? base + cell : cell; }
    Cell& cell(std::uint32_t number) { return cells[place(number)]; }
    Mark& mark(std::uint32_t number) { return marks[place(number)]; }
    bool isOthers(std::uint32_t number) const { return follows && (marks[place(number)] & fromOthers) != 0; }

    const Code& code;
    const LoopQuestion& asked;
    const Loop& loop;
    std::uint32_t frame;
    bool together;  // what invocations do in turn, and together; otherwise nothing is known of what others do
    std::vector<Cell> cells;
    std::vector<Mark> marks;
    std::vector<std::uint32_t> turns;  // of each loop, for each lane
    std::uint32_t scratch = 0;         // the first of the cells through which moves go
    Rehearsed made;
    bool follows = false;  // only runs, and notes no flows
    bool trusts = false;   // memory does not change

    // Of the lane that runs now:
    std::uint32_t base = 0;  // its first cell
    std::uint32_t at = 0;    // instruction
    LaneState lane = LaneState::running;
};

}  // namespace a2::emulator
