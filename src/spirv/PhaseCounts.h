// What the invocations of a dispatch do with data, as the emulator counts it.
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

// The counts between two barrier() calls of a work-group, for all work-groups together, which count as running side by
// side.
//
// Data means numbers from a buffer or from shared memory, and numbers made of them; indices and loop counters are not
// data.
struct PhaseCounts {
    // How many invocations do something, for each parallel step. An invocation takes a step per addition or per word
    // that it writes to a buffer, whichever are more. If it does neither, it takes a step per word that it reads from a
    // buffer, or one step for all that it moves in shared memory. Additions by atomics to shared memory follow: those
    // to one word one step after the other.
    std::vector<std::uint64_t> active;
    // Additions and subtractions of data, one per component of a vector, including those by atomics. Adding to a 0 that
    // is not data (a sum's first value) does not count. A sum over a subgroup counts as log2 of its invocations in each
    // of them.
    std::uint64_t additions = 0;
    std::uint64_t reads = 0, writes = 0;  // 32-bit words of buffers; an atomic is one read and one write
    std::uint64_t lost = 0;               // invocations and requests that took more steps than are counted

    bool operator==(const PhaseCounts&) const = default;
};
using Phases = std::vector<PhaseCounts>;

// For a work-group in each phase: the most different words of one bank of shared memory that one request accesses;
// these take turns. 1: no conflict (an access of all to one word is a broadcast). 0: no access to shared memory. Shared
// variables begin in bank 0, and each number takes one word.
using Conflicts = std::vector<std::uint32_t>;

}  // namespace a2
