#include "gpu/Replay.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/Staging.h"
#include "recording/Bindings.h"
#include "recording/UsedBuffers.h"
#include "spirv/IndirectGroups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace a2 {

namespace {

// Barriers are recorded by the first version of the call, which every device has. Bits that both versions have mean the
// same; bits of the second version alone are finer distinctions of these.
vk::PipelineStageFlags plainStages(std::uint64_t stages, vk::PipelineStageFlagBits none)
{
    using Stage = vk::PipelineStageFlagBits2;
    constexpr auto transfers = Stage::eCopy | Stage::eResolve | Stage::eBlit | Stage::eClear;
    const vk::PipelineStageFlags2 all(stages);
    vk::PipelineStageFlags plain(static_cast<VkPipelineStageFlags>(stages & UINT32_MAX));
    if (all & transfers) plain |= vk::PipelineStageFlagBits::eTransfer;
    return plain ? plain : none;  // the first version cannot express "no stage"
}

vk::AccessFlags plainAccess(std::uint64_t access)
{
    using Access = vk::AccessFlagBits2;
    const vk::AccessFlags2 all(access);
    vk::AccessFlags plain(static_cast<VkAccessFlags>(access & UINT32_MAX));
    if (all & (vk::AccessFlags2(Access::eShaderStorageRead) | Access::eShaderSampledRead))
        plain |= vk::AccessFlagBits::eShaderRead;
    if (all & Access::eShaderStorageWrite) plain |= vk::AccessFlagBits::eShaderWrite;
    return plain;
}

}  // namespace

Replay::Replay(Device& gpu, const Recording& recording, const DeviceBuffer& input, const DeviceBuffer* blockOffsets)
    : gpu_(gpu), recording_(recording)
{
    makePipelines();  // first: errors in kernels are found without taking memory
    makeBuffers(input, blockOffsets);
    makeSets();
    findGroups();
    upload();
}

void Replay::findGroups()
{
    const FactsOfPipelines facts = this->facts();
    for (const RecordedRun& run : recording_.runs)
        for (std::size_t i = 0; i < run.commands.size(); ++i) {
            const auto* dispatch = std::get_if<RecordedDispatch>(&run.commands[i]);
            if (!dispatch || !dispatch->indirect) continue;
            if (const auto groups = indirectGroups(recording_, facts, run, i)) indirect_[dispatch] = *groups;
        }
}

std::optional<std::array<std::uint32_t, 3>> Replay::groupsOf(const RecordedDispatch& dispatch) const
{
    if (!dispatch.indirect) return dispatch.groups;
    const auto found = indirect_.find(&dispatch);
    return found == indirect_.end() ? std::nullopt : std::optional(found->second);
}

FactsOfPipelines Replay::facts() const
{
    FactsOfPipelines all;
    for (const PipelineObjects* one : pipelines_) all.push_back(&*one->facts);
    return all;
}

const DeviceBuffer& Replay::buffer(Index index) const
{
    if (const DeviceBuffer* used = usedBuffer(index)) return *used;
    throw std::logic_error(fmt::format("buffer '{}' of the recording is not used, and is not on the device",
                                       recording_.buffers[index].name));
}

// A buffer that was made and freed without being used takes no memory.
void Replay::makeBuffers(const DeviceBuffer& input, const DeviceBuffer* blockOffsets)
{
    using Role = RecordedBuffer::Role;
    const std::vector<bool> used = usedBuffers(recording_);
    for (std::size_t i = 0; i < recording_.buffers.size(); ++i) {
        const RecordedBuffer& one = recording_.buffers[i];
        const DeviceBuffer* given = one.role == Role::input          ? &input
                                    : one.role == Role::blockOffsets ? blockOffsets
                                                                     : nullptr;
        if (one.role != Role::made && (!given || given->bytes() != one.bytes))
            throw KernelError(fmt::format("the recording has {} bytes of {}, and this task is given {}", one.bytes,
                                          one.name, given ? given->bytes() : 0));
        if (!used[i]) {
            buffers_.push_back(nullptr);
        } else if (given) {
            buffers_.push_back(given);
        } else {
            const auto lifetime =
                one.lifetime == RecordedBuffer::Lifetime::solution ? Lifetime::solution : Lifetime::run;
            made_.push_back(std::make_unique<DeviceBuffer>(DeviceBuffer::ofBytes(gpu_, one.name, one.bytes, lifetime)));
            buffers_.push_back(made_.back().get());
        }
    }
}

void Replay::makePipelines()
{
    std::vector<bool> based(recording_.pipelines.size());
    for (const RecordedRun& run : recording_.runs)
        for (const RecordedCommand& command : run.commands)
            if (const auto* dispatch = std::get_if<RecordedDispatch>(&command))
                if (dispatch->pipeline && dispatch->base != std::array<std::uint32_t, 3>{})
                    based[*dispatch->pipeline] = true;
    for (std::size_t i = 0; i < recording_.pipelines.size(); ++i) {
        const RecordedPipeline& one = recording_.pipelines[i];
        const RecordedLayout& layout = recording_.layouts[one.layout];
        PipelineKey key;
        key.shader = one.shader;
        key.shape = one.shader.empty() ? recording_.shape : one.shape;
        key.code = one.code;
        key.entry = one.entry;
        key.constants = one.constants;
        for (const Index set : layout.setLayouts) key.sets.push_back(recording_.setLayouts[set]);
        key.push = layout.push;
        key.dispatchBase = based[i];
        pipelines_.push_back(&pipelineFor(gpu_, key));
    }
}

void Replay::makeSets()
{
    // A kernel that asks how long an array is must not count the guard after it.
    const bool asksForLengths = std::any_of(pipelines_.begin(), pipelines_.end(),
                                            [](const PipelineObjects* one) { return one->facts->asksForLengths; });
    std::vector<DeviceSet::Contents> all;
    for (const RecordedSet& set : recording_.sets) {
        const RecordedSetLayout& layout = recording_.setLayouts[set.layout];
        DeviceSet::Contents& contents = all.emplace_back();
        contents.layout = &layout;
        contents.name = set.name.empty() ? "descriptor set" : set.name;
        for (const RecordedSet::Range& one : set.ranges) {
            const auto* binding = bindingOf(layout, one.binding);
            if (bindingProblem(gpu_.limits(), recording_.buffers[one.buffer], one.binding, binding->type, one.offset,
                               one.bytes))
                continue;  // a dispatch that uses it is refused (lint/CommandLog.h)
            BoundRange bound = buffer(one.buffer).range(one.offset, one.bytes);
            if (isUniform(binding->type) || asksForLengths) bound.bytes = one.bytes;
            contents.ranges.push_back({one.binding, one.element, bound});
        }
    }
    sets_ = gpu_.backend->makeSets(all);
}

void Replay::upload() const
{
    for (const RecordedUpload& one : recording_.uploads)
        a2::upload(gpu_, buffer(one.buffer).region(one.firstWord, one.count()),
                   [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
                       if (one.times > 1) return std::ranges::fill(chunk, one.words.front()), void();
                       std::copy_n(one.words.begin() + static_cast<std::ptrdiff_t>(first), chunk.size(), chunk.begin());
                   });
}

void Replay::recordCommand(Commands& into, const RecordedDispatch& dispatch) const
{
    PipelineObjects& kernel = pipeline(*dispatch.pipeline);
    Launch launch;
    launch.pipeline = &compiled(gpu_, kernel);
    for (const RecordedDispatch::Set& one : dispatch.sets)
        launch.sets.push_back({one.number, sets_[one.set].get(), one.dynamicOffsets});
    launch.push = dispatch.push;
    launch.base = dispatch.base;
    // For an indirect dispatch, the work-groups that it must read: without a barrier it might read poison instead, and
    // start more work-groups than any device can finish.
    launch.groups = groupsOf(dispatch).value();
    launch.label = dispatch.label.empty() ? kernel.name : dispatch.label;
    into.dispatch(std::move(launch));
}

// All dependencies of one barrier are made at once. Those of events become a barrier, too: it orders more, and needs no
// event of the device. The lint checks the commands as they were recorded.
void Replay::recordCommand(Commands& into, const RecordedBarrier& barrier) const
{
    // One call has one pair of stages: dependencies with other stages get a separate call, which orders no less.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Commands::Dependency>> byStages;
    for (const RecordedBarrier::Dependency& one : barrier.dependencies) {
        Commands::Dependency made{plainAccess(one.srcAccess), plainAccess(one.dstAccess)};
        if (one.buffer) made.part = buffer(*one.buffer).ordered(one.offset, one.bytes);
        byStages[{one.srcStages, one.dstStages}].push_back(made);
    }
    for (const auto& [stages, dependencies] : byStages)
        into.barrier(plainStages(stages.first, vk::PipelineStageFlagBits::eTopOfPipe),
                     plainStages(stages.second, vk::PipelineStageFlagBits::eBottomOfPipe), dependencies);
}

void Replay::recordCommand(Commands& into, const RecordedTransfer& transfer) const
{
    const DeviceBuffer& to = buffer(transfer.to);
    const std::uint64_t offset = to.firstByte() + transfer.toOffset;
    switch (transfer.kind) {
        case RecordedTransfer::Kind::fill:
            into.fill(*to.memory(), offset, transfer.bytes, transfer.fill);
            break;
        case RecordedTransfer::Kind::update:
            into.update(*to.memory(), offset, transfer.data);
            break;
        case RecordedTransfer::Kind::copy: {
            const DeviceBuffer& from = buffer(transfer.from);
            into.copy({from.memory(), from.firstByte() + transfer.fromOffset, transfer.bytes}, *to.memory(), offset);
            break;
        }
    }
}

void Replay::record(Commands& into, const RecordedRun& run, std::size_t commands) const
{
    into.forgetState();
    for (std::size_t i = 0; i < std::min(commands, run.commands.size()); ++i)
        std::visit([&](const auto& command) { recordCommand(into, command); }, run.commands[i]);
}

void Replay::recordAlone(Commands& into, const RecordedCommand& command) const
{
    if (std::holds_alternative<RecordedBarrier>(command)) return;
    std::visit([&](const auto& one) { recordCommand(into, one); }, command);
}

}  // namespace a2
