// Commands that bind, dispatch, fill, update, copy and name.
#include "recorder/EntryPoints.h"
#include "recording/MaskText.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::uint32_t dynamicOffsetsOf(const Recorder& recorder, const SetLayoutObject& layout)
{
    std::uint32_t count = 0;
    for (const auto& one : recorder.recording.setLayouts[layout.index].bindings)
        if (one.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
            one.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
            count += one.count;
    return count;
}

void bindPipeline(Recorder& recorder, VkCommandBuffer commandBuffer, VkPipelineBindPoint point, VkPipeline pipeline)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
        return recorder.fault("call", "vkCmdBindPipeline: a recording has compute work alone; bind at eCompute");
    if (recorder.pipelines.find(numberOf(pipeline)))
        into->state.pipeline = numberOf(pipeline);
    else
        recorder.noSuchObject(PipelineObject::kind);
}

void bindSets(Recorder& recorder, VkCommandBuffer commandBuffer, VkPipelineBindPoint point, VkPipelineLayout handle,
              std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets, std::uint32_t offsetCount,
              const std::uint32_t* offsets)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const LayoutObject* layout = recorder.need(recorder.layouts, numberOf(handle));
    if (!into || !layout) return;
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
        return recorder.fault("call", "vkCmdBindDescriptorSets: a recording has compute work alone; bind at eCompute");
    std::span<const std::uint32_t> offsetsLeft(offsets, offsetCount);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t number = first + i;
        const SetObject* set = recorder.sets.find(numberOf(sets[i]));
        if (!set) {
            recorder.noSuchObject(SetObject::kind);
            continue;
        }
        const std::uint32_t wanted = dynamicOffsetsOf(recorder, set->layout);
        const std::size_t here = std::min<std::size_t>(wanted, offsetsLeft.size());
        if (number >= layout->sets.size() || layout->sets[number].index != set->layout.index) {
            recorder.fault("call", fmt::format("vkCmdBindDescriptorSets: {} does not fit set {} of {}: its layout is "
                                               "another one",
                                               describe(*set), number, describe(*layout)));
        } else {
            BoundSet bound;
            bound.set = numberOf(sets[i]);
            bound.setLayout = set->layout.index;
            bound.layout = layout->index;
            bound.dynamicOffsets.assign(offsetsLeft.begin(), offsetsLeft.begin() + static_cast<std::ptrdiff_t>(here));
            bound.dynamicOffsets.resize(wanted);
            recorder.bindAt(*into, *layout, number) = std::move(bound);
            into->boundSets.insert(numberOf(sets[i]));
        }
        if (here < wanted)
            recorder.fault("call", fmt::format("vkCmdBindDescriptorSets: {} has {} dynamic offsets, and {} are given",
                                               describe(*set), wanted, here));
        offsetsLeft = offsetsLeft.subspan(here);
    }
    if (!offsetsLeft.empty())
        recorder.fault("call",
                       fmt::format("vkCmdBindDescriptorSets: {} dynamic offsets more than there are dynamic buffers",
                                   offsetsLeft.size()));
}

bool areWords(Recorder& recorder, std::uint64_t offset, std::uint64_t bytes)
{
    if (offset % 4 == 0 && bytes % 4 == 0 && bytes > 0) return true;
    // A size of 0 is what host code computes where nothing is to be done.
    recorder.fault("call", bytes == 0
                               ? fmt::format("{}: 0 bytes from byte {} on are meant, and Vulkan wants at least one "
                                             "word of 4: leave the call out where there is nothing to do",
                                             lastCall.load(), offset)
                               : fmt::format("{}: {} bytes from byte {} on are no whole words of 4 bytes",
                                             lastCall.load(), bytes, offset));
    return false;
}

// All that was meant lies behind the buffer's end, which is reported already.
bool isBehind(const Recorder::Bytes& meant) { return meant.clamped && meant.bytes == 0; }

// A push must name exactly the stages that the layout's ranges for these bytes name (Vulkan specification,
// VUID-vkCmdPushConstants-offset-01795 and -01796). Bytes outside all ranges are checked with the pipeline.
void checkStages(Recorder& recorder, const LayoutObject& layout, VkShaderStageFlags stages, std::uint32_t offset,
                 std::uint32_t bytes)
{
    VkShaderStageFlags there = 0;
    for (const VkPushConstantRange& one : layout.ranges)
        if (one.offset < std::uint64_t{offset} + bytes && offset < std::uint64_t{one.offset} + one.size)
            there |= one.stageFlags;
    if (there == 0 || there == stages) return;
    const auto text = [](VkShaderStageFlags mask) {
        return mask == VK_SHADER_STAGE_ALL ? "All" : maskText(vk::ShaderStageFlags(mask));
    };
    recorder.fault("call",
                   fmt::format("vkCmdPushConstants: the stages of what is pushed are {}, and {} has these bytes "
                               "for {}: name the same stages in both",
                               text(stages), describe(layout), text(there)));
}

void pushConstants(Recorder& recorder, VkCommandBuffer commandBuffer, VkPipelineLayout handle,
                   VkShaderStageFlags stages, std::uint32_t offset, std::uint32_t bytes, const void* values)
{
    constexpr std::uint64_t most = 64 << 10;  // more than any device has
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const LayoutObject* layout = recorder.need(recorder.layouts, numberOf(handle));
    if (!into || !layout) return;
    if (std::uint64_t{offset} + bytes > most)
        return recorder.fault("push-constant-size",
                              fmt::format("bytes {} to {} of push constants are more than any device has", offset,
                                          std::uint64_t{offset} + bytes),
                              into->dispatches);
    if (!(stages & VK_SHADER_STAGE_COMPUTE_BIT))
        recorder.fault("call", "vkCmdPushConstants: what is pushed is not for the compute stage: set eCompute");
    else
        checkStages(recorder, *layout, stages, offset, bytes);
    if (!areWords(recorder, offset, bytes)) return;
    for (std::uint32_t i = 0; i < bytes; ++i)
        into->state.push[offset + i] = {static_cast<const std::uint8_t*>(values)[i], layout->index};
}

using PushRanges = std::vector<RecordedLayout::PushRange>;

std::string rangesText(const PushRanges& ranges)
{
    std::string text;
    for (const auto& one : ranges)
        text += fmt::format("{}bytes {} to {}", text.empty() ? "" : ", ", one.offset, one.offset + one.bytes);
    return text.empty() ? "none" : text;
}

// Notes which pushed bytes a pipeline sees. A byte that was pushed through a layout with other ranges is undefined to
// it (Vulkan specification, VUID-vkCmdDispatch-maintenance4-08602), and does not matter if its own ranges do not
// contain it.
void notePush(Recorder& recorder, const CommandBufferObject& into, const RecordedLayout& layout, NotedDispatch& noted)
{
    bool told = false;
    for (const auto& [offset, byte] : into.state.push) {
        const PushRanges& through = recorder.recording.layouts[byte.layout].push;
        if (through != layout.push) {
            const std::uint32_t at = offset;
            if (std::none_of(layout.push.begin(), layout.push.end(),
                             [&](const auto& one) { return at >= one.offset && at - one.offset < one.bytes; }))
                continue;
            if (!std::exchange(told, true))
                recorder.fault("call",
                               fmt::format("{}: push constants were pushed through a layout that has {}, and the "
                                           "pipeline's layout has {}: push through the layout of the pipeline that is "
                                           "dispatched{}",
                                           lastCall.load(), rangesText(through), rangesText(layout.push),
                                           recorder.hintOfPipeline(
                                               [&](const RecordedLayout& other) { return other.push == through; })),
                               into.dispatches);
        }
        auto& runs = noted.what.push;
        if (runs.empty() || runs.back().offset + runs.back().bytes.size() != offset) runs.push_back({offset, {}});
        runs.back().bytes.push_back(byte.value);
    }
}

// A dispatch with the current state.
NotedDispatch dispatchNow(Recorder& recorder, CommandBufferObject& into)
{
    CommandState& state = into.state;
    NotedDispatch noted;
    noted.sets = state.sets;
    noted.pipeline = state.pipeline;
    if (state.pipeline != 0) noted.what.pipeline = recorder.pipelines.find(state.pipeline)->index;
    noted.what.label = std::exchange(state.label, {});
    if (noted.what.label.empty() && !state.regions.empty()) noted.what.label = state.regions.back();
    if (noted.what.pipeline)
        noted.what.layout = recorder.recording.pipelines[*noted.what.pipeline].layout;
    else
        noted.what.layout = state.layout ? *state.layout : recorder.intern(RecordedLayout{});
    notePush(recorder, into, recorder.recording.layouts[noted.what.layout], noted);
    return noted;
}

void dispatchBase(Recorder& recorder, VkCommandBuffer commandBuffer, std::uint32_t baseX, std::uint32_t baseY,
                  std::uint32_t baseZ, std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    NotedDispatch noted = dispatchNow(recorder, *into);
    noted.what.base = {baseX, baseY, baseZ};
    noted.what.groups = {x, y, z};
    const PipelineObject* pipeline = recorder.pipelines.find(noted.pipeline);
    if (pipeline && !pipeline->dispatchBase && (baseX || baseY || baseZ))
        recorder.fault("call",
                       fmt::format("vkCmdDispatchBase: {} was made without eDispatchBase", describe(*pipeline)));
    recorder.note(*into, std::move(noted));
}

void dispatch(Recorder& recorder, VkCommandBuffer commandBuffer, std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    dispatchBase(recorder, commandBuffer, 0, 0, 0, x, y, z);
}

void dispatchIndirect(Recorder& recorder, VkCommandBuffer commandBuffer, VkBuffer handle, VkDeviceSize offset)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const BufferObject* buffer = recorder.need(recorder.buffers, numberOf(handle));
    if (!into || !buffer) return;
    constexpr std::uint64_t bytes = sizeof(VkDispatchIndirectCommand);
    if (!(buffer->usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
        recorder.fault("call", fmt::format("vkCmdDispatchIndirect: {} was made without eIndirectBuffer in its usage",
                                           describe(*buffer)));
    NotedDispatch noted = dispatchNow(recorder, *into);
    if (!areWords(recorder, offset, bytes) || recorder.meant(*buffer, offset, bytes).clamped) return;
    noted.what.indirect = {buffer->index, offset};
    recorder.note(*into, std::move(noted));
}

void fill(Recorder& recorder, VkCommandBuffer commandBuffer, VkBuffer handle, VkDeviceSize offset, VkDeviceSize bytes,
          std::uint32_t value)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const BufferObject* buffer = recorder.need(recorder.buffers, numberOf(handle));
    if (!into || !buffer) return;
    Recorder::Bytes to = recorder.meant(*buffer, offset, bytes);
    if (bytes == VK_WHOLE_SIZE) to.bytes -= to.bytes % 4;
    if (isBehind(to) || !areWords(recorder, offset, to.bytes)) return;
    RecordedTransfer transfer;
    transfer.kind = RecordedTransfer::Kind::fill;
    transfer.to = buffer->index;
    transfer.toOffset = to.offset;
    transfer.bytes = to.bytes;
    transfer.fill = value;
    recorder.note(*into, std::move(transfer));
}

void update(Recorder& recorder, VkCommandBuffer commandBuffer, VkBuffer handle, VkDeviceSize offset, VkDeviceSize bytes,
            const void* data)
{
    constexpr std::uint64_t most = 65536;
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const BufferObject* buffer = recorder.need(recorder.buffers, numberOf(handle));
    if (!into || !buffer) return;
    if (bytes > most)
        return recorder.fault(
            "call", fmt::format("vkCmdUpdateBuffer: {} bytes are more than the {} that it takes", bytes, most));
    const Recorder::Bytes to = recorder.meant(*buffer, offset, bytes);
    if (isBehind(to) || !areWords(recorder, offset, to.bytes)) return;
    const auto* first = static_cast<const std::uint8_t*>(data);
    RecordedTransfer transfer;
    transfer.kind = RecordedTransfer::Kind::update;
    transfer.to = buffer->index;
    transfer.toOffset = to.offset;
    transfer.bytes = to.bytes;
    transfer.data.assign(first, first + to.bytes);
    recorder.note(*into, std::move(transfer));
}

void copyOne(Recorder& recorder, CommandBufferObject& into, const BufferObject& from, const BufferObject& to,
             std::uint64_t fromOffset, std::uint64_t toOffset, std::uint64_t bytes)
{
    const Recorder::Bytes read = recorder.meant(from, fromOffset, bytes), written = recorder.meant(to, toOffset, bytes);
    RecordedTransfer transfer;
    transfer.kind = RecordedTransfer::Kind::copy;
    transfer.from = from.index;
    transfer.to = to.index;
    transfer.fromOffset = read.offset;
    transfer.toOffset = written.offset;
    transfer.bytes = std::min(read.bytes, written.bytes);
    if (bytes == 0) recorder.fault("call", fmt::format("{}: a copy of 0 bytes", lastCall.load()));
    if (from.index == to.index && fromOffset < toOffset + transfer.bytes && toOffset < fromOffset + transfer.bytes)
        recorder.fault("call", fmt::format("{}: what is copied within {} overlaps", lastCall.load(), describe(from)));
    else if (transfer.bytes > 0)
        recorder.note(into, std::move(transfer));
}

template <class Region>
void copyAll(Recorder& recorder, VkCommandBuffer commandBuffer, VkBuffer from, VkBuffer to,
             std::span<const Region> regions)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const BufferObject* source = recorder.need(recorder.buffers, numberOf(from));
    const BufferObject* target = recorder.need(recorder.buffers, numberOf(to));
    if (!into || !source || !target) return;
    if (regions.empty()) recorder.fault("call", fmt::format("{}: a copy of no region", lastCall.load()));
    for (const Region& one : regions)
        copyOne(recorder, *into, *source, *target, one.srcOffset, one.dstOffset, one.size);
}

void copy(Recorder& recorder, VkCommandBuffer commandBuffer, VkBuffer from, VkBuffer to, std::uint32_t count,
          const VkBufferCopy* regions)
{
    copyAll<VkBufferCopy>(recorder, commandBuffer, from, to, {regions, count});
}

void copy2(Recorder& recorder, VkCommandBuffer commandBuffer, const VkCopyBufferInfo2* info)
{
    copyAll<VkBufferCopy2>(recorder, commandBuffer, info->srcBuffer, info->dstBuffer,
                           {info->pRegions, info->regionCount});
}

std::string textOf(const VkDebugUtilsLabelEXT* label) { return label->pLabelName ? label->pLabelName : ""; }

void insertLabel(Recorder& recorder, VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT* label)
{
    if (CommandBufferObject* into = recorder.recordingInto(commandBuffer)) into->state.label = textOf(label);
}

void beginLabel(Recorder& recorder, VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT* label)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (into && recorder.mayNote(textOf(label).size() + 1)) into->state.regions.push_back(textOf(label));
}

void endLabel(Recorder& recorder, VkCommandBuffer commandBuffer)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    if (into->state.regions.empty())
        return recorder.fault("call",
                              "vkCmdEndDebugUtilsLabelEXT: no label was begun that it could end: begin one "
                              "before, or leave it out");
    into->state.regions.pop_back();
}

// Queries do nothing: the harness measures the times.
void resetQueries(Recorder&, VkCommandBuffer, VkQueryPool, std::uint32_t, std::uint32_t) {}
void writeTimestamp(Recorder&, VkCommandBuffer, VkPipelineStageFlagBits, VkQueryPool, std::uint32_t) {}
void writeTimestamp2(Recorder&, VkCommandBuffer, VkPipelineStageFlags2, VkQueryPool, std::uint32_t) {}
void beginQuery(Recorder&, VkCommandBuffer, VkQueryPool, std::uint32_t, VkQueryControlFlags) {}
void endQuery(Recorder&, VkCommandBuffer, VkQueryPool, std::uint32_t) {}

// Whether set `number`, bound with one layout, stays bound under another: the same set layouts up to it, and the same
// push constants.
bool compatible(const RecordedLayout& a, const RecordedLayout& b, std::uint32_t number)
{
    return a.push == b.push && a.setLayouts.size() > number && b.setLayouts.size() > number &&
           std::equal(a.setLayouts.begin(), a.setLayouts.begin() + number + 1, b.setLayouts.begin());
}

}  // namespace

BoundSet& Recorder::bindAt(CommandBufferObject& into, const LayoutObject& layout, std::uint32_t number)
{
    into.state.layout = layout.index;
    std::erase_if(into.state.sets, [&](const auto& one) {
        return one.first != number &&
               !compatible(recording.layouts[layout.index], recording.layouts[one.second.layout], one.first);
    });
    return into.state.sets[number];
}

std::vector<EntryPoint> commandEntryPoints()
{
    return {
        entry<"vkCmdBindPipeline", PFN_vkCmdBindPipeline, bindPipeline>(),
        entry<"vkCmdBindDescriptorSets", PFN_vkCmdBindDescriptorSets, bindSets>(),
        entry<"vkCmdPushConstants", PFN_vkCmdPushConstants, pushConstants>(),
        entry<"vkCmdDispatch", PFN_vkCmdDispatch, dispatch>(),
        entry<"vkCmdDispatchBase", PFN_vkCmdDispatchBase, dispatchBase>(),
        entry<"vkCmdDispatchBaseKHR", PFN_vkCmdDispatchBase, dispatchBase>(),
        entry<"vkCmdDispatchIndirect", PFN_vkCmdDispatchIndirect, dispatchIndirect>(),
        entry<"vkCmdFillBuffer", PFN_vkCmdFillBuffer, fill>(),
        entry<"vkCmdUpdateBuffer", PFN_vkCmdUpdateBuffer, update>(),
        entry<"vkCmdCopyBuffer", PFN_vkCmdCopyBuffer, copy>(),
        entry<"vkCmdCopyBuffer2", PFN_vkCmdCopyBuffer2, copy2>(),
        entry<"vkCmdCopyBuffer2KHR", PFN_vkCmdCopyBuffer2, copy2>(),
        entry<"vkCmdInsertDebugUtilsLabelEXT", PFN_vkCmdInsertDebugUtilsLabelEXT, insertLabel>(),
        entry<"vkCmdBeginDebugUtilsLabelEXT", PFN_vkCmdBeginDebugUtilsLabelEXT, beginLabel>(),
        entry<"vkCmdEndDebugUtilsLabelEXT", PFN_vkCmdEndDebugUtilsLabelEXT, endLabel>(),
        entry<"vkCmdResetQueryPool", PFN_vkCmdResetQueryPool, resetQueries>(),
        entry<"vkCmdWriteTimestamp", PFN_vkCmdWriteTimestamp, writeTimestamp>(),
        entry<"vkCmdWriteTimestamp2", PFN_vkCmdWriteTimestamp2, writeTimestamp2>(),
        entry<"vkCmdWriteTimestamp2KHR", PFN_vkCmdWriteTimestamp2, writeTimestamp2>(),
        entry<"vkCmdBeginQuery", PFN_vkCmdBeginQuery, beginQuery>(),
        entry<"vkCmdEndQuery", PFN_vkCmdEndQuery, endQuery>(),
    };
}

}  // namespace a2
