// What becomes of a loop: some turns of it are tried on a copy of an invocation, and what its ways out depend on is
// looked at alone, so that a loop counts as endless whatever else changes in it.
#pragma once

#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

struct Group;
struct Resource;

// A word of memory that others may change: a cell of shared memory, or a word of a buffer.
struct WordName {
    static constexpr std::uint32_t sharedMemory = UINT32_MAX;
    std::uint32_t buffer = sharedMemory;  // BufferState::number
    std::uint64_t word = 0;
    bool wide = false;  // in a buffer: two words, which hold one number
    bool operator==(const WordName&) const = default;
};
struct WatchedWord {
    WordName name;
    Cell value = 0;
    Cell bits = ~Cell{0};  // that matter
};
struct TouchedWord {
    WordName name;
    Cell bits = ~Cell{0};  // that may change
};

struct LoopOutlook {
    enum class Kind {
        unknown,  // it may end by itself, or nobody can tell
        endless,  // whatever others do
        away,     // only if a counter wraps round, which takes hundreds of millions of turns
        waits,    // endless while `watched` stays as it is
    };
    Kind kind = Kind::unknown;
    bool own = false;  // its ways out depend on nothing that others change
    std::vector<WatchedWord> watched;
    std::vector<TouchedWord> touched;  // words that it changes meanwhile
    std::uint64_t steps = 0;           // that were tried
};

// From main() on, for each function: the loops from the outermost on, each with its turns, and the instruction. Of two
// such ways the one that comes first in order is the one that the other waits for where they meet.
// at: of an instruction. turns: of each loop. cells: the invocation's own.
std::vector<std::uint32_t> wayOf(const Code& code, std::uint32_t at, const std::uint32_t* turns, const Cell* cells);

constexpr std::uint32_t fewTurns = 8, manyTurns = 64;  // that are tried
constexpr std::uint32_t turnsBetweenLooks = 1024;

struct LoopQuestion {
    const Code& code;
    const std::vector<Resource>& resources;
    const std::vector<std::uint8_t>& push;  // bytes
    const Group& group;
    std::uint32_t invocation = 0, frame = 0;  // frame: cells of an invocation
    std::uint32_t loop = 0, turns = fewTurns;
    std::uint64_t mostSteps = std::uint64_t{1} << 16;
    // Empty: nothing is known of what others do, and a loop that is decided by that is none that anybody can tell of.
    // Otherwise: the loop is that of these invocations, in their order, which stand in the same turn of it; barriers in
    // it are theirs alone, and so are the operations of subgroups.
    std::vector<std::uint32_t> members = {};
    std::uint32_t subgroupSize = 32;
};

// The invocation stands in the loop, or in a function that is called from it. Nothing is changed.
LoopOutlook outlookOf(const LoopQuestion& question);
// Whether the invocation takes so many turns from here on, whatever others do; if trusted: while memory is as it is.
bool takesTurns(const LoopQuestion& question, std::uint64_t turns, bool trusts);

}  // namespace a2::emulator
