#include "spirv/EmulatorRehearsalNotes.h"

namespace a2::emulator {

Flow& FlowNotes::flowed(std::uint32_t write, std::uint32_t writes)
{
    if (state_.follows) return ignored_;
    Flow flow;
    flow.write = state_.place(write);
    flow.base = state_.base;
    flow.writes = writes;
    flow.firstRead = firstRead_;
    flow.reads = static_cast<std::uint32_t>(state_.made.ranges.size()) - firstRead_;
    state_.made.flows.push_back(flow);
    return state_.made.flows.back();
}

void FlowNotes::copied(std::uint32_t to, std::uint32_t from, std::uint32_t count)
{
    begin();
    read(from, count);
    Flow& flow = flowed(to, count);
    flow.each = flow.lowBits = true;
}

void FlowNotes::decide(std::uint32_t cell)
{
    begin();
    read(cell, 1);
    Flow& flow = flowed(0, 0);
    flow.decides = true;
    flow.compared = state_.at;
}

void FlowNotes::pointed(std::uint32_t pointer, std::uint32_t to, std::uint32_t count)
{
    begin();
    read(pointer, pointerCells);
    flowed(to, count).partly = true;
}

}  // namespace a2::emulator
