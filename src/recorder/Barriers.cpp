// Pipeline barriers and events, of both versions.
#include "recorder/EntryPoints.h"
#include "recorder/StageAccess.h"
#include "recording/MaskText.h"

#include <fmt/format.h>

#include <string>

namespace a2 {

namespace {

using Dependency = RecordedBarrier::Dependency;

std::string familyName(std::uint32_t family)
{
    return family == VK_QUEUE_FAMILY_IGNORED ? "VK_QUEUE_FAMILY_IGNORED" : std::to_string(family);
}

// Collects what a barrier names. A range outside a buffer is left out.
class BarrierMaker {
public:
    explicit BarrierMaker(Recorder& recorder) : recorder_(recorder) {}

    void first(VkPipelineStageFlags src, VkPipelineStageFlags dst, std::span<const VkMemoryBarrier> memory,
               std::span<const VkBufferMemoryBarrier> buffers, std::uint32_t images)
    {
        barrier_.dependencies.push_back({src, dst, 0, 0, {}, 0, 0});  // the bits mean the same in the second version
        for (const auto& one : memory) {
            mustBe(recorder_, one.sType, VK_STRUCTURE_TYPE_MEMORY_BARRIER, "VK_STRUCTURE_TYPE_MEMORY_BARRIER");
            add({src, dst, one.srcAccessMask, one.dstAccessMask, {}, 0, 0});
        }
        for (const auto& one : buffers) {
            mustBe(recorder_, one.sType, VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                   "VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER");
            add({src, dst, one.srcAccessMask, one.dstAccessMask, {}, 0, 0}, one);
        }
        noImages(images);
    }
    void second(const VkDependencyInfo& info)
    {
        const auto of = [](const auto& one) {
            return Dependency{one.srcStageMask, one.dstStageMask, one.srcAccessMask, one.dstAccessMask, {}, 0, 0};
        };
        mustBe(recorder_, info.sType, VK_STRUCTURE_TYPE_DEPENDENCY_INFO, "VK_STRUCTURE_TYPE_DEPENDENCY_INFO");
        for (const auto& one : std::span(info.pMemoryBarriers, info.memoryBarrierCount)) {
            mustBe(recorder_, one.sType, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, "VK_STRUCTURE_TYPE_MEMORY_BARRIER_2");
            add(of(one));
        }
        for (const auto& one : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)) {
            mustBe(recorder_, one.sType, VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                   "VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2");
            add(of(one), one);
        }
        noImages(info.imageMemoryBarrierCount);
    }
    RecordedBarrier take() { return std::move(barrier_); }

private:
    void judge(const char* mask, std::uint64_t accesses, const char* stageMask, std::uint64_t stages)
    {
        const vk::PipelineStageFlags2 named(stages);
        const vk::AccessFlags2 lost = accessesOfNoStage(named, vk::AccessFlags2(accesses));
        if (lost)
            recorder_.fault("call", fmt::format("{}: {} of a barrier has {}, which the stages of its {}, {}, do not "
                                                "make: name the stage that does, or the access that the stage makes",
                                                lastCall.load(), mask, maskText(lost), stageMask, maskText(named)));
    }
    void add(Dependency dependency)
    {
        judge("srcAccessMask", dependency.srcAccess, "srcStageMask", dependency.srcStages);
        judge("dstAccessMask", dependency.dstAccess, "dstStageMask", dependency.dstStages);
        barrier_.dependencies.push_back(dependency);
    }
    void add(Dependency dependency, const auto& about)
    {
        const BufferObject* buffer = recorder_.need(recorder_.buffers, numberOf(about.buffer));
        if (!buffer) return;
        // There is one queue family, so no other one could acquire the buffer. The rest of the barrier is judged as it
        // is.
        if (about.srcQueueFamilyIndex != about.dstQueueFamilyIndex)
            recorder_.fault("call",
                            fmt::format("{}: a barrier hands {} from queue family {} to {}, and a "
                                        "recording has one queue: give VK_QUEUE_FAMILY_IGNORED for both",
                                        lastCall.load(), describe(*buffer), familyName(about.srcQueueFamilyIndex),
                                        familyName(about.dstQueueFamilyIndex)));
        const Recorder::Bytes bytes = recorder_.meant(*buffer, about.offset, about.size);
        if (bytes.bytes == 0 && !bytes.clamped)
            recorder_.fault("call", fmt::format("{}: a barrier for 0 bytes of {}", lastCall.load(), describe(*buffer)));
        if (bytes.bytes == 0) return;
        dependency.buffer = buffer->index;
        dependency.offset = bytes.offset;
        dependency.bytes = bytes.bytes;
        add(dependency);
    }
    void noImages(std::uint32_t images)
    {
        if (images > 0)
            recorder_.fault("call", fmt::format("{}: a recording has buffers, no images; a memory or buffer barrier is "
                                                "what orders them",
                                                lastCall.load()));
    }

    Recorder& recorder_;
    RecordedBarrier barrier_;
};

void pipelineBarrier(Recorder& recorder, VkCommandBuffer commandBuffer, VkPipelineStageFlags src,
                     VkPipelineStageFlags dst, VkDependencyFlags, std::uint32_t memoryCount,
                     const VkMemoryBarrier* memory, std::uint32_t bufferCount, const VkBufferMemoryBarrier* buffers,
                     std::uint32_t imageCount, const VkImageMemoryBarrier*)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    BarrierMaker maker(recorder);
    maker.first(src, dst, {memory, memoryCount}, {buffers, bufferCount}, imageCount);
    recorder.note(*into, maker.take());
}

void pipelineBarrier2(Recorder& recorder, VkCommandBuffer commandBuffer, const VkDependencyInfo* info)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    BarrierMaker maker(recorder);
    maker.second(*info);
    recorder.note(*into, maker.take());
}

void noteEvent(Recorder& recorder, VkCommandBuffer commandBuffer, VkEvent event, std::optional<EventSignal> set)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (into && recorder.need(recorder.events, numberOf(event)))
        recorder.note(*into, NotedEvent{numberOf(event), std::move(set)});
}

void setEvent(Recorder& recorder, VkCommandBuffer commandBuffer, VkEvent event, VkPipelineStageFlags stages)
{
    noteEvent(recorder, commandBuffer, event, EventSignal{false, stages, {}});
}
void setEvent2(Recorder& recorder, VkCommandBuffer commandBuffer, VkEvent event, const VkDependencyInfo* info)
{
    BarrierMaker maker(recorder);
    maker.second(*info);
    noteEvent(recorder, commandBuffer, event, EventSignal{true, 0, maker.take().dependencies});
}
void resetEvent(Recorder& recorder, VkCommandBuffer commandBuffer, VkEvent event, VkPipelineStageFlags)
{
    noteEvent(recorder, commandBuffer, event, {});
}
void resetEvent2(Recorder& recorder, VkCommandBuffer commandBuffer, VkEvent event, VkPipelineStageFlags2)
{
    noteEvent(recorder, commandBuffer, event, {});
}

void noteWait(Recorder& recorder, CommandBufferObject& into, std::span<const VkEvent> events, RecordedBarrier barrier,
              bool second = false)
{
    NotedWait wait;
    for (const VkEvent one : events)
        if (recorder.need(recorder.events, numberOf(one))) wait.events.push_back(numberOf(one));
    wait.barrier = std::move(barrier);
    wait.barrier.waits = true;
    wait.second = second;
    recorder.note(into, std::move(wait));
}

void waitEvents(Recorder& recorder, VkCommandBuffer commandBuffer, std::uint32_t eventCount, const VkEvent* events,
                VkPipelineStageFlags src, VkPipelineStageFlags dst, std::uint32_t memoryCount,
                const VkMemoryBarrier* memory, std::uint32_t bufferCount, const VkBufferMemoryBarrier* buffers,
                std::uint32_t imageCount, const VkImageMemoryBarrier*)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    BarrierMaker maker(recorder);
    maker.first(src, dst, {memory, memoryCount}, {buffers, bufferCount}, imageCount);
    noteWait(recorder, *into, {events, eventCount}, maker.take());
}

void waitEvents2(Recorder& recorder, VkCommandBuffer commandBuffer, std::uint32_t eventCount, const VkEvent* events,
                 const VkDependencyInfo* infos)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    for (std::uint32_t i = 0; i < eventCount; ++i) {  // each orders the commands before its own event
        BarrierMaker maker(recorder);
        maker.second(infos[i]);
        noteWait(recorder, *into, {&events[i], 1}, maker.take(), true);
    }
}

}  // namespace

std::vector<EntryPoint> barrierEntryPoints()
{
    return {
        entry<"vkCmdPipelineBarrier", PFN_vkCmdPipelineBarrier, pipelineBarrier>(),
        entry<"vkCmdPipelineBarrier2", PFN_vkCmdPipelineBarrier2, pipelineBarrier2>(),
        entry<"vkCmdPipelineBarrier2KHR", PFN_vkCmdPipelineBarrier2, pipelineBarrier2>(),
        entry<"vkCmdSetEvent", PFN_vkCmdSetEvent, setEvent>(),
        entry<"vkCmdSetEvent2", PFN_vkCmdSetEvent2, setEvent2>(),
        entry<"vkCmdSetEvent2KHR", PFN_vkCmdSetEvent2, setEvent2>(),
        entry<"vkCmdResetEvent", PFN_vkCmdResetEvent, resetEvent>(),
        entry<"vkCmdResetEvent2", PFN_vkCmdResetEvent2, resetEvent2>(),
        entry<"vkCmdResetEvent2KHR", PFN_vkCmdResetEvent2, resetEvent2>(),
        entry<"vkCmdWaitEvents", PFN_vkCmdWaitEvents, waitEvents>(),
        entry<"vkCmdWaitEvents2", PFN_vkCmdWaitEvents2, waitEvents2>(),
        entry<"vkCmdWaitEvents2KHR", PFN_vkCmdWaitEvents2, waitEvents2>(),
    };
}

}  // namespace a2
