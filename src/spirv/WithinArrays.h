// Kernels that keep to their own arrays, for devices on which other memory is a2's own.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <vector>

namespace a2 {

// The same kernel, but an index into an array, vector or matrix in shared memory or of an invocation is at most that of
// the last element. A CPU driver compiles such arrays to plain memory of its process, which judges: without this, a
// kernel reads and writes there whatever it likes. Buffers are bounded by robustBufferAccess.
std::vector<std::uint32_t> withinArrays(const SpirvModule& module);

}  // namespace a2
