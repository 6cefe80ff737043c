// The numbers that a kernel compares others with.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <set>

namespace a2 {

// Constants, or the words of longer ones, that are one side of ==, !=, an exclusive or or a compare-and-exchange, or a
// case of a switch; of specialisation constants their defaults. With 0 also 2^32 - 1, to which kernels add 1 to tell it
// from "nothing". A kernel that takes one of them for "nothing is here yet" is wrong where the data has it.
std::set<std::uint32_t> comparedNumbers(const SpirvModule& spirv);

}  // namespace a2
