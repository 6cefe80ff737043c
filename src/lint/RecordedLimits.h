// What a recording asks of a device beyond its limits, told from the notes alone: no memory is needed, however long the
// array is.
#pragma once

#include "a2/Vulkan.h"
#include "lint/Finding.h"
#include "recording/Recording.h"

#include <vector>

namespace a2 {

// group-limit and range-limit of all runs, each thing once. Dispatches whose work-groups lie in a buffer are left out.
std::vector<Finding> beyondLimits(const vk::PhysicalDeviceLimits& limits, const Recording& recording);

}  // namespace a2
