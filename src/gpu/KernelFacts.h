// What a2 needs to know about a kernel before a driver sees it, read from its SPIR-V.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <optional>
#include <span>

namespace a2 {

// Bytes of shared (Workgroup) memory of the kernel in this shape. Arrays sized by specialisation constants are why
// this is computed: no driver and no validation layer checks those against maxComputeSharedMemorySize.
// Empty if the module uses a type or constant expression that is not understood (SPIR-V 1.x, sections 3.32.6-7).
std::optional<std::uint64_t> sharedMemoryBytes(std::span<const std::uint32_t> spirv, const KernelShape& shape);

}  // namespace a2
