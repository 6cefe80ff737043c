// What in a recording exceeds a device's limits. The recording alone shows it: this needs no memory for the arrays,
// however long they are.
#pragma once

#include "a2/Vulkan.h"
#include "lint/Finding.h"
#include "recording/Recording.h"

#include <vector>

namespace a2 {

// group-limit and range-limit for all runs, each problem once. Dispatches whose work-groups lie in a buffer are left
// out.
std::vector<Finding> beyondLimits(const vk::PhysicalDeviceLimits& limits, const Recording& recording);

}  // namespace a2
