// Instructions that do not affect what is calculated: those of the sets "NonSemantic.*", including debugPrintfEXT's.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <vector>

namespace a2 {

// The module without them, for drivers that do not support VK_KHR_shader_non_semantic_info.
std::vector<std::uint32_t> withoutSilentInstructions(const SpirvModule& spirv);

// Whether it has a debugPrintfEXT().
bool prints(const SpirvModule& spirv);

}  // namespace a2
