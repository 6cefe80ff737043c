// Vulkan's handles with owners, vk::raii, for the files that work a driver. The others do without: each that includes
// it has the compiler instantiate a third of a second of templates.
#pragma once

#include "a2/Vulkan.h"

#include <vulkan/vulkan_raii.hpp>
