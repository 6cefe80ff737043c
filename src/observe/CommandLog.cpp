#include "observe/CommandLog.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::uint64_t DispatchCommand::invocations() const
{
    if (!facts) return groupCount();
    return groupCount() * facts->localSize[0] * facts->localSize[1] * facts->localSize[2];
}

std::optional<std::uint32_t> DispatchCommand::pushed(const PushMember& member) const
{
    const std::size_t word = member.offset / 4;
    return word < push.size() ? push[word] : std::nullopt;
}

std::string faultText(const DispatchCommand& dispatch, const GroupFault& fault)
{
    return fmt::format("dispatch {} '{}', kernel {}: {}", dispatch.index, dispatch.label, dispatch.kernel, fault.what);
}

bool DispatchCommand::writes(vk::Buffer buffer) const
{
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const BoundBuffer& one) { return one.buffer == buffer && one.writes; });
}

void CommandLog::beginRecording()
{
    commands_.clear();
    findings_.clear();
    pipeline_ = nullptr;
    layout_ = nullptr;
    sets_.clear();
    pushed_.clear();
    label_.clear();
    dispatchCount_ = 0;
    eventsSet_.clear();
    refused_ = !prepareFindings_.empty();
    recording_ = true;
}

std::vector<const DispatchCommand*> CommandLog::dispatches() const
{
    std::vector<const DispatchCommand*> found;
    for (const Command& command : commands_)
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) found.push_back(dispatch);
    return found;
}

std::vector<Finding> CommandLog::findings() const
{
    std::vector<Finding> all = prepareFindings_;
    all.insert(all.end(), findings_.begin(), findings_.end());
    return all;
}

void CommandLog::refuse(const char* rule, std::string message, std::optional<std::uint64_t> dispatch)
{
    refused_ = true;
    (recording_ ? findings_ : prepareFindings_).push_back({rule, std::move(message), dispatch});
}

const LiveBuffer* CommandLog::live(vk::Buffer buffer) const
{
    const auto found = std::find_if(state_.liveBuffers.begin(), state_.liveBuffers.end(),
                                    [&](const LiveBuffer& one) { return one.handle == buffer; });
    return found == state_.liveBuffers.end() ? nullptr : &*found;
}

std::string CommandLog::nameOf(vk::Buffer buffer) const
{
    const LiveBuffer* known = live(buffer);
    return known ? known->name : "(not a Buffer of a2)";
}

// False, with a finding, if the device cannot bind it.
bool CommandLog::checkRange(const vk::DescriptorBufferInfo& info, std::uint32_t binding)
{
    const LiveBuffer* buffer = live(info.buffer);
    const vk::DeviceSize whole = buffer ? buffer->payloadBytes + 2 * buffer->guardBytes : VK_WHOLE_SIZE;
    if (whole == VK_WHOLE_SIZE && info.range == VK_WHOLE_SIZE) return true;  // a buffer of unknown length
    const vk::DeviceSize range = info.range == VK_WHOLE_SIZE ? whole - std::min(whole, info.offset) : info.range;
    const std::string name = nameOf(info.buffer);
    const vk::DeviceSize most = state_.properties.limits.maxStorageBufferRange;
    const vk::DeviceSize alignment = state_.properties.limits.minStorageBufferOffsetAlignment;
    if (range > most)
        refuse("range-limit",
               fmt::format("binding {} would bind {} bytes of buffer '{}', more than this device's "
                           "maxStorageBufferRange of {}",
                           binding, range, name, most),
               {});
    else if (info.offset > whole || range > whole - info.offset)
        refuse("range-limit",
               fmt::format("binding {} would bind bytes {} to {} of buffer '{}', which ends at byte {}: bind "
                           "Buffer::descriptor()",
                           binding, info.offset, info.offset + range, name, whole),
               {});
    else if (info.offset % alignment != 0)
        refuse("range-limit",
               fmt::format("binding {} would bind buffer '{}' from byte {}, no multiple of this device's "
                           "minStorageBufferOffsetAlignment of {}",
                           binding, name, info.offset, alignment),
               {});
    else
        return true;
    return false;
}

bool CommandLog::updateSets(std::span<const vk::WriteDescriptorSet> writes,
                            std::span<const vk::CopyDescriptorSet> copies)
{
    bool fine = true;
    for (const vk::WriteDescriptorSet& write : writes) {
        if (write.descriptorType != vk::DescriptorType::eStorageBuffer || !write.pBufferInfo) continue;
        for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
            fine = checkRange(write.pBufferInfo[i], write.dstBinding + i) && fine;
            descriptors_[write.dstSet][write.dstBinding + i] = write.pBufferInfo[i];
        }
    }
    for (const vk::CopyDescriptorSet& copy : copies)
        for (std::uint32_t i = 0; i < copy.descriptorCount; ++i)
            descriptors_[copy.dstSet][copy.dstBinding + i] = descriptors_[copy.srcSet][copy.srcBinding + i];
    return fine;
}

void CommandLog::bindSets(vk::PipelineLayout layout, std::uint32_t first, std::span<const vk::DescriptorSet> sets)
{
    layout_ = layout;
    for (const vk::DescriptorSet set : sets) sets_[first++] = set;
}

bool CommandLog::push(vk::PipelineLayout layout, vk::ShaderStageFlags stages, std::uint32_t offset,
                      std::span<const std::uint8_t> bytes)
{
    for (const auto& [key, objects] : state_.pipelines) {
        if (*objects.layout != layout || offset + bytes.size() <= key.pushBytes) continue;
        refuse(
            "push-constant-size",
            fmt::format("bytes {} to {} of push constants are pushed, but the pipeline of kernel {} was made for {}: "
                        "give ComputePipeline the size of the struct that is pushed",
                        offset, offset + bytes.size(), key.shader, key.pushBytes),
            dispatchCount_);
        return false;
    }
    layout_ = layout;
    pushStages_ = stages;
    if (pushed_.size() < offset + bytes.size()) pushed_.resize(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), pushed_.begin() + offset);
    return true;
}

void CommandLog::resolveKernel(DispatchCommand& dispatch) const
{
    dispatch.kernel = "a pipeline that a2 does not know";
    for (auto& [key, objects] : state_.pipelines) {
        if (*objects.pipeline != dispatch.pipeline) continue;
        dispatch.kernel = key.shader;
        dispatch.facts = &objects.facts;
        dispatch.groupCheck = &objects.groupCheck;
        dispatch.workGroup = key.workGroup;
    }
    if (dispatch.label.empty()) dispatch.label = dispatch.kernel;
}

// Of an unknown kernel every buffer counts as read and written.
void CommandLog::resolveUnknown(DispatchCommand& dispatch) const
{
    for (const auto& [number, set] : dispatch.sets) {
        const auto bindings = descriptors_.find(set);
        if (bindings == descriptors_.end()) continue;
        for (const auto& [binding, info] : bindings->second) {
            dispatch.buffers.push_back(
                {number, binding, nameOf(info.buffer), "", true, true, info.buffer, info.offset, info.range});
        }
    }
}

bool CommandLog::resolveBuffers(DispatchCommand& dispatch)
{
    if (!dispatch.facts) {
        resolveUnknown(dispatch);
        return true;
    }
    for (const KernelBinding& binding : dispatch.facts->bindings) {
        const auto set = dispatch.sets.find(binding.set);
        const auto bindings = set == dispatch.sets.end() ? descriptors_.end() : descriptors_.find(set->second);
        if (bindings == descriptors_.end() || !bindings->second.count(binding.binding)) {
            refuse(
                "out-of-bounds",
                fmt::format("dispatch {} '{}': nothing is bound at binding {} ('{}') of kernel {}: bind a descriptor "
                            "set that has it, before the dispatch",
                            dispatch.index, dispatch.label, binding.binding, binding.name, dispatch.kernel),
                dispatch.index);
            return false;
        }
        const vk::DescriptorBufferInfo& info = bindings->second.at(binding.binding);
        dispatch.buffers.push_back({binding.set, binding.binding, nameOf(info.buffer), binding.name, binding.reads,
                                    binding.writes, info.buffer, info.offset, info.range});
    }
    return true;
}

void CommandLog::resolvePush(DispatchCommand& dispatch)
{
    for (std::size_t at = 0; at + 4 <= pushed_.size(); at += 4) {
        std::uint32_t word = 0;
        bool whole = true;
        for (std::size_t i = 0; i < 4; ++i) {
            whole = whole && pushed_[at + i].has_value();
            word |= std::uint32_t{pushed_[at + i].value_or(0)} << (8 * i);  // little endian, as every Vulkan host is
        }
        dispatch.push.push_back(whole ? std::optional(word) : std::nullopt);
    }
    if (!dispatch.facts || refused_) return;  // a push that was refused is not missing
    std::string missing;
    for (const PushMember& member : dispatch.facts->push) {
        if (dispatch.pushed(member)) continue;
        missing += (missing.empty() ? "" : ", ") + member.name;
    }
    if (missing.empty()) return;
    findings_.push_back(
        {"push-constant-size",
         fmt::format("dispatch {} '{}': kernel {} has {} bytes of push constants, but {} was never "
                     "pushed: push the whole struct",
                     dispatch.index, dispatch.label, dispatch.kernel, dispatch.facts->pushBytes, missing),
         dispatch.index});
}

// Behind the end of a shared array lies what a CPU driver needs itself.
void CommandLog::checkSharedArrays(DispatchCommand& dispatch)
{
    if (refused_ || !dispatch.groupCheck) return;
    const auto fault = dispatch.groupCheck->fault(dispatch.groups, dispatch.push);
    if (fault && std::string_view(fault->rule) == "out-of-bounds")
        refuse(fault->rule, faultText(dispatch, *fault), dispatch.index);
}

bool CommandLog::dispatch(std::array<std::uint32_t, 3> groups)
{
    DispatchCommand dispatch;
    dispatch.index = dispatchCount_++;
    dispatch.label = std::exchange(label_, {});
    dispatch.groups = groups;
    dispatch.pipeline = pipeline_;
    dispatch.layout = layout_;
    dispatch.sets = sets_;
    dispatch.pushStages = pushStages_;
    resolveKernel(dispatch);
    if (!pipeline_)
        refuse("no-dispatch",
               fmt::format("dispatch {} '{}' comes before any bindPipeline", dispatch.index, dispatch.label),
               dispatch.index);
    else if (resolveBuffers(dispatch))
        resolvePush(dispatch);

    const auto& most = state_.properties.limits.maxComputeWorkGroupCount;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (groups[axis] > most[axis])
            refuse("group-limit",
                   fmt::format("dispatch {} '{}' starts {} work-groups along {}, more than this device's "
                               "maxComputeWorkGroupCount of {}: fold them over x and y with Gpu::foldGroups",
                               dispatch.index, dispatch.label, groups[axis], "xyz"[axis], most[axis]),
                   dispatch.index);
    checkSharedArrays(dispatch);
    commands_.emplace_back(std::move(dispatch));
    return !refused_;
}

std::size_t CommandLog::commandsBefore(vk::Event event) const
{
    const auto found = eventsSet_.find(event);
    return found == eventsSet_.end() ? 0 : found->second;
}

void CommandLog::transfer(TransferCommand transfer)
{
    if (const LiveBuffer* buffer = live(transfer.from)) transfer.fromName = buffer->name;
    if (const LiveBuffer* buffer = live(transfer.to)) transfer.toName = buffer->name;
    commands_.emplace_back(std::move(transfer));
}

}  // namespace a2
