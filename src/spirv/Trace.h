// What each invocation of a dispatch reads and writes, access by access, in the order of the emulator.
#pragma once

#include "spirv/KernelLine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace a2 {

// An access to one 32-bit word of a buffer, or to one number of shared memory.
struct TracedAccess {
    std::uint64_t group = 0, phase = 0;  // of the work-group's phases between barrier() calls, from 0
    std::uint32_t invocation = 0;        // gl_LocalInvocationIndex
    std::uint32_t line = 0;              // index into Trace::lines
    bool shared = false;
    std::uint32_t memory = 0;            // binding of a buffer, or index of a shared variable
    std::uint64_t index = 0;             // word of the whole buffer, or number of the variable
    bool reads = false, writes = false;  // both: an atomic
    std::uint64_t value = 0;             // the value afterwards; for shared memory the number's bits
    // The same for all that access together: a subgroup (in shared memory: 32 invocations) by one instruction, each for
    // the same number of times since its last barrier(). From 1 in each work-group; 0: there were too many.
    std::uint32_t request = 0;
    // Which reads, by their indices in Trace::accesses, gave the numbers that the written value is made of: by copies,
    // calculations and choices, in registers and by subgroup operations. Values that only decided a branch or an index
    // are not included.
    std::vector<std::uint32_t> from;
    // How many levels of writes by the same work-group in this phase must come before: a read of a number after a write
    // to it is one level later, and so is what is made of it; at most 3.
    std::uint32_t level = 0;
    // For a write: the earlier write of the same invocation that left most of what the invocation has kept in registers
    // since an earlier phase. Empty: none.
    std::optional<std::uint32_t> after = {};
};

struct Trace {
    std::vector<KernelLine> lines;
    std::vector<TracedAccess> accesses;  // by work-group, in the order in which they came
    bool cut = false;                    // there were more accesses
};
constexpr std::size_t mostTraced = std::size_t{1} << 14;  // limit for a dispatch

}  // namespace a2
