// Where a kernel adds up numbers that it has read from shared memory, as far as its SPIR-V shows it without running.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <string>

namespace a2 {

struct SharedSums {
    // Additions of such numbers, and subgroup operations. The contents of a function count once for each of its calls.
    std::uint64_t places = 0;
    // How many of them are in a real loop: its turns have a barrier(), and it is not marked [[unroll]].
    std::uint64_t inLoops = 0;
    std::string file;          // of the last one in a loop; empty if the kernel was built without debug lines
    std::uint32_t line = 0;    // in that file
    bool subgroups = false;    // invocations of a subgroup exchange numbers without memory
    std::uint32_t widest = 1;  // components of the widest vector in shared memory
};

// Throws KernelError if its data takes too many steps to follow.
SharedSums sharedSums(const SpirvModule& module);

// Whether both are made from the same code; names, sources and line numbers may differ.
bool sameCode(const SpirvModule& a, const SpirvModule& b);

}  // namespace a2
