// How Vulkan returns lists, and what hangs on a structure, for the Vulkan that takes notes (recorder/).
#pragma once

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace a2 {

// As Vulkan returns lists: how many there are, or as many of them as the caller has room for.
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

// Each structure of a chain that asks for something. What the visitor does not know stays as it is.
template <class Visit>
void forEachInChain(void* chain, Visit visit)
{
    for (auto* one = static_cast<VkBaseOutStructure*>(chain); one; one = one->pNext) visit(one->sType, one);
}

}  // namespace a2
