// Vulkan-Hpp, set up once for the whole project: every header and source file includes Vulkan through this one.
//
// The loader is opened when the program starts (no link-time dependence, so a machine without Vulkan gets a sentence
// instead of a linker error), and vk::CommandBuffer and friends call through one table of function pointers,
// VULKAN_HPP_DEFAULT_DISPATCHER. vk::raii classes own every handle.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan_raii.hpp>
