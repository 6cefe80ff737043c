#include "recording/OneDispatch.h"

#include <vulkan/vulkan_core.h>

#include <cstring>

namespace a2 {

Recording recordingOf(const OneDispatch& one)
{
    Recording all;
    all.count = one.elements.front();
    all.shape = one.shape;
    RecordedSetLayout& layout = all.setLayouts.emplace_back();
    RecordedSet& set = all.sets.emplace_back();
    for (Index i = 0; i < one.elements.size(); ++i) {
        const std::uint64_t bytes = one.elements[i] * sizeof(std::uint32_t);
        const auto role = i == 0 ? RecordedBuffer::Role::input : RecordedBuffer::Role::made;
        all.buffers.push_back({"buffer", bytes, role, RecordedBuffer::Lifetime::run});
        layout.bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
        set.ranges.push_back({i, 0, i, 0, bytes});
    }
    RecordedDispatch::Push push;
    push.bytes.resize(one.push.size() * sizeof(std::uint32_t));
    std::memcpy(push.bytes.data(), one.push.data(), push.bytes.size());
    all.layouts = {{{0}, {{0, static_cast<std::uint32_t>(push.bytes.size())}}}};
    RecordedPipeline& pipeline = all.pipelines.emplace_back();
    pipeline.shader = one.shader;
    pipeline.shape = one.shape;
    RecordedDispatch dispatch;
    dispatch.label = one.label;
    dispatch.pipeline = 0;
    dispatch.sets = {{0, 0, {}}};
    dispatch.push = {std::move(push)};
    dispatch.groups = one.groups;
    RecordedRun& run = all.runs.emplace_back();
    run.commands = {std::move(dispatch)};
    run.result = static_cast<Index>(one.elements.size() - 1);
    return all;
}

}  // namespace a2
