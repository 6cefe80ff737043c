// What the invocations of a dispatch do with data, counted by the emulator.
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

// Between two barrier() calls of a work-group; of all work-groups together, which go through it side by side.
//
// Data is what came from a buffer or from shared memory, and what was made of it; indices and loop counters are none.
struct PhaseCounts {
    // How many invocations do something, per parallel step. An invocation takes a step per addition or per word that it
    // writes to a buffer, whichever are more; where it does neither, a step per word that it reads from one, or one for
    // all that it moves in shared memory. Then come additions by atomics to shared memory: those to one word one step
    // after the other.
    std::vector<std::uint64_t> active;
    // Additions and subtractions of data, one per component of a vector, but for those of a 0 that is none (a sum's
    // first value); with those by atomics. A sum over a subgroup counts as log2 of its invocations in each of them.
    std::uint64_t additions = 0;
    std::uint64_t reads = 0, writes = 0;  // 32-bit words of buffers; an atomic is one read and one write
    std::uint64_t lost = 0;               // invocations and requests that took more steps than are counted

    bool operator==(const PhaseCounts&) const = default;
};
using Phases = std::vector<PhaseCounts>;

// Of a work-group in each phase: the most different words of one bank of shared memory that a request asks for, which
// then take turns. 1: no conflict (all in one word is a broadcast). 0: no access to shared memory. Shared variables
// begin in bank 0, numbers have a word each.
using Conflicts = std::vector<std::uint32_t>;

}  // namespace a2
