// A Vulkan layer for tests: calls fail, limits shrink, timestamps stay away, as the environment says. One instance and
// one device at a time.
//
// A2_FAULT_RESULT       the result of a failing call: a VkResult, as a number
// A2_FAULT_FIRST        the number of the first call that fails, from 1 on; only calls that return a VkResult count
// A2_FAULT_EVERY        0 (the default): no other fails; m: every m-th call after it fails, too
// A2_FAULT_CALL         only calls of this name count and fail
// A2_FAULT_END          `abort`, `segv`, `exit` or `kill`: how a call that fails ends the process, as a driver's fault
//                       would; `hang`: the call never returns; `stop`: the whole process stops
// A2_FAULT_ONCE         a file that is made by the first failing call of all processes; the others do not fail
// A2_FAULT_LOG          a file that gets a line for each call that failed: its number and its name
// A2_FAULT_INVOCATIONS, A2_FAULT_SHARED, A2_FAULT_BINDING, A2_FAULT_PUSH, A2_FAULT_HEAP
//                       maxComputeWorkGroupInvocations and -Size, maxComputeSharedMemorySize, maxStorageBufferRange,
//                       maxPushConstantsSize and the size of every memory heap are no more than this
// A2_FAULT_TIMESTAMPS   `equal` or `notready`: what vkGetQueryPoolResults has instead of timestamps
// A2_FAULT_UNTIMED      the number of the only call of vkGetQueryPoolResults without them; 0 (the default): every call
//
// A lost device stays lost: every later call on it reports that. A program that goes on with a device that has failed
// to take or to finish its work, even if only to destroy something, is ended by abort(), with a line on stderr.

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

namespace {

std::uint64_t number(const char* name)
{
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

std::string word(const char* name)
{
    const char* text = std::getenv(name);
    return text ? text : "";
}

struct Plan {
    VkResult result = static_cast<VkResult>(std::strtol(word("A2_FAULT_RESULT").c_str(), nullptr, 10));
    std::uint64_t first = number("A2_FAULT_FIRST"), every = number("A2_FAULT_EVERY");
    std::string call = word("A2_FAULT_CALL"), log = word("A2_FAULT_LOG"), end = word("A2_FAULT_END"),
                once = word("A2_FAULT_ONCE");
    std::uint32_t invocations = static_cast<std::uint32_t>(number("A2_FAULT_INVOCATIONS")),
                  shared = static_cast<std::uint32_t>(number("A2_FAULT_SHARED")),
                  binding = static_cast<std::uint32_t>(number("A2_FAULT_BINDING")),
                  push = static_cast<std::uint32_t>(number("A2_FAULT_PUSH"));
    VkDeviceSize heap = number("A2_FAULT_HEAP");
    std::string timestamps = word("A2_FAULT_TIMESTAMPS");
    std::uint64_t untimed = number("A2_FAULT_UNTIMED");
};

const Plan plan;
std::uint64_t calls = 0;      // that count
bool lost = false;            // the device
const char* ended = nullptr;  // the call that has shown that the device does not finish its work

// The result of a call that fails and is not passed on.
std::optional<VkResult> faultOf(const char* name)
{
    if (lost) return VK_ERROR_DEVICE_LOST;
    if (plan.first == 0 || (!plan.call.empty() && plan.call != name)) return std::nullopt;
    ++calls;
    if (calls < plan.first) return std::nullopt;
    const std::uint64_t after = calls - plan.first;
    if (plan.every == 0 ? after > 0 : after % plan.every != 0) return std::nullopt;
    if (!plan.once.empty()) {
        std::FILE* const first = std::fopen(plan.once.c_str(), "wx");
        if (!first) return std::nullopt;
        std::fclose(first);
    }
    if (std::FILE* log = plan.log.empty() ? nullptr : std::fopen(plan.log.c_str(), "a")) {
        std::fprintf(log, "%llu %s\n", static_cast<unsigned long long>(calls), name);
        std::fclose(log);
    }
    if (plan.end == "abort") std::abort();
    if (plan.end == "segv") std::raise(SIGSEGV);
    if (plan.end == "exit") std::_Exit(0);
    if (plan.end == "kill") std::raise(SIGKILL);
    if (plan.end == "stop") std::raise(SIGSTOP);
    while (plan.end == "hang") pause();
    lost = plan.result == VK_ERROR_DEVICE_LOST;
    return plan.result;
}

void mustNotGoOn(const char* name)
{
    if (!ended) return;
    std::fprintf(stderr, "fault layer: %s, after %s has shown that the device does not finish its work\n", name, ended);
    std::abort();
}

template <std::size_t length>
struct Name {
    char text[length];
    constexpr Name(const char (&from)[length]) { std::copy_n(from, length, text); }
};

// A call between a2 and the next layer or the driver.
template <Name name, class Function>
struct Hook;

template <Name name, class... Arguments>
struct Hook<name, VkResult(VKAPI_PTR*)(Arguments...)> {
    static inline VkResult(VKAPI_PTR* next)(Arguments...) = nullptr;
    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments)
    {
        mustNotGoOn(name.text);
        const auto fault = faultOf(name.text);
        const VkResult result = fault ? *fault : next ? next(arguments...) : VK_SUCCESS;
        static constexpr std::string_view hands[] = {"vkQueueSubmit", "vkWaitForFences", "vkResetFences"};
        const bool handsWork = std::find(std::begin(hands), std::end(hands), name.text) != std::end(hands);
        if (handsWork && result != VK_SUCCESS) ended = name.text;
        return result;
    }
};

template <Name name, class... Arguments>
struct Hook<name, void(VKAPI_PTR*)(Arguments...)> {
    static inline void(VKAPI_PTR* next)(Arguments...) = nullptr;
    static VKAPI_ATTR void VKAPI_CALL call(Arguments... arguments)
    {
        mustNotGoOn(name.text);
        if (plan.call == name.text) static_cast<void>(faultOf(name.text));  // it can only end, or not return
        next(arguments...);
    }
};

struct Entry {
    const char* name;
    PFN_vkVoidFunction hook;
    void (*link)(PFN_vkVoidFunction next);
};

template <Name name, class Function>
Entry entry()
{
    using This = Hook<name, Function>;
    static constexpr Name kept = name;
    return {kept.text, reinterpret_cast<PFN_vkVoidFunction>(&This::call),
            [](PFN_vkVoidFunction next) { This::next = reinterpret_cast<Function>(next); }};
}

PFN_vkGetInstanceProcAddr nextOfInstance = nullptr;
PFN_vkGetDeviceProcAddr nextOfDevice = nullptr;
VkInstance instance = nullptr;

const Entry ofInstance[] = {
    entry<"vkEnumeratePhysicalDevices", PFN_vkEnumeratePhysicalDevices>(),
    entry<"vkEnumerateDeviceExtensionProperties", PFN_vkEnumerateDeviceExtensionProperties>(),
    entry<"vkCreateDebugUtilsMessengerEXT", PFN_vkCreateDebugUtilsMessengerEXT>(),
    entry<"vkDestroyDebugUtilsMessengerEXT", PFN_vkDestroyDebugUtilsMessengerEXT>(),
    entry<"vkDestroyInstance", PFN_vkDestroyInstance>(),
};

const Entry ofDevice[] = {
    entry<"vkAllocateCommandBuffers", PFN_vkAllocateCommandBuffers>(),
    entry<"vkAllocateDescriptorSets", PFN_vkAllocateDescriptorSets>(),
    entry<"vkAllocateMemory", PFN_vkAllocateMemory>(),
    entry<"vkBeginCommandBuffer", PFN_vkBeginCommandBuffer>(),
    entry<"vkBindBufferMemory", PFN_vkBindBufferMemory>(),
    entry<"vkCreateBuffer", PFN_vkCreateBuffer>(),
    entry<"vkCreateCommandPool", PFN_vkCreateCommandPool>(),
    entry<"vkCreateComputePipelines", PFN_vkCreateComputePipelines>(),
    entry<"vkCreateDescriptorPool", PFN_vkCreateDescriptorPool>(),
    entry<"vkCreateDescriptorSetLayout", PFN_vkCreateDescriptorSetLayout>(),
    entry<"vkCreateFence", PFN_vkCreateFence>(),
    entry<"vkCreatePipelineLayout", PFN_vkCreatePipelineLayout>(),
    entry<"vkCreateQueryPool", PFN_vkCreateQueryPool>(),
    entry<"vkCreateShaderModule", PFN_vkCreateShaderModule>(),
    entry<"vkDeviceWaitIdle", PFN_vkDeviceWaitIdle>(),
    entry<"vkEndCommandBuffer", PFN_vkEndCommandBuffer>(),
    entry<"vkFreeDescriptorSets", PFN_vkFreeDescriptorSets>(),
    entry<"vkMapMemory", PFN_vkMapMemory>(),
    entry<"vkQueueSubmit", PFN_vkQueueSubmit>(),
    entry<"vkQueueWaitIdle", PFN_vkQueueWaitIdle>(),
    entry<"vkResetFences", PFN_vkResetFences>(),
    entry<"vkSetDebugUtilsObjectNameEXT", PFN_vkSetDebugUtilsObjectNameEXT>(),
    entry<"vkWaitForFences", PFN_vkWaitForFences>(),
    // These cannot fail.
    entry<"vkCmdCopyBuffer", PFN_vkCmdCopyBuffer>(),
    entry<"vkCmdDispatch", PFN_vkCmdDispatch>(),
    entry<"vkDestroyBuffer", PFN_vkDestroyBuffer>(),
    entry<"vkDestroyCommandPool", PFN_vkDestroyCommandPool>(),
    entry<"vkDestroyDescriptorPool", PFN_vkDestroyDescriptorPool>(),
    entry<"vkDestroyDescriptorSetLayout", PFN_vkDestroyDescriptorSetLayout>(),
    entry<"vkDestroyDevice", PFN_vkDestroyDevice>(),
    entry<"vkDestroyFence", PFN_vkDestroyFence>(),
    entry<"vkDestroyPipeline", PFN_vkDestroyPipeline>(),
    entry<"vkDestroyPipelineLayout", PFN_vkDestroyPipelineLayout>(),
    entry<"vkDestroyQueryPool", PFN_vkDestroyQueryPool>(),
    entry<"vkDestroyShaderModule", PFN_vkDestroyShaderModule>(),
    entry<"vkFreeCommandBuffers", PFN_vkFreeCommandBuffers>(),
    entry<"vkFreeMemory", PFN_vkFreeMemory>(),
    entry<"vkUnmapMemory", PFN_vkUnmapMemory>(),
    entry<"vkUpdateDescriptorSets", PFN_vkUpdateDescriptorSets>(),
};

// Looked up while the instance is made: later the loader's table leads back to this layer.
struct Following {
    PFN_vkGetPhysicalDeviceProperties getProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 getProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties getMemoryProperties = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2 getMemoryProperties2 = nullptr;
} following;

template <class Function>
void look(Function& function, const char* name)
{
    function = reinterpret_cast<Function>(nextOfInstance(instance, name));
}

// The link to the next layer, which the loader has put into the chain of such an info.
template <class LayerInfo>
LayerInfo* linkOf(const void* chain, VkStructureType type)
{
    for (auto* one = static_cast<const VkBaseInStructure*>(chain); one; one = one->pNext) {
        auto* info = reinterpret_cast<LayerInfo*>(const_cast<VkBaseInStructure*>(one));
        if (one->sType == type && info->function == VK_LAYER_LINK_INFO) return info;
    }
    return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* made)
{
    auto* link = linkOf<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    if (const auto fault = faultOf("vkCreateInstance")) return *fault;
    nextOfInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(nextOfInstance(nullptr, "vkCreateInstance"));
    const VkResult result = create(info, allocator, made);
    if (result != VK_SUCCESS) return result;
    instance = *made;
    for (const Entry& one : ofInstance) one.link(nextOfInstance(instance, one.name));
    look(following.getProperties, "vkGetPhysicalDeviceProperties");
    look(following.getProperties2, "vkGetPhysicalDeviceProperties2");
    look(following.getMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
    look(following.getMemoryProperties2, "vkGetPhysicalDeviceMemoryProperties2");
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* made)
{
    auto* link = linkOf<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    if (const auto fault = faultOf("vkCreateDevice")) return *fault;
    nextOfDevice = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const auto next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(next(instance, "vkCreateDevice"));
    return create(physical, info, allocator, made);
}

void cap(VkPhysicalDeviceLimits& limits)
{
    const auto least = [](std::uint32_t& limit, std::uint32_t most) {
        if (most > 0) limit = std::min(limit, most);
    };
    least(limits.maxComputeWorkGroupInvocations, plan.invocations);
    for (std::uint32_t& one : limits.maxComputeWorkGroupSize) least(one, plan.invocations);
    least(limits.maxComputeSharedMemorySize, plan.shared);
    least(limits.maxStorageBufferRange, plan.binding);
    least(limits.maxPushConstantsSize, plan.push);
}

void cap(VkPhysicalDeviceMemoryProperties& memory)
{
    if (plan.heap == 0) return;
    for (VkMemoryHeap& heap : std::span(memory.memoryHeaps, memory.memoryHeapCount))
        heap.size = std::min(heap.size, plan.heap);
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice physical, VkPhysicalDeviceProperties* properties)
{
    following.getProperties(physical, properties);
    cap(properties->limits);
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* properties)
{
    following.getProperties2(physical, properties);
    cap(properties->properties.limits);
}

VKAPI_ATTR void VKAPI_CALL getMemory(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties* memory)
{
    following.getMemoryProperties(physical, memory);
    cap(*memory);
}

VKAPI_ATTR void VKAPI_CALL getMemory2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* memory)
{
    following.getMemoryProperties2(physical, memory);
    cap(memory->memoryProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL getQueryPoolResults(VkDevice device, VkQueryPool pool, std::uint32_t first,
                                                   std::uint32_t count, std::size_t bytes, void* data,
                                                   VkDeviceSize stride, VkQueryResultFlags flags)
{
    constexpr const char* name = "vkGetQueryPoolResults";
    mustNotGoOn(name);
    if (const auto fault = faultOf(name)) return *fault;
    static std::uint64_t asked = 0;
    ++asked;
    if (!plan.timestamps.empty() && (plan.untimed == 0 || plan.untimed == asked)) {
        if (plan.timestamps == "notready") return VK_NOT_READY;
        std::memset(data, 0, bytes);
        return VK_SUCCESS;
    }
    const auto next = reinterpret_cast<PFN_vkGetQueryPoolResults>(nextOfDevice(device, name));
    return next(device, pool, first, count, bytes, data, stride, flags);
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name);
PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance of, const char* name);

struct Own {
    const char* name;
    PFN_vkVoidFunction function;
};

template <class Function>
PFN_vkVoidFunction plain(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

const Own own[] = {
    {"vkGetInstanceProcAddr", plain(getInstanceProcAddr)},
    {"vkCreateInstance", plain(createInstance)},
    {"vkCreateDevice", plain(createDevice)},
    {"vkGetPhysicalDeviceProperties", plain(getProperties)},
    {"vkGetPhysicalDeviceProperties2", plain(getProperties2)},
    {"vkGetPhysicalDeviceMemoryProperties", plain(getMemory)},
    {"vkGetPhysicalDeviceMemoryProperties2", plain(getMemory2)},
    {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)},
    {"vkGetQueryPoolResults", plain(getQueryPoolResults)},
};

template <class Entries>
auto find(const Entries& entries, const char* name)
{
    return std::find_if(std::begin(entries), std::end(entries),
                        [&](const auto& one) { return std::strcmp(one.name, name) == 0; });
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name)
{
    const auto next = nextOfDevice(device, name);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return plain(getDeviceProcAddr);
    if (std::strcmp(name, "vkGetQueryPoolResults") == 0) return plain(getQueryPoolResults);
    const auto found = find(ofDevice, name);
    if (found == std::end(ofDevice)) return next;
    // This layer accepts names even if the driver does not, so that they can be refused.
    if (!next && std::strcmp(name, "vkSetDebugUtilsObjectNameEXT") != 0) return nullptr;
    found->link(next);
    return found->hook;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance of, const char* name)
{
    if (const auto found = find(own, name); found != std::end(own)) return found->function;
    if (const auto found = find(ofInstance, name); found != std::end(ofInstance)) return found->hook;
    return of && nextOfInstance ? nextOfInstance(of, name) : nullptr;
}

}  // namespace

extern "C" VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version)
{
    if (version->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = getInstanceProcAddr;
    version->pfnGetDeviceProcAddr = getDeviceProcAddr;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
