// vk::raii, Vulkan's handles with owners, for the files that talk to a driver. Other files do without: in each file
// that includes it, the compiler spends a third of a second on its templates.
#pragma once

#include "a2/Vulkan.h"

#include <vulkan/vulkan_raii.hpp>
