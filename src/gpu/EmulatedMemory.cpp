// The emulated Vulkan's memory and buffers. Memory is the host's, and counts as set from the start: who knows what is
// not is the judge's own walk (judge/EmulatedLook.h).
#include "gpu/EmulatedObjects.h"

namespace a2::emulated {

namespace {

constexpr std::uint64_t memoryAlignment = 256;

VkResult createBuffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*, VkBuffer* made)
{
    return make<Buffer>(made, info->size);
}

void getRequirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* requirements)
{
    const std::uint64_t bytes = objectOf<Buffer>(buffer).bytes;
    *requirements = {(bytes + memoryAlignment - 1) / memoryAlignment * memoryAlignment, memoryAlignment, 1};
}

VkResult allocateMemory(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*, VkDeviceMemory* made)
try {
    return make<Memory>(made, info->allocationSize);
} catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

VkResult bindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    auto& bound = objectOf<Buffer>(buffer);
    bound.memory = &objectOf<Memory>(memory);
    bound.at = offset;
    return VK_SUCCESS;
}

VkResult mapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags, void** data)
{
    *data = reinterpret_cast<std::uint8_t*>(objectOf<Memory>(memory).contents.words().data()) + offset;
    return VK_SUCCESS;
}

void unmapMemory(VkDevice, VkDeviceMemory) {}

}  // namespace

std::vector<EntryPoint> memoryEntryPoints()
{
    return {
        entry<PFN_vkCreateBuffer, createBuffer>("vkCreateBuffer"),
        entry<PFN_vkDestroyBuffer, destroy<Buffer, VkBuffer>>("vkDestroyBuffer"),
        entry<PFN_vkGetBufferMemoryRequirements, getRequirements>("vkGetBufferMemoryRequirements"),
        entry<PFN_vkAllocateMemory, allocateMemory>("vkAllocateMemory"),
        entry<PFN_vkFreeMemory, destroy<Memory, VkDeviceMemory>>("vkFreeMemory"),
        entry<PFN_vkBindBufferMemory, bindBufferMemory>("vkBindBufferMemory"),
        entry<PFN_vkMapMemory, mapMemory>("vkMapMemory"),
        entry<PFN_vkUnmapMemory, unmapMemory>("vkUnmapMemory"),
    };
}

}  // namespace a2::emulated
