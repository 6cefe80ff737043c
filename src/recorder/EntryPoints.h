// The Vulkan functions that student code calls.
#pragma once

#include "recorder/Session.h"

#include <atomic>
#include <span>
#include <string_view>
#include <type_traits>

namespace a2 {

extern std::atomic<const char*> lastCall;

struct EntryPoint {
    const char* name;
    PFN_vkVoidFunction call;
};

// A function's name, as a template argument.
template <std::size_t length>
struct Name {
    char text[length]{};
    constexpr Name(const char (&name)[length])
    {
        for (std::size_t i = 0; i < length; ++i) text[i] = name[i];
    }
};

// A structure's sType must say what it is; Vulkan-Hpp sets it, C code may forget it. A fault of the last call if not.
// name: that of `must`.
void mustBe(Recorder& recorder, VkStructureType is, VkStructureType must, std::string_view name);

// What every call does besides its own work. No exception may leave it: Vulkan-Hpp would end the program.
template <class Function>
struct Noted;
template <class R, class... A>
struct Noted<R(VKAPI_PTR*)(A...)> {
    template <Name name, R (*work)(Recorder&, A...)>
    static VKAPI_ATTR R VKAPI_CALL call(A... arguments)
    {
        lastCall = name.text;
        constexpr bool tells = std::is_same_v<R, VkResult>;
        Recorder* recorder = Recorder::current();
        if (recorder) {
            const std::lock_guard lock(recorder->mutex);
            try {
                return work(*recorder, arguments...);
            } catch (...) {  // no memory to record more
                recorder->stop();
            }
        }
        if constexpr (tells) return VK_ERROR_OUT_OF_HOST_MEMORY;
        if constexpr (!tells) return R();
    }
};

template <Name name, class Function, auto work>
EntryPoint entry()
{
    static constexpr Name held = name;
    return {held.text, reinterpret_cast<PFN_vkVoidFunction>(&Noted<Function>::template call<name, work>)};
}

std::vector<EntryPoint> deviceEntryPoints();    // Device.cpp: instance, devices, queues, objects that are only created
std::vector<EntryPoint> memoryEntryPoints();    // Memory.cpp: buffers and memory
std::vector<EntryPoint> pipelineEntryPoints();  // Pipelines.cpp: modules, layouts, pipelines
std::vector<EntryPoint> descriptorEntryPoints();     // Descriptors.cpp: sets, their layouts and pools
std::vector<EntryPoint> commandBufferEntryPoints();  // CommandBuffers.cpp: pools, begin and end, secondary ones
std::vector<EntryPoint> commandEntryPoints();        // Commands.cpp: vkCmd*
std::vector<EntryPoint> barrierEntryPoints();        // Barriers.cpp: barriers, events

// While it lives, VULKAN_HPP_DEFAULT_DISPATCHER has these functions; afterwards it has the earlier ones again.
class NotingVulkan {
public:
    NotingVulkan();
    ~NotingVulkan();
    NotingVulkan(const NotingVulkan&) = delete;
    NotingVulkan& operator=(const NotingVulkan&) = delete;

private:
    std::remove_cvref_t<decltype(VULKAN_HPP_DEFAULT_DISPATCHER)> before_;
};

}  // namespace a2
