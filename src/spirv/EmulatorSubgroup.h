// Operations of a subgroup as a whole.
#pragma once

#include "spirv/EmulatorCode.h"
#include "spirv/EmulatorTrace.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace a2::emulator {

// What an invocation gets from one that does not take part.
constexpr Mark undefinedMark = mark::unset | mark::own | mark::data;

// An invocation in its subgroup, and its cells.
struct SubgroupLane {
    std::uint32_t number = 0;
    Cell* cells = nullptr;
    Mark* marks = nullptr;
    Origin* origins = nullptr;  // null without a trace
};
// An operation of those lanes that take part, in order. tracer: null without a trace.
void calculateTogether(const Instruction& one, const std::vector<SubgroupLane>& lanes, std::uint32_t subgroupSize,
                       Tracer* tracer);

// The cells that each lane reads, of which all results may be made, and how many cells of a result each writes.
struct SubgroupCells {
    std::pair<std::uint32_t, std::uint32_t> values, choice;  // first cell, and how many; choice: whose value is taken
    std::uint32_t written = 0;
    bool keepsLowBits = false;  // the low bits of results depend only on the low bits of values
};
SubgroupCells cellsOf(const Instruction& one);

}  // namespace a2::emulator
