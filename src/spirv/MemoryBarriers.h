// Memory barriers of a kernel, and what its atomics order besides their own words.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <vector>

namespace a2 {

// The module without them, for a driver whose atomics order all memory, whose memory barriers do harm, and whose
// subgroups run in step: it needs no subgroupBarrier(), which contains such a barrier. barrier() is unchanged.
std::vector<std::uint32_t> withoutMemoryBarriers(const SpirvModule& spirv);

}  // namespace a2
