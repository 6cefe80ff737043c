// Which features of a device a kernel uses: those that Vulkan requires before a driver may be given its SPIR-V.
#pragma once

#include "spirv/SpirvModule.h"

#include <set>
#include <string>

namespace a2 {

// The names are Vulkan's ("shaderFloat64", "VK_EXT_shader_subgroup_ballot") or, for subgroups, "subgroup arithmetic"
// and the like (gpu/DeviceFeatures.h). Capabilities that belong to no feature of a device are not named.
std::set<std::string> kernelNeeds(const SpirvModule& spirv);

}  // namespace a2
