// Which features of a device a kernel uses: those that Vulkan asks for before its SPIR-V may be given to a driver.
#pragma once

#include "spirv/SpirvModule.h"

#include <set>
#include <string>

namespace a2 {

// As Vulkan calls them ("shaderFloat64", "VK_EXT_shader_subgroup_ballot"), or, of subgroups, "subgroup arithmetic" and
// the like (gpu/DeviceFeatures.h). Capabilities that no feature of a device stands for are not named.
std::set<std::string> kernelNeeds(const SpirvModule& spirv);

}  // namespace a2
