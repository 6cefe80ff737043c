// Vulkan calls that a recording cannot contain: their names are noted, and they do nothing.
#pragma once

#include "a2/Vulkan.h"

namespace a2 {

// A function that may be called as the one of this name, with any parameters: it notes the call and returns
// VK_ERROR_FEATURE_NOT_PRESENT.
PFN_vkVoidFunction refusal(const char* name);

}  // namespace a2
