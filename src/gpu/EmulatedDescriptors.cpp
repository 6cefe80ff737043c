// The emulated Vulkan's descriptor sets, and what they are made from.
#include "gpu/EmulatedObjects.h"
#include "recording/Bindings.h"

#include <span>

namespace a2::emulated {

namespace {

VkResult createSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info, const VkAllocationCallbacks*,
                         VkDescriptorSetLayout* made)
{
    SetLayout layout;
    for (const VkDescriptorSetLayoutBinding& one : std::span(info->pBindings, info->bindingCount))
        layout.bindings[one.binding] = {one.descriptorType, one.descriptorCount};
    return make<SetLayout>(made, std::move(layout));
}

// Pools have room for whatever is asked of them.
VkResult createDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo*, const VkAllocationCallbacks*,
                              VkDescriptorPool* made)
{
    return make<DescriptorPool>(made);
}

VkResult allocateSets(VkDevice, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* made)
{
    auto& pool = objectOf<DescriptorPool>(info->descriptorPool);
    for (const VkDescriptorSetLayout layout : std::span(info->pSetLayouts, info->descriptorSetCount)) {
        auto set = std::make_unique<DescriptorSet>();
        for (const auto& [number, binding] : objectOf<SetLayout>(layout).bindings)
            for (std::uint32_t element = 0; element < binding.count; ++element)
                set->ranges[{number, element}].dynamic = isDynamic(binding.type);
        DescriptorSet* const handle = set.get();
        pool.sets.emplace(handle, std::move(set));
        *made++ = handleOf<VkDescriptorSet>(handle);
    }
    return VK_SUCCESS;
}

VkResult freeSets(VkDevice, VkDescriptorPool pool, std::uint32_t count, const VkDescriptorSet* sets)
{
    for (const VkDescriptorSet one : std::span(sets, count))
        objectOf<DescriptorPool>(pool).sets.erase(&objectOf<DescriptorSet>(one));
    return VK_SUCCESS;
}

// Elements beyond the last one of a binding are the next binding's, as Vulkan has it: that is the map's order.
void updateSets(VkDevice, std::uint32_t count, const VkWriteDescriptorSet* writes, std::uint32_t,
                const VkCopyDescriptorSet*)
{
    for (const VkWriteDescriptorSet& write : std::span(writes, count)) {
        auto& ranges = objectOf<DescriptorSet>(write.dstSet).ranges;
        auto at = ranges.find({write.dstBinding, write.dstArrayElement});
        for (std::uint32_t i = 0; i < write.descriptorCount && at != ranges.end(); ++i, ++at) {
            const VkDescriptorBufferInfo& info = write.pBufferInfo[i];
            const auto& buffer = objectOf<Buffer>(info.buffer);
            at->second.buffer = &buffer;
            at->second.offset = info.offset;
            at->second.bytes = info.range == VK_WHOLE_SIZE ? buffer.bytes - info.offset : info.range;
        }
    }
}

}  // namespace

std::vector<EntryPoint> descriptorEntryPoints()
{
    return {
        entry<PFN_vkCreateDescriptorSetLayout, createSetLayout>("vkCreateDescriptorSetLayout"),
        entry<PFN_vkDestroyDescriptorSetLayout, destroy<SetLayout, VkDescriptorSetLayout>>(
            "vkDestroyDescriptorSetLayout"),
        entry<PFN_vkCreateDescriptorPool, createDescriptorPool>("vkCreateDescriptorPool"),
        entry<PFN_vkDestroyDescriptorPool, destroy<DescriptorPool, VkDescriptorPool>>("vkDestroyDescriptorPool"),
        entry<PFN_vkAllocateDescriptorSets, allocateSets>("vkAllocateDescriptorSets"),
        entry<PFN_vkFreeDescriptorSets, freeSets>("vkFreeDescriptorSets"),
        entry<PFN_vkUpdateDescriptorSets, updateSets>("vkUpdateDescriptorSets"),
    };
}

}  // namespace a2::emulated
