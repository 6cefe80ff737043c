// Instructions that say nothing about what is calculated: those of the sets "NonSemantic.*", debugPrintfEXT's among
// them.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <vector>

namespace a2 {

// The module without them, for drivers that do not know VK_KHR_shader_non_semantic_info.
std::vector<std::uint32_t> withoutSilentInstructions(const SpirvModule& spirv);

// Whether it has a debugPrintfEXT().
bool prints(const SpirvModule& spirv);

}  // namespace a2
