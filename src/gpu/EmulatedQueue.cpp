// The emulated Vulkan's queue: runs what was submitted when somebody waits for it.
#include "gpu/EmulatedObjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace a2::emulated {

namespace {

std::string placeText(const KernelLine& where)
{
    if (where.line == 0) return "";
    return fmt::format("{}:{}: ", where.file.substr(where.file.find_last_of("/\\") + 1), where.line);
}

// Why a walk has not come to its end; empty where only the time was up.
std::optional<EmulatedFault> faultOf(const Emulated& walked)
{
    if (walked.unknown)
        return EmulatedFault{fmt::format("is not followed by the emulator: {}{}; only a device can judge it",
                                         placeText(walked.unknown->where), walked.unknown->what)};
    for (const KernelFinding& one : walked.findings)
        if (one.rule == "endless-loop")
            return EmulatedFault{fmt::format("does not end: {}{}", placeText(one.where), one.what), true};
    if (walked.overBudget) return std::nullopt;
    return EmulatedFault{"is not followed by the emulator, nobody knows why; only a device can judge it"};
}

void bind(const CommandState& state, EmulatedDispatch& dispatch)
{
    for (const auto& [number, bound] : state.sets) {
        auto offset = bound.dynamicOffsets.begin();
        for (const auto& [place, range] : bound.set->ranges) {
            std::uint64_t moved = 0;
            if (range.dynamic && offset != bound.dynamicOffsets.end()) moved = *offset++;
            if (!range.buffer) continue;
            EmulatedBinding binding;
            binding.set = number;
            binding.binding = place.first;
            binding.element = place.second;
            binding.buffer = &range.buffer->memory->contents;
            binding.offset = range.buffer->at + range.offset + moved;
            const std::uint64_t end = std::min(range.offset + moved + range.bytes, range.buffer->bytes);
            binding.bytes = end - std::min(end, range.offset + moved);
            dispatch.bindings.push_back(binding);
        }
    }
}

VkResult submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence)
{
    std::vector<CommandBuffer*> all;
    for (const VkSubmitInfo& info : std::span(infos, count))
        for (const VkCommandBuffer one : std::span(info.pCommandBuffers, info.commandBufferCount))
            all.push_back(&objectOf<CommandBuffer>(one));
    objectOf<Queue>(queue).submit(all, fence == VK_NULL_HANDLE ? nullptr : &objectOf<Fence>(fence));
    return VK_SUCCESS;
}

VkResult createFence(VkDevice, const VkFenceCreateInfo* info, const VkAllocationCallbacks*, VkFence* made)
{
    return make<Fence>(made, (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0);
}

VkResult waitForFences(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32, std::uint64_t timeout)
{
    using std::chrono::nanoseconds;
    const auto now = Queue::Clock::now();
    const auto most = std::chrono::duration_cast<nanoseconds>(Queue::Clock::time_point::max() - now);
    const auto end = now + std::chrono::duration_cast<Queue::Clock::duration>(
                               nanoseconds(std::min(timeout, static_cast<std::uint64_t>(most.count()))));
    if (!objectOf<Device>(device).queue.run(end)) return VK_TIMEOUT;
    const auto all = std::span(fences, count);
    return std::all_of(all.begin(), all.end(), [](VkFence one) { return objectOf<Fence>(one).signalled; }) ? VK_SUCCESS
                                                                                                           : VK_TIMEOUT;
}

VkResult resetFences(VkDevice, std::uint32_t count, const VkFence* fences)
{
    for (const VkFence one : std::span(fences, count)) objectOf<Fence>(one).signalled = false;
    return VK_SUCCESS;
}

}  // namespace

void Queue::submit(const std::vector<CommandBuffer*>& commandBuffers, Fence* fence)
{
    submits_.push_back({commandBuffers, fence});
}

bool Queue::run(Clock::time_point end)
{
    end_ = end;
    for (const Submit& submit : std::exchange(submits_, {})) {
        for (const CommandBuffer* commandBuffer : submit.commandBuffers)
            for (const Command& command : commandBuffer->commands)
                if (!fault_ && !command(*this)) return false;
        if (submit.fence) submit.fence->signalled = true;
    }
    return true;
}

// After a kernel that nobody knows the work of, nothing more is done.
bool Queue::dispatch(const CommandState& state, const EmulatedDispatch& groups)
{
    const Pipeline& pipeline = *state.pipeline;
    const auto name = [&] { return pipeline.name.empty() ? std::string("a kernel") : "kernel " + pipeline.name; };
    if (!pipeline.kernel) {
        fault_ = {fmt::format("{} is not followed by the emulator: {}; only a device can judge it", name(),
                              pipeline.problem)};
        return true;
    }
    EmulatedDispatch dispatch = groups;
    dispatch.kernel = &*pipeline.kernel;
    dispatch.push = state.push;
    bind(state, dispatch);
    EmulatorSettings settings;
    settings.checks = false;  // the judge's own walk looks for races
    settings.budget = settings.mostTurns = UINT64_MAX;
    settings.ends = [this] { return Clock::now() >= end_; };
    const Emulated walked = emulate(dispatch, settings);
    if (walked.complete) return Clock::now() < end_;
    fault_ = faultOf(walked);
    if (fault_) fault_->what = name() + " " + fault_->what;
    return fault_ && !fault_->endless;
}

std::vector<EntryPoint> queueEntryPoints()
{
    return {
        entry<PFN_vkQueueSubmit, submit>("vkQueueSubmit"),
        entry<PFN_vkCreateFence, createFence>("vkCreateFence"),
        entry<PFN_vkDestroyFence, destroy<Fence, VkFence>>("vkDestroyFence"),
        entry<PFN_vkWaitForFences, waitForFences>("vkWaitForFences"),
        entry<PFN_vkResetFences, resetFences>("vkResetFences"),
    };
}

}  // namespace a2::emulated
