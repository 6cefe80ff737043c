// How Vulkan returns lists, and the structures chained to a structure, for the Vulkan that only records (recorder/).
#pragma once

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace a2 {

// Returns a list as Vulkan does: its length, or as many items as the caller has room for.
template <class Item>
VkResult give(std::span<const Item> all, std::uint32_t* count, Item* items)
{
    const auto there = static_cast<std::uint32_t>(all.size());
    if (!items) {
        *count = there;
        return VK_SUCCESS;
    }
    *count = std::min(*count, there);
    std::copy_n(all.begin(), *count, items);
    return *count < there ? VK_INCOMPLETE : VK_SUCCESS;
}

inline VkResult giveExtensions(std::span<const char* const> names, std::uint32_t* count, VkExtensionProperties* items)
{
    std::vector<VkExtensionProperties> all;
    for (const char* name : names) {
        VkExtensionProperties& one = all.emplace_back();
        one.specVersion = 1;
        std::strncpy(one.extensionName, name, sizeof one.extensionName - 1);
    }
    return give<VkExtensionProperties>(all, count, items);
}

// Visits each structure of a chain of requests. A structure that the visitor does not know stays unchanged.
template <class Visit>
void forEachInChain(void* chain, Visit visit)
{
    for (auto* one = static_cast<VkBaseOutStructure*>(chain); one; one = one->pNext) visit(one->sType, one);
}

}  // namespace a2
