#include "gpu/WatchedCalls.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace a2 {

namespace watching {

namespace {

std::atomic<const char*> called{nullptr};
std::atomic<std::uint64_t> steps{0};
std::atomic<bool> ranKernels{false};
thread_local const char* calledHere = nullptr;

class InCall {
public:
    explicit InCall(const char* name) : before_(std::exchange(calledHere, name)) { note(name); }
    ~InCall()
    {
        calledHere = before_;
        note(before_);
    }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;

private:
    static void note(const char* name)
    {
        called.store(name, std::memory_order_relaxed);
        steps.fetch_add(1, std::memory_order_release);
    }
    const char* before_;
};

// A function's name, as a template argument.
template <std::size_t length>
struct Name {
    char text[length]{};
    constexpr Name(const char (&name)[length]) { std::copy_n(name, length, text); }
};

// A function got through the instance may differ from the one got through the device.
enum class Way { instance, device };

template <Way way, Name name, class Function>
struct Watched;

template <Way way, Name name, class R, class... A>
struct Watched<way, name, R(VKAPI_PTR*)(A...)> {
    static inline R(VKAPI_PTR* next)(A...) = nullptr;
    static VKAPI_ATTR R VKAPI_CALL call(A... arguments)
    {
        const InCall in(name.text);
        if constexpr (std::string_view(name.text).starts_with("vkCmdDispatch"))
            ranKernels.store(true, std::memory_order_relaxed);
        return next(arguments...);
    }
    // Null if another driver already has this function's place.
    static PFN_vkVoidFunction link(PFN_vkVoidFunction driver)
    {
        const auto function = reinterpret_cast<R(VKAPI_PTR*)(A...)>(driver);
        if (next && next != function) return nullptr;
        next = function;
        return reinterpret_cast<PFN_vkVoidFunction>(call);
    }
};

struct Entry {
    const char* name;
    PFN_vkVoidFunction (*link[2])(PFN_vkVoidFunction driver);
};

template <Name name, class Function>
Entry entry()
{
    static constexpr Name kept = name;
    return {kept.text, {&Watched<Way::instance, name, Function>::link, &Watched<Way::device, name, Function>::link}};
}

#define A2_WATCHED(name) entry<#name, PFN_##name>()

// The functions that a2 calls.
const Entry entries[] = {
    A2_WATCHED(vkAllocateCommandBuffers),
    A2_WATCHED(vkAllocateDescriptorSets),
    A2_WATCHED(vkAllocateMemory),
    A2_WATCHED(vkBeginCommandBuffer),
    A2_WATCHED(vkBindBufferMemory),
    A2_WATCHED(vkCmdBindDescriptorSets),
    A2_WATCHED(vkCmdBindPipeline),
    A2_WATCHED(vkCmdCopyBuffer),
    A2_WATCHED(vkCmdDispatch),
    A2_WATCHED(vkCmdDispatchBase),
    A2_WATCHED(vkCmdDispatchIndirect),
    A2_WATCHED(vkCmdFillBuffer),
    A2_WATCHED(vkCmdPipelineBarrier),
    A2_WATCHED(vkCmdPushConstants),
    A2_WATCHED(vkCmdResetQueryPool),
    A2_WATCHED(vkCmdUpdateBuffer),
    A2_WATCHED(vkCmdWriteTimestamp),
    A2_WATCHED(vkCreateBuffer),
    A2_WATCHED(vkCreateCommandPool),
    A2_WATCHED(vkCreateComputePipelines),
    A2_WATCHED(vkCreateDebugUtilsMessengerEXT),
    A2_WATCHED(vkCreateDescriptorPool),
    A2_WATCHED(vkCreateDescriptorSetLayout),
    A2_WATCHED(vkCreateDevice),
    A2_WATCHED(vkCreateFence),
    A2_WATCHED(vkCreateInstance),
    A2_WATCHED(vkCreatePipelineLayout),
    A2_WATCHED(vkCreateQueryPool),
    A2_WATCHED(vkCreateShaderModule),
    A2_WATCHED(vkDestroyBuffer),
    A2_WATCHED(vkDestroyCommandPool),
    A2_WATCHED(vkDestroyDebugUtilsMessengerEXT),
    A2_WATCHED(vkDestroyDescriptorPool),
    A2_WATCHED(vkDestroyDescriptorSetLayout),
    A2_WATCHED(vkDestroyDevice),
    A2_WATCHED(vkDestroyFence),
    A2_WATCHED(vkDestroyInstance),
    A2_WATCHED(vkDestroyPipeline),
    A2_WATCHED(vkDestroyPipelineLayout),
    A2_WATCHED(vkDestroyQueryPool),
    A2_WATCHED(vkDestroyShaderModule),
    A2_WATCHED(vkDeviceWaitIdle),
    A2_WATCHED(vkEndCommandBuffer),
    A2_WATCHED(vkEnumerateDeviceExtensionProperties),
    A2_WATCHED(vkEnumerateInstanceExtensionProperties),
    A2_WATCHED(vkEnumerateInstanceLayerProperties),
    A2_WATCHED(vkEnumerateInstanceVersion),
    A2_WATCHED(vkEnumeratePhysicalDevices),
    A2_WATCHED(vkFreeCommandBuffers),
    A2_WATCHED(vkFreeDescriptorSets),
    A2_WATCHED(vkFreeMemory),
    A2_WATCHED(vkGetBufferMemoryRequirements),
    A2_WATCHED(vkGetDeviceQueue),
    A2_WATCHED(vkGetPhysicalDeviceFeatures),
    A2_WATCHED(vkGetPhysicalDeviceFeatures2),
    A2_WATCHED(vkGetPhysicalDeviceMemoryProperties),
    A2_WATCHED(vkGetPhysicalDeviceProperties),
    A2_WATCHED(vkGetPhysicalDeviceProperties2),
    A2_WATCHED(vkGetPhysicalDeviceQueueFamilyProperties),
    A2_WATCHED(vkGetQueryPoolResults),
    A2_WATCHED(vkMapMemory),
    A2_WATCHED(vkQueueSubmit),
    A2_WATCHED(vkQueueWaitIdle),
    A2_WATCHED(vkResetFences),
    A2_WATCHED(vkSetDebugUtilsObjectNameEXT),
    A2_WATCHED(vkUnmapMemory),
    A2_WATCHED(vkUpdateDescriptorSets),
    A2_WATCHED(vkWaitForFences),
};

#undef A2_WATCHED

PFN_vkGetInstanceProcAddr driversInstance = nullptr;
PFN_vkGetDeviceProcAddr driversDevice = nullptr;

PFN_vkVoidFunction watched(Way way, const char* name, PFN_vkVoidFunction driver)
{
    if (!driver) return nullptr;
    const auto found = std::find_if(std::begin(entries), std::end(entries),
                                    [&](const Entry& one) { return std::strcmp(one.name, name) == 0; });
    if (found == std::end(entries)) return driver;
    const PFN_vkVoidFunction own = found->link[static_cast<std::size_t>(way)](driver);
    return own ? own : driver;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name)
{
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    return watched(Way::device, name, driversDevice(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name)
{
    const PFN_vkVoidFunction driver = driversInstance(instance, name);
    if (driver && std::strcmp(name, "vkGetInstanceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr);
    if (driver && std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
        driversDevice = reinterpret_cast<PFN_vkGetDeviceProcAddr>(driver);
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    }
    return watched(Way::instance, name, driver);
}

}  // namespace

}  // namespace watching

PFN_vkGetInstanceProcAddr watchedVulkan(PFN_vkGetInstanceProcAddr driver)
{
    if (watching::driversInstance && watching::driversInstance != driver) return driver;
    watching::driversInstance = driver;
    return watching::getInstanceProcAddr;
}

DriverCall driverCall() noexcept
{
    const std::uint64_t number = watching::steps.load(std::memory_order_acquire);
    return {watching::called.load(std::memory_order_relaxed), number};
}

const char* driverCallHere() noexcept { return watching::calledHere; }

bool driverHasRunKernels() noexcept { return watching::ranKernels.load(std::memory_order_relaxed); }

}  // namespace a2
