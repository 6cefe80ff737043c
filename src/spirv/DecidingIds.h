// Which values of a kernel decide where an invocation goes on.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <unordered_set>

namespace a2 {

// The ids of the values that a condition of a branch, a switch or a selection is made of, also by way of variables of
// an invocation or a work-group, and of function calls. A word whose loaded value is among them may be a flag.
std::unordered_set<std::uint32_t> decidingIds(const SpirvModule& module);

}  // namespace a2
