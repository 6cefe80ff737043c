// What a rehearsal of a loop leaves: what each step made of what, and how the numbers stood at each turn's begin.
#pragma once

#include "spirv/EmulatorLoops.h"

#include <map>
#include <utility>
#include <vector>

namespace a2::emulator {

constexpr std::uint8_t wholeCell = 64;  // bits that are needed of it

// What a step has made of what. The cells after the frame stand for words of memory.
struct Flow {
    std::uint32_t write = 0, writes = 0;  // cells
    std::uint32_t firstRead = 0, reads = 0;
    bool decides = false;           // a branch
    bool partly = false;            // what was in the cells may be there still
    bool each = false;              // cell by cell
    bool lowBits = false;           // the low bits of the result are made of the low bits of what is read
    std::uint8_t bits = wholeCell;  // that are needed of what is read, once the result is needed at all
    std::uint32_t compared = none;  // the instruction, of one that compares two numbers, or decides
    std::uint32_t base = 0;         // first cell of the lane
};
struct Range {
    std::uint32_t first = 0, count = 0;
};
struct Compared {
    std::uint32_t turn = 0;
    Cell a = 0, b = 0;
    bool result = false;
};
struct Boundary {  // of two turns
    std::vector<Cell> cells;
    std::size_t flows = 0;
};

struct Rehearsed {
    // behind: the first cell after the frames of those who take part. outside: a cell that stands for what other
    // invocations do. firstWord: the first of those that stand for words of memory.
    std::uint32_t cells = 0, behind = 0, outside = 0, firstWord = 0;
    std::vector<WordName> names;  // of the cells from `behind` on
    std::vector<Cell> before;     // what they held at first
    std::vector<Flow> flows;
    std::vector<Range> ranges;
    std::vector<Boundary> boundaries;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Compared>> comparisons;  // by lane and instruction
    bool meets = false;  // somebody meets others at a barrier, or does something with a subgroup

    bool isWord(std::uint32_t cell) const { return cell >= firstWord; }
};

// Of operations. From each number one; from each two numbers one.
bool takesOne(std::uint16_t opcode);
bool takesTwo(std::uint16_t opcode);
bool isComparison(std::uint16_t opcode);
// Bit i of the result is made of the bits up to i of both operands.
bool keepsLowBits(std::uint16_t opcode);

}  // namespace a2::emulator
