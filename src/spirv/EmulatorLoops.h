// Predicts whether a loop ends: some of its turns are tried on a copy of an invocation, and only what its exits depend
// on is examined, so that a loop counts as endless whatever else changes in it.
#pragma once

#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

struct Group;
struct Resource;

// A word of memory that other invocations may change: a cell of shared memory, or a word of a buffer.
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
    Cell bits = ~Cell{0};  // those that matter
};
struct TouchedWord {
    WordName name;
    Cell bits = ~Cell{0};  // those that may change
};

struct LoopOutlook {
    enum class Kind {
        unknown,  // it may end by itself, or that is not known
        endless,  // endless, whatever other invocations do
        away,     // ends only if a counter wraps round, after hundreds of millions of turns
        waits,    // endless as long as `watched` does not change
    };
    Kind kind = Kind::unknown;
    bool own = false;  // its exits depend on nothing that others change
    std::vector<WatchedWord> watched;
    std::vector<TouchedWord> touched;  // words that the loop itself changes
    std::uint64_t steps = 0;           // steps that were tried
};

constexpr std::uint32_t fewTurns = 8, manyTurns = 64;  // how many turns are tried
constexpr std::uint32_t turnsBetweenLooks = 1024;

struct LoopQuestion {
    const Code& code;
    const std::vector<Resource>& resources;
    const std::vector<std::uint8_t>& push;  // bytes
    const Group& group;
    std::uint32_t invocation = 0, frame = 0;  // frame: number of cells of an invocation
    std::uint32_t loop = 0, turns = fewTurns;
    std::uint64_t mostSteps = std::uint64_t{1} << 16;
    // Empty: nothing is known about other invocations, so a loop that depends on them is unknown. Otherwise the loop is
    // run by these invocations, in their order, which are all in the same turn of it; its barriers and subgroup
    // operations concern only them.
    std::vector<std::uint32_t> members = {};
    std::uint32_t subgroupSize = 32;
};

// The invocation is in the loop, or in a function that is called from it. Changes nothing.
LoopOutlook outlookOf(const LoopQuestion& question);
// Whether the invocation takes at least that many turns from here on, whatever others do or, with `trusts`, as long as
// memory does not change.
bool takesTurns(const LoopQuestion& question, std::uint64_t turns, bool trusts);

}  // namespace a2::emulator
