// The result of a rehearsal of a loop: which values each step made of which, and the numbers at the beginning of each
// turn.
#pragma once

#include "spirv/EmulatorLoops.h"

#include <map>
#include <utility>
#include <vector>

namespace a2::emulator {

constexpr std::uint8_t wholeCell = 64;  // how many bits are needed of a cell

// Which cells a step has made of which. The cells after the frame stand for words of memory.
struct Flow {
    std::uint32_t write = 0, writes = 0;  // cells
    std::uint32_t firstRead = 0, reads = 0;
    bool decides = false;           // it is a branch
    bool partly = false;            // the old contents of the cells may still be there
    bool each = false;              // cell by cell
    bool lowBits = false;           // the low bits of the result depend only on the low bits of what is read
    std::uint8_t bits = wholeCell;  // how many are needed of what is read, if the result is needed at all
    std::uint32_t compared = none;  // the instruction, if it compares two numbers, or decides
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
struct Boundary {  // between two turns
    std::vector<Cell> cells;
    std::size_t flows = 0;
};

struct Rehearsed {
    // behind: the first cell after the frames of the invocations that take part. outside: a cell that stands for
    // effects of other invocations. firstWord: the first of the cells that stand for words of memory.
    std::uint32_t cells = 0, behind = 0, outside = 0, firstWord = 0;
    std::vector<WordName> names;  // for the cells from `behind` on
    std::vector<Cell> before;     // their first contents
    std::vector<Flow> flows;
    std::vector<Range> ranges;
    std::vector<Boundary> boundaries;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Compared>> comparisons;  // by lane and instruction
    bool meets = false;  // an invocation meets others at a barrier, or uses a subgroup operation

    bool isWord(std::uint32_t cell) const { return cell >= firstWord; }
};

// Whether an operation makes one number from each number, or from each two numbers.
bool takesOne(std::uint16_t opcode);
bool takesTwo(std::uint16_t opcode);
bool isComparison(std::uint16_t opcode);
// Whether bit i of the result depends only on the bits up to i of both operands.
bool keepsLowBits(std::uint16_t opcode);

}  // namespace a2::emulator
