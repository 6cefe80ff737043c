// Vulkan-Hpp, set up once for the whole project: every header and source file includes Vulkan through this one.
//
// vk::CommandBuffer and the other classes call through one table of function pointers, VULKAN_HPP_DEFAULT_DISPATCHER;
// nothing is linked against a loader. While the code of a solution runs, the table has functions that record each call;
// a2 itself fills it with the functions of the machine's driver.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#define VULKAN_HPP_ENABLE_DYNAMIC_LOADER_TOOL 0  // a2 opens the loader itself, where it needs one
#include <vulkan/vulkan.hpp>
