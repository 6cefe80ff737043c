// The emulated Vulkan's command buffers, and the commands that are recorded into them.
#include "gpu/EmulatedObjects.h"

#include <algorithm>
#include <span>

namespace a2::emulated {

namespace {

VkResult createCommandPool(VkDevice, const VkCommandPoolCreateInfo*, const VkAllocationCallbacks*, VkCommandPool* made)
{
    return make<CommandPool>(made);
}

VkResult allocateBuffers(VkDevice, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* made)
{
    for (std::uint32_t i = 0; i < info->commandBufferCount; ++i) {
        auto one = std::make_unique<CommandBuffer>();
        CommandBuffer* const handle = one.get();
        objectOf<CommandPool>(info->commandPool).buffers.emplace(handle, std::move(one));
        made[i] = handleOf<VkCommandBuffer>(handle);
    }
    return VK_SUCCESS;
}

void freeBuffers(VkDevice, VkCommandPool pool, std::uint32_t count, const VkCommandBuffer* buffers)
{
    for (const VkCommandBuffer one : std::span(buffers, count))
        objectOf<CommandPool>(pool).buffers.erase(&objectOf<CommandBuffer>(one));
}

VkResult beginBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo*)
{
    objectOf<CommandBuffer>(commandBuffer) = {};
    return VK_SUCCESS;
}

VkResult endBuffer(VkCommandBuffer commandBuffer)
{
    return objectOf<CommandBuffer>(commandBuffer).outOfMemory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

// What lacks memory is told when the command buffer ends.
template <class Change>
void change(VkCommandBuffer commandBuffer, Change what)
{
    auto& into = objectOf<CommandBuffer>(commandBuffer);
    try {
        what(into);
    } catch (const std::bad_alloc&) {
        into.outOfMemory = true;
    }
}
template <class Work>
void add(VkCommandBuffer commandBuffer, Work work)
{
    change(commandBuffer, [&](CommandBuffer& into) {
        into.commands.emplace_back([work = std::move(work)](Queue&) {
            work();
            return true;
        });
    });
}

void bindPipeline(VkCommandBuffer commandBuffer, VkPipelineBindPoint, VkPipeline pipeline)
{
    objectOf<CommandBuffer>(commandBuffer).state.pipeline = &objectOf<Pipeline>(pipeline);
}

void bindSets(VkCommandBuffer commandBuffer, VkPipelineBindPoint, VkPipelineLayout, std::uint32_t first,
              std::uint32_t count, const VkDescriptorSet* sets, std::uint32_t offsetCount, const std::uint32_t* offsets)
{
    change(commandBuffer, [&](CommandBuffer& into) {
        std::span<const std::uint32_t> left(offsets, offsetCount);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto& set = objectOf<DescriptorSet>(sets[i]);
            const auto wanted = static_cast<std::size_t>(std::count_if(
                set.ranges.begin(), set.ranges.end(), [](const auto& one) { return one.second.dynamic; }));
            const auto here = left.first(std::min(wanted, left.size()));
            into.state.sets[first + i] = {&set, {here.begin(), here.end()}};
            left = left.subspan(here.size());
        }
    });
}

void pushConstants(VkCommandBuffer commandBuffer, VkPipelineLayout, VkShaderStageFlags, std::uint32_t offset,
                   std::uint32_t size, const void* values)
{
    size = std::min(size, pushBytes - std::min(offset, pushBytes));
    std::copy_n(static_cast<const std::uint8_t*>(values), size,
                objectOf<CommandBuffer>(commandBuffer).state.push.begin() + std::ptrdiff_t{offset});
}

void dispatchBase(VkCommandBuffer commandBuffer, std::uint32_t baseX, std::uint32_t baseY, std::uint32_t baseZ,
                  std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    change(commandBuffer, [&](CommandBuffer& into) {
        EmulatedDispatch groups;
        groups.base = {baseX, baseY, baseZ};
        groups.groups = {x, y, z};
        into.commands.emplace_back(
            [state = into.state, groups](Queue& queue) { return queue.dispatch(state, groups); });
    });
}

void dispatch(VkCommandBuffer commandBuffer, std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    dispatchBase(commandBuffer, 0, 0, 0, x, y, z);
}

void fillBuffer(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                std::uint32_t word)
{
    const auto& to = objectOf<Buffer>(buffer);
    const std::uint64_t bytes = size == VK_WHOLE_SIZE ? (to.bytes - offset) / 4 * 4 : size;
    add(commandBuffer, [&to, offset, bytes, word] { to.memory->contents.fill(to.at + offset, bytes, word); });
}

void updateBuffer(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                  const void* data)
{
    const auto& to = objectOf<Buffer>(buffer);
    const auto* const bytes = static_cast<const std::uint8_t*>(data);
    change(commandBuffer, [&](CommandBuffer&) {  // there may be no memory for the data
        add(commandBuffer, [&to, offset, data = std::vector<std::uint8_t>(bytes, bytes + size)] {
            to.memory->contents.update(to.at + offset, data);
        });
    });
}

void copyBuffer(VkCommandBuffer commandBuffer, VkBuffer fromBuffer, VkBuffer toBuffer, std::uint32_t count,
                const VkBufferCopy* regions)
{
    const auto& from = objectOf<Buffer>(fromBuffer);
    const auto& to = objectOf<Buffer>(toBuffer);
    for (const VkBufferCopy& one : std::span(regions, count))
        add(commandBuffer, [&from, &to, one] {
            to.memory->contents.copy(from.memory->contents, from.at + one.srcOffset, to.at + one.dstOffset, one.size);
        });
}

// One command is done before the next one begins.
void pipelineBarrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags, VkDependencyFlags, std::uint32_t,
                     const VkMemoryBarrier*, std::uint32_t, const VkBufferMemoryBarrier*, std::uint32_t,
                     const VkImageMemoryBarrier*)
{
}

}  // namespace

std::vector<EntryPoint> commandEntryPoints()
{
    return {
        entry<PFN_vkCreateCommandPool, createCommandPool>("vkCreateCommandPool"),
        entry<PFN_vkDestroyCommandPool, destroy<CommandPool, VkCommandPool>>("vkDestroyCommandPool"),
        entry<PFN_vkAllocateCommandBuffers, allocateBuffers>("vkAllocateCommandBuffers"),
        entry<PFN_vkFreeCommandBuffers, freeBuffers>("vkFreeCommandBuffers"),
        entry<PFN_vkBeginCommandBuffer, beginBuffer>("vkBeginCommandBuffer"),
        entry<PFN_vkEndCommandBuffer, endBuffer>("vkEndCommandBuffer"),
        entry<PFN_vkCmdBindPipeline, bindPipeline>("vkCmdBindPipeline"),
        entry<PFN_vkCmdBindDescriptorSets, bindSets>("vkCmdBindDescriptorSets"),
        entry<PFN_vkCmdPushConstants, pushConstants>("vkCmdPushConstants"),
        entry<PFN_vkCmdDispatch, dispatch>("vkCmdDispatch"),
        entry<PFN_vkCmdDispatchBase, dispatchBase>("vkCmdDispatchBase"),
        entry<PFN_vkCmdFillBuffer, fillBuffer>("vkCmdFillBuffer"),
        entry<PFN_vkCmdUpdateBuffer, updateBuffer>("vkCmdUpdateBuffer"),
        entry<PFN_vkCmdCopyBuffer, copyBuffer>("vkCmdCopyBuffer"),
        entry<PFN_vkCmdPipelineBarrier, pipelineBarrier>("vkCmdPipelineBarrier"),
    };
}

}  // namespace a2::emulated
