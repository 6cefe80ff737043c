// What each invocation of a dispatch reads and writes, access by access, as the emulator goes along.
#pragma once

#include "spirv/KernelLine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace a2 {

// Of one 32-bit word of a buffer, or of one number of shared memory.
struct TracedAccess {
    std::uint64_t group = 0, phase = 0;  // of the work-group's phases between barrier() calls, from 0
    std::uint32_t invocation = 0;        // gl_LocalInvocationIndex
    std::uint32_t line = 0;              // of Trace::lines
    bool shared = false;
    std::uint32_t memory = 0;            // binding of a buffer; of shared memory which of its variables
    std::uint64_t index = 0;             // word of the whole buffer; number of the variable
    bool reads = false, writes = false;  // both: an atomic
    std::uint64_t value = 0;             // that is there afterwards; the bits of a shared number
    // The same for all that ask together: a subgroup (of shared memory: 32 invocations) by one instruction, each as
    // often as the others since its last barrier(). From 1 in each work-group; 0: there were too many.
    std::uint32_t request = 0;
    // Which reads, by their place among all accesses, gave numbers that the written value is made of: by copies,
    // calculations and choices, in registers and by subgroup operations. What decided a branch or an index is none.
    std::vector<std::uint32_t> from;
    // How often in its phase the same work-group must have written before: what reads a number after a write to it
    // comes one level later, and so does what is made of that; at most 3.
    std::uint32_t level = 0;
    // Of a write: the earlier write of the same invocation that left the most of what it has kept in registers since an
    // earlier phase. Empty: none.
    std::optional<std::uint32_t> after = {};
};

struct Trace {
    std::vector<KernelLine> lines;
    std::vector<TracedAccess> accesses;  // work-group by work-group, as they came
    bool cut = false;                    // there were more
};
constexpr std::size_t mostTraced = std::size_t{1} << 14;  // accesses of a dispatch

}  // namespace a2
