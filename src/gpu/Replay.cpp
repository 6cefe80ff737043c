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

constexpr auto compute = vk::PipelineBindPoint::eCompute;

// Barriers are recorded by the first version of the call, which every device has. The bits that both versions have mean
// the same; those that only the second has stand for finer distinctions of these.
vk::PipelineStageFlags plainStages(std::uint64_t stages, vk::PipelineStageFlagBits none)
{
    using Stage = vk::PipelineStageFlagBits2;
    constexpr auto transfers = Stage::eCopy | Stage::eResolve | Stage::eBlit | Stage::eClear;
    const vk::PipelineStageFlags2 all(stages);
    vk::PipelineStageFlags plain(static_cast<VkPipelineStageFlags>(stages & UINT32_MAX));
    if (all & transfers) plain |= vk::PipelineStageFlagBits::eTransfer;
    return plain ? plain : none;  // the first version has no word for no stage
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

// What the device has been set to while a run is recorded.
class Replay::State {
public:
    // Whether this is news.
    bool pipeline(Index index) { return !set(pipeline_, index); }
    bool bound(const RecordedDispatch::Set& one) { return !set(sets_[one.number], one); }
    bool pushed(vk::PipelineLayout layout, const RecordedDispatch::Push& one)
    {
        if (layout != layout_) pushed_.clear();
        layout_ = layout;
        return !set(pushed_[one.offset], one);
    }
    // Sets stay bound from pipeline to pipeline where the layouts agree; here they are bound again instead.
    void otherPipeline() { sets_.clear(); }

private:
    template <class Value>
    static bool set(std::optional<Value>& is, const Value& to)
    {
        if (is == to) return true;
        is = to;
        return false;
    }

    std::optional<Index> pipeline_;
    std::map<std::uint32_t, std::optional<RecordedDispatch::Set>> sets_;
    vk::PipelineLayout layout_;
    std::map<std::uint32_t, std::optional<RecordedDispatch::Push>> pushed_;
};

Replay::Replay(Device& gpu, const Recording& recording, const DeviceBuffer& input, const DeviceBuffer* blockOffsets)
    : gpu_(gpu), recording_(recording)
{
    makePipelines();  // first: what is wrong with a kernel is found without any memory
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

// A buffer that was made and given back without being used takes no memory.
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
    std::map<std::uint32_t, std::uint32_t> counts;  // by descriptor type
    for (const RecordedSetLayout& layout : recording_.setLayouts) {
        std::vector<vk::DescriptorSetLayoutBinding> bindings;
        for (const auto& one : layout.bindings)
            bindings.emplace_back(one.number, static_cast<vk::DescriptorType>(one.type), one.count,
                                  vk::ShaderStageFlagBits::eCompute);
        setLayouts_.emplace_back(gpu_.device, vk::DescriptorSetLayoutCreateInfo({}, bindings));
    }
    if (recording_.sets.empty()) return;
    for (const RecordedSet& set : recording_.sets)
        for (const auto& one : recording_.setLayouts[set.layout].bindings) counts[one.type] += one.count;
    std::vector<vk::DescriptorPoolSize> sizes;
    for (const auto& [type, count] : counts) sizes.emplace_back(static_cast<vk::DescriptorType>(type), count);
    // A kernel that asks how long an array is must not count the guard after it.
    const bool asksForLengths = std::any_of(pipelines_.begin(), pipelines_.end(),
                                            [](const PipelineObjects* one) { return one->facts->asksForLengths; });
    pool_ = vk::raii::DescriptorPool(
        gpu_.device, vk::DescriptorPoolCreateInfo(vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet,
                                                  static_cast<std::uint32_t>(recording_.sets.size()), sizes));
    gpu_.setName(*pool_, "descriptor pool");
    for (const RecordedSet& set : recording_.sets) {
        const vk::DescriptorSetLayout layout = *setLayouts_[set.layout];
        vk::raii::DescriptorSets made(gpu_.device, vk::DescriptorSetAllocateInfo(*pool_, layout));
        sets_.push_back(std::move(made.front()));
        gpu_.setName(*sets_.back(), set.name.empty() ? "descriptor set" : set.name);
        for (const RecordedSet::Range& one : set.ranges) {
            const auto* binding = bindingOf(recording_.setLayouts[set.layout], one.binding);
            if (bindingProblem(gpu_.limits(), recording_.buffers[one.buffer], one.binding, binding->type, one.offset,
                               one.bytes))
                continue;  // who asks for it is refused (lint/CommandLog.h)
            vk::DescriptorBufferInfo info = buffer(one.buffer).range(one.offset, one.bytes);
            if (isUniform(binding->type) || asksForLengths) info.range = one.bytes;
            (*gpu_.device)
                .updateDescriptorSets(
                    vk::WriteDescriptorSet(*sets_.back(), one.binding, one.element, 1,
                                           static_cast<vk::DescriptorType>(binding->type), nullptr, &info),
                    {});
        }
    }
}

void Replay::upload() const
{
    for (const RecordedUpload& one : recording_.uploads)
        a2::upload(gpu_,
                   {buffer(one.buffer).handle(), buffer(one.buffer).firstByte() + one.firstWord * sizeof(std::uint32_t),
                    one.count()},
                   [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
                       if (one.times > 1) return std::ranges::fill(chunk, one.words.front()), void();
                       std::copy_n(one.words.begin() + static_cast<std::ptrdiff_t>(first), chunk.size(), chunk.begin());
                   });
}

void Replay::recordCommand(vk::CommandBuffer cb, const RecordedDispatch& dispatch, State& state) const
{
    PipelineObjects& kernel = pipeline(*dispatch.pipeline);
    if (state.pipeline(*dispatch.pipeline)) {
        cb.bindPipeline(compute, compiled(gpu_, kernel));
        state.otherPipeline();
    }
    for (const RecordedDispatch::Set& one : dispatch.sets)
        if (one.number < kernel.setLayouts.size() && state.bound(one))
            cb.bindDescriptorSets(compute, *kernel.layout, one.number, *sets_[one.set], one.dynamicOffsets);
    for (const RecordedDispatch::Push& one : dispatch.push)
        if (state.pushed(*kernel.layout, one))
            cb.pushConstants<std::uint8_t>(*kernel.layout, vk::ShaderStageFlagBits::eCompute, one.offset, one.bytes);
    Device::label(cb, dispatch.label.empty() ? kernel.name : dispatch.label);
    // An indirect one with the work-groups that it must find: after a missing barrier it might take poison for them,
    // and start more than any device ends.
    const auto [x, y, z] = groupsOf(dispatch).value();
    if (dispatch.base != std::array<std::uint32_t, 3>{}) {
        cb.dispatchBase(dispatch.base[0], dispatch.base[1], dispatch.base[2], x, y, z);
    } else {
        cb.dispatch(x, y, z);
    }
}

// All dependencies of one barrier are made at once. Those of events as a barrier, too: it orders more, and takes no
// event of the device's. What was recorded is what the lint holds against the rules.
void Replay::recordCommand(vk::CommandBuffer cb, const RecordedBarrier& barrier, State&) const
{
    // One call has one pair of stages: dependencies with others get a call of their own, which orders no less.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<const RecordedBarrier::Dependency*>> byStages;
    for (const auto& one : barrier.dependencies) byStages[{one.srcStages, one.dstStages}].push_back(&one);
    for (const auto& [stages, dependencies] : byStages) {
        std::vector<vk::MemoryBarrier> memory;
        std::vector<vk::BufferMemoryBarrier> buffers;
        for (const auto* one : dependencies) {
            const vk::AccessFlags from = plainAccess(one->srcAccess), to = plainAccess(one->dstAccess);
            if (one->buffer) {
                const DeviceBuffer& about = buffer(*one->buffer);
                buffers.emplace_back(from, to, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, about.handle(),
                                     about.firstByte() + one->offset, one->bytes);
            } else if (from || to) {
                memory.emplace_back(from, to);
            }
        }
        cb.pipelineBarrier(plainStages(stages.first, vk::PipelineStageFlagBits::eTopOfPipe),
                           plainStages(stages.second, vk::PipelineStageFlagBits::eBottomOfPipe), {}, memory, buffers,
                           {});
    }
}

void Replay::recordCommand(vk::CommandBuffer cb, const RecordedTransfer& transfer, State&) const
{
    const DeviceBuffer& to = buffer(transfer.to);
    const vk::DeviceSize offset = to.firstByte() + transfer.toOffset;
    switch (transfer.kind) {
        case RecordedTransfer::Kind::fill:
            cb.fillBuffer(to.handle(), offset, transfer.bytes, transfer.fill);
            break;
        case RecordedTransfer::Kind::update:
            cb.updateBuffer<std::uint8_t>(to.handle(), offset, transfer.data);
            break;
        case RecordedTransfer::Kind::copy: {
            const DeviceBuffer& from = buffer(transfer.from);
            cb.copyBuffer(from.handle(), to.handle(),
                          vk::BufferCopy(from.firstByte() + transfer.fromOffset, offset, transfer.bytes));
            break;
        }
    }
}

void Replay::record(vk::CommandBuffer cb, const RecordedRun& run, std::size_t commands) const
{
    State state;
    for (std::size_t i = 0; i < std::min(commands, run.commands.size()); ++i)
        std::visit([&](const auto& command) { recordCommand(cb, command, state); }, run.commands[i]);
}

void Replay::recordAlone(vk::CommandBuffer cb, const RecordedCommand& command) const
{
    if (std::holds_alternative<RecordedBarrier>(command)) return;
    State state;
    std::visit([&](const auto& one) { recordCommand(cb, one, state); }, command);
}

}  // namespace a2
