// Command pools and command buffers; secondary ones are inserted where they are executed.
#include "recorder/EntryPoints.h"

#include <fmt/format.h>

namespace a2 {

namespace {

using Stage = CommandBufferObject::Stage;

VkResult createCommandPool(Recorder& recorder, VkDevice, const VkCommandPoolCreateInfo*, const VkAllocationCallbacks*,
                           VkCommandPool* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *made = handleOf<VkCommandPool>(recorder.commandPools.add({}));
    return VK_SUCCESS;
}

// Resets it to its state at allocation.
void empty(CommandBufferObject& buffer)
{
    buffer.stage = Stage::initial;
    buffer.state = {};
    buffer.commands.clear();
    buffer.boundSets.clear();
    buffer.executed.clear();
    buffer.dispatches = 0;
    buffer.strays = 0;
}

template <class Visit>
void forEachOf(Recorder& recorder, VkCommandPool pool, Visit visit)
{
    for (auto& [handle, buffer] : recorder.commandBuffers)
        if (buffer.pool != 0 && buffer.pool == numberOf(pool) && !buffer.destroyed) visit(buffer);
}

void destroyCommandPool(Recorder& recorder, VkDevice, VkCommandPool pool, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.commandPools, numberOf(pool));
    forEachOf(recorder, pool, [](CommandBufferObject& buffer) { buffer.destroyed = true; });
}

VkResult resetCommandPool(Recorder& recorder, VkDevice, VkCommandPool pool, VkCommandPoolResetFlags)
{
    recorder.need(recorder.commandPools, numberOf(pool));
    forEachOf(recorder, pool, empty);
    return VK_SUCCESS;
}

void trimPool(Recorder&, VkDevice, VkCommandPool, VkCommandPoolTrimFlags) {}

VkResult allocateCommandBuffers(Recorder& recorder, VkDevice, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* made)
{
    if (!recorder.need(recorder.commandPools, numberOf(info->commandPool))) return VK_ERROR_INITIALIZATION_FAILED;
    for (VkCommandBuffer& one : std::span(made, info->commandBufferCount)) {
        const Handle handle =
            recorder.makeCommandBuffer(numberOf(info->commandPool), info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        if (handle == 0) return VK_ERROR_OUT_OF_HOST_MEMORY;
        one = handleOf<VkCommandBuffer>(handle);
    }
    return VK_SUCCESS;
}

// A command buffer that the solution made. Null, with a fault, for the one that record() gets.
CommandBufferObject* ownBuffer(Recorder& recorder, VkCommandBuffer commandBuffer)
{
    CommandBufferObject* found = recorder.need(recorder.commandBuffers, numberOf(commandBuffer));
    if (!found || found->pool != 0) return found;
    recorder.fault("call", fmt::format("{}: record() must leave begin and end to the harness", lastCall.load()));
    return nullptr;
}

void freeBuffers(Recorder& recorder, VkDevice, VkCommandPool, std::uint32_t count, const VkCommandBuffer* buffers)
{
    for (const VkCommandBuffer one : std::span(buffers, count))
        if (CommandBufferObject* buffer = one ? ownBuffer(recorder, one) : nullptr) buffer->destroyed = true;
}

VkResult begin(Recorder& recorder, VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo* info)
{
    CommandBufferObject* buffer = ownBuffer(recorder, commandBuffer);
    if (!buffer) return VK_SUCCESS;
    if (buffer->stage == Stage::recording)
        recorder.fault("call",
                       fmt::format("vkBeginCommandBuffer: {} was begun before and has not ended", describe(*buffer)));
    empty(*buffer);
    buffer->stage = Stage::recording;
    buffer->simultaneous = (info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
    return VK_SUCCESS;
}

VkResult end(Recorder& recorder, VkCommandBuffer commandBuffer)
{
    CommandBufferObject* buffer = ownBuffer(recorder, commandBuffer);
    if (!buffer) return VK_SUCCESS;
    if (buffer->stage == Stage::recording)
        buffer->stage = Stage::ended;
    else
        recorder.fault("call", fmt::format("vkEndCommandBuffer: {} was not begun", describe(*buffer)));
    return VK_SUCCESS;
}

VkResult reset(Recorder& recorder, VkCommandBuffer commandBuffer, VkCommandBufferResetFlags)
{
    if (CommandBufferObject* buffer = ownBuffer(recorder, commandBuffer)) empty(*buffer);
    return VK_SUCCESS;
}

void executeOne(Recorder& recorder, CommandBufferObject& into, const CommandBufferObject& secondary, Handle handle)
{
    const auto refuse = [&](const char* why) {
        recorder.fault("call", fmt::format("vkCmdExecuteCommands: {} {}", describe(secondary), why));
    };
    if (&secondary == &into || !secondary.secondary) return refuse("is no secondary command buffer");
    if (secondary.stage == Stage::invalid)
        return refuse("binds a descriptor set that was updated since: record it again");
    if (secondary.stage != Stage::ended) return refuse("was not ended before it was executed");
    if (!into.executed.insert(handle).second &&
        !secondary.simultaneous)  // VUID-vkCmdExecuteCommands-pCommandBuffers-00092
        return refuse("is executed a second time: begin it with eSimultaneousUse, or record another one");
    for (NotedCommand command : secondary.commands) {
        auto* dispatch = std::get_if<NotedDispatch>(&command);
        if (dispatch && dispatch->what.label.empty() && !into.state.regions.empty())
            dispatch->what.label = into.state.regions.back();
        recorder.note(into, std::move(command));
        if (recorder.tooMuch()) return;
    }
    into.boundSets.insert(secondary.boundSets.begin(), secondary.boundSets.end());
}

void execute(Recorder& recorder, VkCommandBuffer commandBuffer, std::uint32_t count, const VkCommandBuffer* buffers)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    if (!into) return;
    for (const VkCommandBuffer one : std::span(buffers, count))
        if (const CommandBufferObject* secondary = recorder.need(recorder.commandBuffers, numberOf(one)))
            executeOne(recorder, *into, *secondary, numberOf(one));
    // Afterwards all state is undefined, except for the regions that labels have begun.
    std::vector<std::string> regions = std::move(into->state.regions);
    into->state = {};
    into->state.regions = std::move(regions);
}

}  // namespace

std::vector<EntryPoint> commandBufferEntryPoints()
{
    return {
        entry<"vkCreateCommandPool", PFN_vkCreateCommandPool, createCommandPool>(),
        entry<"vkDestroyCommandPool", PFN_vkDestroyCommandPool, destroyCommandPool>(),
        entry<"vkResetCommandPool", PFN_vkResetCommandPool, resetCommandPool>(),
        entry<"vkTrimCommandPool", PFN_vkTrimCommandPool, trimPool>(),
        entry<"vkTrimCommandPoolKHR", PFN_vkTrimCommandPool, trimPool>(),
        entry<"vkAllocateCommandBuffers", PFN_vkAllocateCommandBuffers, allocateCommandBuffers>(),
        entry<"vkFreeCommandBuffers", PFN_vkFreeCommandBuffers, freeBuffers>(),
        entry<"vkBeginCommandBuffer", PFN_vkBeginCommandBuffer, begin>(),
        entry<"vkEndCommandBuffer", PFN_vkEndCommandBuffer, end>(),
        entry<"vkResetCommandBuffer", PFN_vkResetCommandBuffer, reset>(),
        entry<"vkCmdExecuteCommands", PFN_vkCmdExecuteCommands, execute>(),
    };
}

}  // namespace a2
