// Vulkan calls that have no place in a recording: they are noted by their names, and do nothing.
#pragma once

#include "a2/Vulkan.h"

namespace a2 {

// A function that may be called as the one of this name, whatever its parameters are: it notes the call and returns
// VK_ERROR_FEATURE_NOT_PRESENT.
PFN_vkVoidFunction refusal(const char* name);

}  // namespace a2
