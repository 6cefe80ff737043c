// Where a kernel adds up numbers that it has read from shared memory, as far as its SPIR-V tells without running it.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <string>

namespace a2 {

struct SharedSums {
    // Additions of such numbers, and subgroup operations. What a function does counts once for each of its calls.
    std::uint64_t places = 0;
    // Of them in a loop that is left a loop: its turns have a barrier(), and it is not marked [[unroll]].
    std::uint64_t inLoops = 0;
    std::string file;          // of the last of those in loops; empty where the kernel was built without debug lines
    std::uint32_t line = 0;    // of it
    bool subgroups = false;    // invocations of a subgroup exchange numbers without memory
    std::uint32_t widest = 1;  // components of the widest vector in shared memory
};

// Throws KernelError if the ways of its data are too long to be followed.
SharedSums sharedSums(const SpirvModule& module);

// Whether both are made from the same code: names, sources and line numbers do not count.
bool sameCode(const SpirvModule& a, const SpirvModule& b);

}  // namespace a2
