#include "observe/Observing.h"

#include "a2/Error.h"

#include <algorithm>

namespace a2 {

namespace {

using Table = std::remove_cvref_t<decltype(VULKAN_HPP_DEFAULT_DISPATCHER)>;

CommandLog* current = nullptr;
Table driver;  // the table as it was

template <class Info>
std::span<const Info> infos(std::uint32_t count, const typename Info::NativeType* first)
{
    return {reinterpret_cast<const Info*>(first), count};  // the C++ structs are the C structs, by design
}

template <class Stages, class Access>
Dependency dependency(Stages srcStages, Stages dstStages, Access srcAccess, Access dstAccess)
{
    // The bits of the first version mean the same in the second.
    return {vk::PipelineStageFlags2(srcStages), vk::PipelineStageFlags2(dstStages), vk::AccessFlags2(srcAccess),
            vk::AccessFlags2(dstAccess)};
}

VKAPI_ATTR void VKAPI_CALL onUpdateDescriptorSets(VkDevice device, std::uint32_t writeCount,
                                                  const VkWriteDescriptorSet* writes, std::uint32_t copyCount,
                                                  const VkCopyDescriptorSet* copies)
{
    if (current->updateSets(infos<vk::WriteDescriptorSet>(writeCount, writes),
                            infos<vk::CopyDescriptorSet>(copyCount, copies)))
        driver.vkUpdateDescriptorSets(device, writeCount, writes, copyCount, copies);
}

VKAPI_ATTR void VKAPI_CALL onBindPipeline(VkCommandBuffer cb, VkPipelineBindPoint point, VkPipeline pipeline)
{
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE) current->bindPipeline(pipeline);
    driver.vkCmdBindPipeline(cb, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL onBindDescriptorSets(VkCommandBuffer cb, VkPipelineBindPoint point, VkPipelineLayout layout,
                                                std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                                                std::uint32_t offsetCount, const std::uint32_t* offsets)
{
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        current->bindSets(layout, first, {reinterpret_cast<const vk::DescriptorSet*>(sets), count});
    driver.vkCmdBindDescriptorSets(cb, point, layout, first, count, sets, offsetCount, offsets);
}

VKAPI_ATTR void VKAPI_CALL onPushConstants(VkCommandBuffer cb, VkPipelineLayout layout, VkShaderStageFlags stages,
                                           std::uint32_t offset, std::uint32_t size, const void* values)
{
    if (current->push(layout, vk::ShaderStageFlags(stages), offset, {static_cast<const std::uint8_t*>(values), size}))
        driver.vkCmdPushConstants(cb, layout, stages, offset, size, values);
}

VKAPI_ATTR void VKAPI_CALL onInsertLabel(VkCommandBuffer cb, const VkDebugUtilsLabelEXT* label)
{
    current->label(label->pLabelName);
    if (driver.vkCmdInsertDebugUtilsLabelEXT) driver.vkCmdInsertDebugUtilsLabelEXT(cb, label);
}

VKAPI_ATTR void VKAPI_CALL onDispatch(VkCommandBuffer cb, std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    if (current->dispatch({x, y, z})) driver.vkCmdDispatch(cb, x, y, z);
}

void noteBarrier(VkPipelineStageFlags src, VkPipelineStageFlags dst, std::span<const VkMemoryBarrier> memory,
                 std::span<const VkBufferMemoryBarrier> buffers, std::size_t covered = SIZE_MAX)
{
    BarrierCommand barrier;
    barrier.covered = covered;
    barrier.dependencies.push_back(dependency<VkPipelineStageFlags, VkAccessFlags>(src, dst, 0, 0));
    for (const auto& one : memory)
        barrier.dependencies.push_back(dependency(src, dst, one.srcAccessMask, one.dstAccessMask));
    for (const auto& one : buffers) {
        barrier.dependencies.push_back(dependency(src, dst, one.srcAccessMask, one.dstAccessMask));
        barrier.dependencies.back().buffer = one.buffer;
        barrier.dependencies.back().offset = one.offset;
        barrier.dependencies.back().size = one.size;
    }
    current->barrier(std::move(barrier));
}

VKAPI_ATTR void VKAPI_CALL onPipelineBarrier(VkCommandBuffer cb, VkPipelineStageFlags src, VkPipelineStageFlags dst,
                                             VkDependencyFlags flags, std::uint32_t memoryCount,
                                             const VkMemoryBarrier* memory, std::uint32_t bufferCount,
                                             const VkBufferMemoryBarrier* buffers, std::uint32_t imageCount,
                                             const VkImageMemoryBarrier* images)
{
    noteBarrier(src, dst, {memory, memoryCount}, {buffers, bufferCount});
    driver.vkCmdPipelineBarrier(cb, src, dst, flags, memoryCount, memory, bufferCount, buffers, imageCount, images);
}

VKAPI_ATTR void VKAPI_CALL onSetEvent(VkCommandBuffer cb, VkEvent event, VkPipelineStageFlags stages)
{
    current->setEvent(event);
    driver.vkCmdSetEvent(cb, event, stages);
}

VKAPI_ATTR void VKAPI_CALL onWaitEvents(VkCommandBuffer cb, std::uint32_t eventCount, const VkEvent* events,
                                        VkPipelineStageFlags src, VkPipelineStageFlags dst, std::uint32_t memoryCount,
                                        const VkMemoryBarrier* memory, std::uint32_t bufferCount,
                                        const VkBufferMemoryBarrier* buffers, std::uint32_t imageCount,
                                        const VkImageMemoryBarrier* images)
{
    std::size_t covered = SIZE_MAX;
    for (const VkEvent event : std::span(events, eventCount))
        covered = std::min(covered, current->commandsBefore(event));
    noteBarrier(src, dst, {memory, memoryCount}, {buffers, bufferCount}, covered);
    driver.vkCmdWaitEvents(cb, eventCount, events, src, dst, memoryCount, memory, bufferCount, buffers, imageCount,
                           images);
}

void noteBarrier2(const VkDependencyInfo& info)
{
    BarrierCommand barrier;
    const auto add = [&](const auto& one) {
        barrier.dependencies.push_back(
            dependency(one.srcStageMask, one.dstStageMask, one.srcAccessMask, one.dstAccessMask));
    };
    for (const auto& one : std::span(info.pMemoryBarriers, info.memoryBarrierCount)) add(one);
    for (const auto& one : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)) {
        add(one);
        barrier.dependencies.back().buffer = one.buffer;
        barrier.dependencies.back().offset = one.offset;
        barrier.dependencies.back().size = one.size;
    }
    current->barrier(std::move(barrier));
}

VKAPI_ATTR void VKAPI_CALL onPipelineBarrier2(VkCommandBuffer cb, const VkDependencyInfo* info)
{
    noteBarrier2(*info);
    driver.vkCmdPipelineBarrier2(cb, info);
}

VKAPI_ATTR void VKAPI_CALL onPipelineBarrier2Khr(VkCommandBuffer cb, const VkDependencyInfo* info)
{
    noteBarrier2(*info);
    driver.vkCmdPipelineBarrier2KHR(cb, info);
}

VKAPI_ATTR void VKAPI_CALL onFillBuffer(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                        std::uint32_t value)
{
    TransferCommand transfer;
    transfer.call = "vkCmdFillBuffer";
    transfer.to = buffer;
    transfer.region = vk::BufferCopy(0, offset, size);
    transfer.fill = value;
    current->transfer(std::move(transfer));
    driver.vkCmdFillBuffer(cb, buffer, offset, size, value);
}

VKAPI_ATTR void VKAPI_CALL onUpdateBuffer(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                          const void* data)
{
    const auto* first = static_cast<const std::uint8_t*>(data);
    TransferCommand transfer;
    transfer.call = "vkCmdUpdateBuffer";
    transfer.to = buffer;
    transfer.region = vk::BufferCopy(0, offset, size);
    transfer.data.assign(first, first + size);
    current->transfer(std::move(transfer));
    driver.vkCmdUpdateBuffer(cb, buffer, offset, size, data);
}

VKAPI_ATTR void VKAPI_CALL onCopyBuffer(VkCommandBuffer cb, VkBuffer from, VkBuffer to, std::uint32_t count,
                                        const VkBufferCopy* regions)
{
    for (const VkBufferCopy& region : std::span(regions, count)) {
        TransferCommand transfer;
        transfer.call = "vkCmdCopyBuffer";
        transfer.from = from;
        transfer.to = to;
        transfer.region = region;
        current->transfer(std::move(transfer));
    }
    driver.vkCmdCopyBuffer(cb, from, to, count, regions);
}

// Puts the entries that are observed in place, and no other: what else was changed meanwhile stays.
void install(const Table& from)
{
    Table& table = VULKAN_HPP_DEFAULT_DISPATCHER;
    table.vkUpdateDescriptorSets = from.vkUpdateDescriptorSets;
    table.vkCmdBindPipeline = from.vkCmdBindPipeline;
    table.vkCmdBindDescriptorSets = from.vkCmdBindDescriptorSets;
    table.vkCmdPushConstants = from.vkCmdPushConstants;
    table.vkCmdInsertDebugUtilsLabelEXT = from.vkCmdInsertDebugUtilsLabelEXT;
    table.vkCmdDispatch = from.vkCmdDispatch;
    table.vkCmdPipelineBarrier = from.vkCmdPipelineBarrier;
    table.vkCmdSetEvent = from.vkCmdSetEvent;
    table.vkCmdWaitEvents = from.vkCmdWaitEvents;
    table.vkCmdPipelineBarrier2 = from.vkCmdPipelineBarrier2;
    table.vkCmdPipelineBarrier2KHR = from.vkCmdPipelineBarrier2KHR;
    table.vkCmdFillBuffer = from.vkCmdFillBuffer;
    table.vkCmdUpdateBuffer = from.vkCmdUpdateBuffer;
    table.vkCmdCopyBuffer = from.vkCmdCopyBuffer;
}

}  // namespace

Observing::Observing(CommandLog& into)
{
    if (current) throw Error(ExitStatus::internal, "two command logs at once");
    current = &into;
    driver = VULKAN_HPP_DEFAULT_DISPATCHER;
    Table hooks;
    hooks.vkUpdateDescriptorSets = onUpdateDescriptorSets;
    hooks.vkCmdBindPipeline = onBindPipeline;
    hooks.vkCmdBindDescriptorSets = onBindDescriptorSets;
    hooks.vkCmdPushConstants = onPushConstants;
    hooks.vkCmdInsertDebugUtilsLabelEXT = onInsertLabel;  // also where the driver has none: the log wants the labels
    hooks.vkCmdDispatch = onDispatch;
    hooks.vkCmdPipelineBarrier = onPipelineBarrier;
    hooks.vkCmdSetEvent = onSetEvent;
    hooks.vkCmdWaitEvents = onWaitEvents;
    if (driver.vkCmdPipelineBarrier2) hooks.vkCmdPipelineBarrier2 = onPipelineBarrier2;
    if (driver.vkCmdPipelineBarrier2KHR) hooks.vkCmdPipelineBarrier2KHR = onPipelineBarrier2Khr;
    hooks.vkCmdFillBuffer = onFillBuffer;
    hooks.vkCmdUpdateBuffer = onUpdateBuffer;
    hooks.vkCmdCopyBuffer = onCopyBuffer;
    install(hooks);
}

Observing::~Observing()
{
    install(driver);
    current = nullptr;
}

}  // namespace a2
