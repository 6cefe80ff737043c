#include "recorder/Refusals.h"

#include "recorder/EntryPoints.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace a2 {

namespace {

struct Instead {
    std::string_view prefix;  // of calls; the first that fits is used
    const char* sentence;
};

constexpr Instead insteads[] = {
    {"vkQueueSubmit", "record() only records; the harness submits what you recorded"},
    {"vkQueueWaitIdle", "nothing runs while you record; the harness waits for what it submits"},
    {"vkDeviceWaitIdle", "nothing runs while you record; the harness waits for what it submits"},
    {"vkQueue", "record() only records; the harness submits what you recorded"},
    {"vkWaitForFences",
     "nothing runs while you record, and no fence is ever signalled; the harness waits for what it submits"},
    {"vkGetFenceStatus", "nothing runs while you record, and no fence is ever signalled"},
    {"vkResetFences", "nothing runs while you record, and no fence is ever signalled"},
    {"vkWaitSemaphores", "nothing runs while you record; order dispatches with pipeline barriers"},
    {"vkSignalSemaphore", "nothing runs while you record; order dispatches with pipeline barriers"},
    {"vkGetSemaphoreCounterValue", "nothing runs while you record; order dispatches with pipeline barriers"},
    {"vkSetEvent", "an event is set by a command, cb.setEvent(), before a command waits for it"},
    {"vkResetEvent", "an event is reset by a command, cb.resetEvent()"},
    {"vkGetEventStatus", "nothing runs while you record, and no event is ever set"},
    {"vkMapMemory",
     "there is no memory to map while you record; fill a buffer with fillDeviceWithStagingBuffer() where the "
     "solution is made, or with cb.updateBuffer()"},
    {"vkUnmapMemory", "there is no memory to map while you record"},
    {"vkFlushMappedMemoryRanges", "there is no memory to map while you record"},
    {"vkInvalidateMappedMemoryRanges", "there is no memory to map while you record"},
    {"vkGetQueryPoolResults", "nothing runs while you record; the harness takes the times"},
    {"vkCmdCopyQueryPoolResults", "the harness takes the times, and queries are left out of what it runs"},
    {"vkGetBufferDeviceAddress", "kernels reach buffers through descriptor sets"},
    {"vkGetBufferOpaqueCaptureAddress", "kernels reach buffers through descriptor sets"},
    {"vkCreateBufferView", "kernels reach buffers through storage and uniform buffer descriptors"},
    {"vkCreateImage", "a recording has buffers, no images; use a Buffer"},
    {"vkCreateSampler", "a recording has buffers, no images; use a Buffer"},
    {"vkCmdCopyBufferToImage", "a recording has buffers, no images; use a Buffer"},
    {"vkCmdCopyImage", "a recording has buffers, no images; use a Buffer"},
    {"vkCmdClear", "a recording has buffers, no images; cb.fillBuffer() clears a buffer"},
    {"vkCmdDraw", "a recording has compute work alone; use cb.dispatch()"},
    {"vkCmdBeginRender", "a recording has compute work alone; use cb.dispatch()"},
    {"vkCreateGraphicsPipelines", "a recording has compute work alone; use vkCreateComputePipelines"},
    {"vkCreateRayTracingPipelines", "a recording has compute work alone; use vkCreateComputePipelines"},
    {"vkCreateRenderPass", "a recording has compute work alone"},
    {"vkCreateFramebuffer", "a recording has compute work alone"},
    {"vkGetPhysicalDevice",
     "a solution is told its device's properties, limits, features, memory and queues, and no more"},
};

void refuse(const char* name)
{
    lastCall = name;
    Recorder* recorder = Recorder::current();
    if (!recorder) return;
    const std::lock_guard lock(recorder->mutex);
    const char* sentence =
        "a recording cannot hold it; what can be recorded are dispatches, barriers, events, and "
        "fills, updates and copies of buffers";
    for (const Instead& one : insteads)
        if (std::string_view(name).starts_with(one.prefix)) {
            sentence = one.sentence;
            break;
        }
    try {
        recorder->fault("call", fmt::format("{}: {}", name, sentence));
    } catch (...) {
        recorder->stop();
    }
}

// One function for each name. It ignores its arguments: on every machine that a2 is built for, the caller of a function
// also removes the arguments again.
constexpr std::size_t slots = 2048;
std::mutex namesMutex;
std::size_t namesUsed = 0;
// Never destroyed: the last call may be asked for while the process ends.
std::array<std::string, slots>& names()
{
    static auto* const all = new std::array<std::string, slots>;
    return *all;
}

template <std::size_t slot>
VKAPI_ATTR VkResult VKAPI_CALL refused()
{
    refuse(names()[slot].c_str());
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

template <std::size_t... slot>
constexpr std::array<VkResult(VKAPI_PTR*)(), slots> allRefused(std::index_sequence<slot...>)
{
    return {refused<slot>...};
}

}  // namespace

PFN_vkVoidFunction refusal(const char* name)
{
    static const auto functions = allRefused(std::make_index_sequence<slots>());
    static std::map<std::string_view, std::size_t> places;
    const std::lock_guard lock(namesMutex);
    const auto found = places.find(name);
    std::size_t slot = slots - 1;  // shared by all names that get no slot of their own
    if (found != places.end()) {
        slot = found->second;
    } else if (namesUsed < slots - 1) {
        slot = namesUsed++;
        places.emplace(names()[slot] = name, slot);
    } else {
        names()[slot] = "a Vulkan function";
    }
    return reinterpret_cast<PFN_vkVoidFunction>(functions[slot]);
}

}  // namespace a2
