#include "lint/CommandLog.h"

#include "recording/Bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace a2 {

std::uint64_t DispatchCommand::groupSize() const { return facts ? facts->invocations() : 1; }

std::uint64_t DispatchCommand::invocations() const { return groupCount() * groupSize(); }

std::optional<std::uint32_t> DispatchCommand::pushed(const PushMember& member) const
{
    const std::size_t word = member.offset / 4;
    return word < push.size() ? push[word] : std::nullopt;
}

bool DispatchCommand::writes(Index buffer) const
{
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const BoundBuffer& one) { return one.buffer == buffer && one.writes; });
}

bool DispatchCommand::bindsAs(const DispatchCommand& other) const
{
    return pipeline && pipeline == other.pipeline && buffers == other.buffers;
}

bool DispatchCommand::pushesAs(const DispatchCommand& other) const
{
    return pipeline && pipeline == other.pipeline && !push.empty() && push == other.push;
}

std::vector<const DispatchCommand*> CommandLog::dispatches() const
{
    std::vector<const DispatchCommand*> found;
    for (const Command& command : commands_)
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) found.push_back(dispatch);
    return found;
}

bool CommandLog::mayWrite(Index buffer) const
{
    return std::any_of(commands_.begin(), commands_.end(), [&](const Command& command) {
        if (const auto* transfer = std::get_if<TransferCommand>(&command)) return transfer->to == buffer;
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        return dispatch && dispatch->writes(buffer);
    });
}

void CommandLog::add(DispatchCommand dispatch)
{
    dispatch.index = dispatchCount_++;
    commands_.emplace_back(std::move(dispatch));
}

// Translates recorded commands, one by one, into what they are on the device.
class CommandLog::Reader {
public:
    Reader(CommandLog& log, const Recording& recording, const RecordedRun& run, const FactsOfPipelines& facts,
           const vk::PhysicalDeviceLimits& limits)
        : log_(log), recording_(recording), run_(run), facts_(facts), limits_(limits)
    {
    }

    void read(std::size_t command)
    {
        std::visit([&](const auto& one) { read(one, command); }, run_.commands[command]);
    }

    void note(const std::vector<RecordedFault>& faults)
    {
        for (const RecordedFault& one : faults) log_.findings_.push_back({one.rule, one.message, one.dispatch});
    }

private:
    void read(const RecordedDispatch& from, std::size_t command)
    {
        DispatchCommand dispatch;
        dispatch.groups = from.groups;
        dispatch.index = log_.dispatchCount_;
        resolveKernel(from, dispatch);
        if (from.indirect) resolveIndirect(from, command, dispatch);
        if (!from.pipeline)
            refuse("no-dispatch",
                   fmt::format("dispatch {} '{}' comes before any bindPipeline, or after an executeCommands(), after "
                               "which nothing is bound any more, or in a secondary command buffer, which begins with "
                               "nothing bound; call cb.bindPipeline() and cb.bindDescriptorSets() "
                               "before it{}",
                               dispatch.index, dispatch.label,
                               &run_ == &recording_.runs.front()
                                   ? ""
                                   : " in each record(): this is a later run of the same object, and what the first "
                                     "one bound does not last"),
                   dispatch.index);
        else if (checkLayouts(from, dispatch))
            resolveBuffers(from, dispatch);
        checkPush(from, dispatch);
        if (refusedAt_ == SIZE_MAX) checkPushed(dispatch);  // after a refusal, missing constants are not reported
        checkGroups(from, dispatch);
        log_.add(std::move(dispatch));
    }

    void read(const RecordedBarrier& from, std::size_t)
    {
        BarrierCommand barrier;
        for (const RecordedBarrier::Dependency& one : from.dependencies) {
            Dependency& made = barrier.dependencies.emplace_back();
            made.srcStages = vk::PipelineStageFlags2(one.srcStages);
            made.dstStages = vk::PipelineStageFlags2(one.dstStages);
            made.srcAccess = vk::AccessFlags2(one.srcAccess);
            made.dstAccess = vk::AccessFlags2(one.dstAccess);
            if (!one.buffer) continue;
            made.buffer = one.buffer;
            made.offset = one.offset;
            made.size = one.bytes;
        }
        if (from.waits) barrier.covered = from.covered;
        log_.commands_.emplace_back(std::move(barrier));
    }

    void read(const RecordedTransfer& from, std::size_t)
    {
        using Kind = RecordedTransfer::Kind;
        TransferCommand transfer;
        transfer.call = from.kind == Kind::fill     ? "vkCmdFillBuffer"
                        : from.kind == Kind::update ? "vkCmdUpdateBuffer"
                                                    : "vkCmdCopyBuffer";
        transfer.to = from.to;
        transfer.toName = recording_.buffers[from.to].name;
        transfer.region = vk::BufferCopy(0, from.toOffset, from.bytes);
        if (from.kind == Kind::copy) {
            transfer.from = from.from;
            transfer.fromName = recording_.buffers[from.from].name;
            transfer.region.srcOffset = from.fromOffset;
        }
        log_.commands_.emplace_back(std::move(transfer));
    }

    void refuse(const std::string& rule, std::string message, std::optional<std::uint64_t> dispatch)
    {
        log_.runnable_ = std::min(log_.runnable_, log_.commands_.size());
        refusedAt_ = log_.runnable_;
        log_.findings_.push_back({rule, std::move(message), dispatch});
    }

    void resolveIndirect(const RecordedDispatch& from, std::size_t command, DispatchCommand& dispatch)
    {
        const std::string& name = recording_.buffers[from.indirect->buffer].name;
        dispatch.indirect = {from.indirect->buffer, name, from.indirect->offset, false};
        if (const auto groups = indirectGroups(recording_, facts_, run_, command)) {
            dispatch.indirect->known = true;
            dispatch.groups = *groups;
            return;
        }
        refuse("call",
               fmt::format("dispatch {} '{}' takes its work-groups from bytes {} to {} of buffer '{}', and what lies "
                           "there is not known before it runs: put them there by cb.updateBuffer() or "
                           "cb.fillBuffer(), in the same record()",
                           dispatch.index, dispatch.label, from.indirect->offset,
                           from.indirect->offset + sizeof(VkDispatchIndirectCommand), name),
               dispatch.index);
    }

    void resolveKernel(const RecordedDispatch& from, DispatchCommand& dispatch) const
    {
        dispatch.label = from.label;
        dispatch.kernel = "none";
        if (from.pipeline) {
            const RecordedPipeline& pipeline = recording_.pipelines[*from.pipeline];
            dispatch.pipeline = from.pipeline;
            dispatch.shader = pipeline.shader;
            dispatch.kernel = kernelName(pipeline.shader);
            dispatch.facts = facts_[*from.pipeline];
            if (!pipeline.shader.empty()) dispatch.workGroup = pipeline.shape.workGroup;
        }
        if (dispatch.label.empty()) dispatch.label = dispatch.kernel;
    }

    // Refuses a bound set that was made for another layout.
    bool checkLayouts(const RecordedDispatch& from, const DispatchCommand& dispatch)
    {
        const std::vector<Index>& wanted = layoutOf(*dispatch.pipeline).setLayouts;
        for (const RecordedDispatch::Set& bound : from.sets) {
            if (bound.number >= wanted.size()) continue;  // for another pipeline; this one does not see it
            const RecordedSetLayout& has = recording_.setLayouts[recording_.sets[bound.set].layout];
            if (has == recording_.setLayouts[wanted[bound.number]]) continue;
            refuse("call",
                   fmt::format("dispatch {} '{}': the descriptor set bound as set {} has another layout than set {} of "
                               "kernel {}'s pipeline",
                               dispatch.index, dispatch.label, bound.number, bound.number, dispatch.kernel),
                   dispatch.index);
            return false;
        }
        return true;
    }

    // What is bound at a binding of the dispatch; `range` is null if nothing is.
    struct Found {
        const RecordedSet::Range* range = nullptr;
        std::uint32_t type = 0;
        std::uint64_t dynamicOffset = 0;
    };
    Found find(const RecordedDispatch& from, std::uint32_t number, std::uint32_t binding) const
    {
        for (const RecordedDispatch::Set& bound : from.sets) {
            if (bound.number != number) continue;
            const RecordedSet& set = recording_.sets[bound.set];
            const RecordedSetLayout& layout = recording_.setLayouts[set.layout];
            const RecordedSetLayout::Binding* slot = bindingOf(layout, binding);
            if (!slot) return {};
            Found found;
            found.type = slot->type;
            std::size_t dynamic = 0;  // descriptors with an offset before this one
            for (const auto& one : layout.bindings)
                if (one.number < binding && isDynamic(one.type)) dynamic += one.count;
            for (const RecordedSet::Range& one : set.ranges)
                if (one.binding == binding && one.element == 0) found.range = &one;
            if (isDynamic(slot->type) && dynamic < bound.dynamicOffsets.size())
                found.dynamicOffset = bound.dynamicOffsets[dynamic];
            return found;
        }
        return {};
    }

    void resolveBuffers(const RecordedDispatch& from, DispatchCommand& dispatch)
    {
        for (const KernelBinding& binding : dispatch.facts->bindings) {
            const Found found = find(from, binding.set, binding.binding);
            if (!found.range) {
                if (!binding.reads && !binding.writes) continue;  // declared but not used
                refuse("out-of-bounds",
                       fmt::format("dispatch {} '{}': nothing is bound at binding {} ('{}') of kernel {}: bind a "
                                   "descriptor set that has it, before the dispatch",
                                   dispatch.index, dispatch.label, binding.binding, binding.name, dispatch.kernel),
                       dispatch.index);
                return;
            }
            const RecordedSet::Range& range = *found.range;
            const RecordedBuffer& named = recording_.buffers[range.buffer];
            const std::uint64_t offset = range.offset + found.dynamicOffset;
            auto problem = bindingProblem(limits_, named, binding.binding, found.type, offset, range.bytes);
            if (!problem && range.bytes > named.bytes - std::min(named.bytes, offset))
                problem = fmt::format(
                    "binding {} would bind bytes {} to {} of buffer '{}', which ends at byte {}: its "
                    "dynamic offset is {}",
                    binding.binding, offset, offset + range.bytes, named.name, named.bytes, found.dynamicOffset);
            if (problem) {
                if (said_.insert(*problem).second)
                    refuse("range-limit", *problem, {});
                else
                    log_.runnable_ = std::min(log_.runnable_, log_.commands_.size());
                continue;
            }
            dispatch.buffers.push_back({binding.set, binding.binding, named.name, binding.name, binding.reads,
                                        binding.writes, range.buffer, offset, range.bytes, binding.uniform});
        }
        for (const RecordedDispatch::Set& bound : from.sets)
            for (const RecordedSet::Range& range : recording_.sets[bound.set].ranges) {
                const auto& declared = dispatch.facts->bindings;
                if (std::none_of(declared.begin(), declared.end(), [&](const KernelBinding& one) {
                        return one.set == bound.number && one.binding == range.binding;
                    }))
                    dispatch.unseen.push_back({range.binding, range.buffer});
            }
    }

    // Refuses pushed bytes beyond the pipeline's range.
    void checkPush(const RecordedDispatch& from, DispatchCommand& dispatch)
    {
        std::uint32_t end = 0;
        for (const RecordedDispatch::Push& one : from.push)
            end = std::max(end, one.offset + static_cast<std::uint32_t>(one.bytes.size()));
        const std::uint32_t made = dispatch.pipeline ? pushBytesOf(layoutOf(*dispatch.pipeline).push) : end;
        if (end > made && !from.push.empty() && from.push.front().offset > 0)
            refuse("push-constant-size",
                   fmt::format("{} bytes of push constants are pushed from byte {} on before dispatch {} '{}', and the "
                               "struct of kernel {} begins at byte 0: give pushConstants() the offset 0",
                               end - from.push.front().offset, from.push.front().offset, dispatch.index, dispatch.label,
                               dispatch.kernel),
                   dispatch.index);
        else if (end > made)
            refuse("push-constant-size",
                   fmt::format("{} bytes of push constants are pushed before dispatch {} '{}', but the pipeline of "
                               "kernel {} was made for {}: give ComputePipeline the size of the struct that is pushed",
                               end, dispatch.index, dispatch.label, dispatch.kernel, made),
                   dispatch.index);
        else if (const auto outside = firstOutsideOfRanges(from, dispatch))
            refuse("push-constant-size",
                   fmt::format("byte {} of the push constants is pushed before dispatch {} '{}', and the range of its "
                               "pipeline's layout begins later: let it begin at byte 0, as the kernel's struct does",
                               *outside, dispatch.index, dispatch.label),
                   dispatch.index);
        std::vector<std::optional<std::uint8_t>> bytes(end);
        for (const RecordedDispatch::Push& one : from.push)
            std::copy(one.bytes.begin(), one.bytes.end(), bytes.begin() + one.offset);
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
            std::uint32_t word = 0;
            bool whole = true;
            for (std::size_t i = 0; i < 4; ++i) {
                whole = whole && bytes[at + i].has_value();
                word |= std::uint32_t{bytes[at + i].value_or(0)} << (8 * i);  // little endian, as every Vulkan host is
            }
            dispatch.push.push_back(whole ? std::optional(word) : std::nullopt);
        }
    }

    // The first byte that is pushed and in no range of the pipeline's layout.
    std::optional<std::uint32_t> firstOutsideOfRanges(const RecordedDispatch& from,
                                                      const DispatchCommand& dispatch) const
    {
        if (!dispatch.pipeline) return {};
        const auto& ranges = layoutOf(*dispatch.pipeline).push;
        for (const RecordedDispatch::Push& one : from.push)
            for (std::uint32_t at = one.offset; at < one.offset + one.bytes.size(); ++at)
                if (std::none_of(ranges.begin(), ranges.end(), [&](const RecordedLayout::PushRange& range) {
                        return at >= range.offset && at - range.offset < range.bytes;
                    }))
                    return at;
        return {};
    }

    void checkPushed(const DispatchCommand& dispatch)
    {
        if (!dispatch.facts) return;
        std::string missing;
        for (const PushMember& member : dispatch.facts->push) {
            if (dispatch.pushed(member)) continue;
            missing += (missing.empty() ? "" : ", ") + member.name;
        }
        if (missing.empty()) return;
        log_.findings_.push_back(
            {"push-constant-size",
             fmt::format("dispatch {} '{}': kernel {} has {} bytes of push constants, but {} was never "
                         "pushed: push the whole struct",
                         dispatch.index, dispatch.label, dispatch.kernel, dispatch.facts->pushBytes, missing),
             dispatch.index});
    }

    void checkGroups(const RecordedDispatch& from, const DispatchCommand& dispatch)
    {
        if (const auto problem = groupProblem(limits_, dispatch.groups, from.base))
            refuse("group-limit", fmt::format("dispatch {} '{}' {}", dispatch.index, dispatch.label, *problem),
                   dispatch.index);
    }

    const RecordedLayout& layoutOf(Index pipeline) const
    {
        return recording_.layouts[recording_.pipelines[pipeline].layout];
    }

    CommandLog& log_;
    const Recording& recording_;
    const RecordedRun& run_;
    const FactsOfPipelines& facts_;
    const vk::PhysicalDeviceLimits& limits_;
    std::size_t refusedAt_ = SIZE_MAX;
    std::set<std::string> said_;  // about bindings: many dispatches share one
};

CommandLog::CommandLog(const Recording& recording, const RecordedRun& run, const FactsOfPipelines& facts,
                       const vk::PhysicalDeviceLimits& limits)
{
    Reader reader(*this, recording, run, facts, limits);
    // These come first: because of a faulty call, later commands may lack something.
    reader.note(recording.faults);
    reader.note(run.faults);
    for (std::size_t i = 0; i < run.commands.size(); ++i) reader.read(i);
    if (!recording.faults.empty() || !run.faults.empty()) runnable_ = 0;  // it is unknown what the run would do
}

}  // namespace a2
