// Instance, physical device, device and queue, and objects of which only the existence matters.
#include "recorder/EntryPoints.h"
#include "recorder/OwnVulkan.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr const char* instanceExtensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
constexpr const char* deviceExtensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                                            VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                                            VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME};

VkResult enumerateVersion(Recorder&, std::uint32_t* version)
{
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

VkResult enumerateInstanceExtensions(Recorder&, const char*, std::uint32_t* count, VkExtensionProperties* items)
{
    return giveExtensions(instanceExtensions, count, items);
}

VkResult enumerateInstanceLayers(Recorder&, std::uint32_t* count, VkLayerProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VkResult createInstance(Recorder& recorder, const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance* made)
{
    *made = recorder.instance();
    return VK_SUCCESS;
}

void destroyInstance(Recorder&, VkInstance, const VkAllocationCallbacks*) {}

VkResult enumeratePhysicalDevices(Recorder& recorder, VkInstance, std::uint32_t* count, VkPhysicalDevice* items)
{
    const VkPhysicalDevice one = recorder.physicalDevice();
    return give<VkPhysicalDevice>({&one, 1}, count, items);
}

void getProperties(Recorder& recorder, VkPhysicalDevice, VkPhysicalDeviceProperties* properties)
{
    *properties = recorder.properties;
}

void getProperties2(Recorder& recorder, VkPhysicalDevice, VkPhysicalDeviceProperties2* properties)
{
    properties->properties = recorder.properties;
    const VkSubgroupFeatureFlags operations =
        VK_SUBGROUP_FEATURE_BASIC_BIT |
        (recorder.device.subgroupArithmetic ? static_cast<VkSubgroupFeatureFlags>(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)
                                            : 0);
    forEachInChain(properties->pNext, [&](VkStructureType type, void* asked) {
        if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            auto& subgroup = *static_cast<VkPhysicalDeviceSubgroupProperties*>(asked);
            subgroup.subgroupSize = recorder.device.subgroupSize;
            subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
            subgroup.supportedOperations = operations;
        } else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            auto& all = *static_cast<VkPhysicalDeviceVulkan11Properties*>(asked);
            all.subgroupSize = recorder.device.subgroupSize;
            all.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
            all.subgroupSupportedOperations = operations;
        } else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR) {
            static_cast<VkPhysicalDevicePushDescriptorPropertiesKHR*>(asked)->maxPushDescriptors = 32;
        }
    });
}

void getFeatures(Recorder& recorder, VkPhysicalDevice, VkPhysicalDeviceFeatures* features)
{
    *features = {};
    features->shaderInt64 = recorder.device.int64Atomics;
}

void getFeatures2(Recorder& recorder, VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* features)
{
    getFeatures(recorder, physical, &features->features);
    forEachInChain(features->pNext, [&](VkStructureType type, void* asked) {
        if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES)
            static_cast<VkPhysicalDeviceShaderAtomicInt64Features*>(asked)->shaderBufferInt64Atomics =
                recorder.device.int64Atomics;
        else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            static_cast<VkPhysicalDeviceVulkan12Features*>(asked)->shaderBufferInt64Atomics =
                recorder.device.int64Atomics;
        else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES)
            static_cast<VkPhysicalDeviceSynchronization2Features*>(asked)->synchronization2 = VK_TRUE;
        else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
            static_cast<VkPhysicalDeviceVulkan13Features*>(asked)->synchronization2 = VK_TRUE;
    });
}

// There is no memory that the host can see, because there is no data.
void getMemory(Recorder&, VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory)
{
    *memory = {};
    memory->memoryTypeCount = memory->memoryHeapCount = 1;
    memory->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    memory->memoryHeaps[0] = {std::uint64_t{1} << 40, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

void getMemory2(Recorder& recorder, VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* memory)
{
    getMemory(recorder, physical, &memory->memoryProperties);
}

constexpr VkQueueFamilyProperties family = {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};

void getFamilies(Recorder&, VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties* families)
{
    give<VkQueueFamilyProperties>({&family, 1}, count, families);
}

void getFamilies2(Recorder&, VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties2* families)
{
    if (families && *count > 0) families->queueFamilyProperties = family;
    *count = families ? std::min(*count, 1U) : 1;
}

VkResult enumerateDeviceExtensions(Recorder&, VkPhysicalDevice, const char*, std::uint32_t* count,
                                   VkExtensionProperties* items)
{
    return giveExtensions(deviceExtensions, count, items);
}

VkResult enumerateDeviceLayers(Recorder&, VkPhysicalDevice, std::uint32_t* count, VkLayerProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VkResult createDevice(Recorder& recorder, VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                      VkDevice* made)
{
    *made = recorder.vulkanDevice();
    return VK_SUCCESS;
}

void destroyDevice(Recorder&, VkDevice, const VkAllocationCallbacks*) {}

void getQueue(Recorder& recorder, VkDevice, std::uint32_t, std::uint32_t, VkQueue* queue) { *queue = recorder.queue(); }
void getQueue2(Recorder& recorder, VkDevice, const VkDeviceQueueInfo2*, VkQueue* queue) { *queue = recorder.queue(); }

// Fences, semaphores, query pools, caches, messengers.
template <class Parent, class Info, class VkHandle>
VkResult createOther(Recorder& recorder, Parent, const Info*, const VkAllocationCallbacks*, VkHandle* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *made = handleOf<VkHandle>(recorder.others.add({}));
    return VK_SUCCESS;
}

template <class Parent, class VkHandle>
void destroyOther(Recorder& recorder, Parent, VkHandle other, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.others, numberOf(other));
}

VkResult createEvent(Recorder& recorder, VkDevice, const VkEventCreateInfo*, const VkAllocationCallbacks*,
                     VkEvent* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *made = handleOf<VkEvent>(recorder.events.add({}));
    return VK_SUCCESS;
}

void destroyEvent(Recorder& recorder, VkDevice, VkEvent event, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.events, numberOf(event));
}

// An empty cache: nothing was compiled.
VkResult getCacheData(Recorder&, VkDevice, VkPipelineCache, std::size_t* bytes, void*)
{
    *bytes = 0;
    return VK_SUCCESS;
}
VkResult mergeCaches(Recorder&, VkDevice, VkPipelineCache, std::uint32_t, const VkPipelineCache*) { return VK_SUCCESS; }

void resetQueryPool(Recorder&, VkDevice, VkQueryPool, std::uint32_t, std::uint32_t) {}

VkResult setTag(Recorder&, VkDevice, const VkDebugUtilsObjectTagInfoEXT*) { return VK_SUCCESS; }

VkResult setName(Recorder& recorder, VkDevice, const VkDebugUtilsObjectNameInfoEXT* info)
{
    const std::string name = info->pObjectName ? info->pObjectName : "";
    if (!recorder.mayNote(name.size())) return VK_SUCCESS;
    const auto rename = [&](auto& all) {
        auto* object = recorder.need(all, info->objectHandle);
        if (object) object->name = name;
        return object;
    };
    switch (info->objectType) {
        case VK_OBJECT_TYPE_BUFFER:
            if (const BufferObject* buffer = rename(recorder.buffers))
                recorder.recording.buffers[buffer->index].name = name;
            break;
        case VK_OBJECT_TYPE_PIPELINE:
            if (const PipelineObject* pipeline = rename(recorder.pipelines))
                recorder.recording.pipelines[pipeline->index].name = name;
            break;
        case VK_OBJECT_TYPE_DESCRIPTOR_SET:
            rename(recorder.sets);
            break;
        case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT:
            rename(recorder.setLayouts);
            break;
        case VK_OBJECT_TYPE_DESCRIPTOR_POOL:
            rename(recorder.pools);
            break;
        case VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE:
            rename(recorder.templates);
            break;
        case VK_OBJECT_TYPE_PIPELINE_LAYOUT:
            rename(recorder.layouts);
            break;
        case VK_OBJECT_TYPE_SHADER_MODULE:
            rename(recorder.modules);
            break;
        case VK_OBJECT_TYPE_DEVICE_MEMORY:
            rename(recorder.memories);
            break;
        case VK_OBJECT_TYPE_EVENT:
            rename(recorder.events);
            break;
        case VK_OBJECT_TYPE_COMMAND_POOL:
            rename(recorder.commandPools);
            break;
        case VK_OBJECT_TYPE_COMMAND_BUFFER:
            rename(recorder.commandBuffers);
            break;
        default:
            break;  // messages never name it
    }
    return VK_SUCCESS;
}

}  // namespace

std::vector<EntryPoint> deviceEntryPoints()
{
    return {
        entry<"vkEnumerateInstanceVersion", PFN_vkEnumerateInstanceVersion, enumerateVersion>(),
        entry<"vkEnumerateInstanceExtensionProperties", PFN_vkEnumerateInstanceExtensionProperties,
              enumerateInstanceExtensions>(),
        entry<"vkEnumerateInstanceLayerProperties", PFN_vkEnumerateInstanceLayerProperties, enumerateInstanceLayers>(),
        entry<"vkCreateInstance", PFN_vkCreateInstance, createInstance>(),
        entry<"vkDestroyInstance", PFN_vkDestroyInstance, destroyInstance>(),
        entry<"vkEnumeratePhysicalDevices", PFN_vkEnumeratePhysicalDevices, enumeratePhysicalDevices>(),
        entry<"vkGetPhysicalDeviceProperties", PFN_vkGetPhysicalDeviceProperties, getProperties>(),
        entry<"vkGetPhysicalDeviceProperties2", PFN_vkGetPhysicalDeviceProperties2, getProperties2>(),
        entry<"vkGetPhysicalDeviceProperties2KHR", PFN_vkGetPhysicalDeviceProperties2, getProperties2>(),
        entry<"vkGetPhysicalDeviceFeatures", PFN_vkGetPhysicalDeviceFeatures, getFeatures>(),
        entry<"vkGetPhysicalDeviceFeatures2", PFN_vkGetPhysicalDeviceFeatures2, getFeatures2>(),
        entry<"vkGetPhysicalDeviceFeatures2KHR", PFN_vkGetPhysicalDeviceFeatures2, getFeatures2>(),
        entry<"vkGetPhysicalDeviceMemoryProperties", PFN_vkGetPhysicalDeviceMemoryProperties, getMemory>(),
        entry<"vkGetPhysicalDeviceMemoryProperties2", PFN_vkGetPhysicalDeviceMemoryProperties2, getMemory2>(),
        entry<"vkGetPhysicalDeviceMemoryProperties2KHR", PFN_vkGetPhysicalDeviceMemoryProperties2, getMemory2>(),
        entry<"vkGetPhysicalDeviceQueueFamilyProperties", PFN_vkGetPhysicalDeviceQueueFamilyProperties, getFamilies>(),
        entry<"vkGetPhysicalDeviceQueueFamilyProperties2", PFN_vkGetPhysicalDeviceQueueFamilyProperties2,
              getFamilies2>(),
        entry<"vkGetPhysicalDeviceQueueFamilyProperties2KHR", PFN_vkGetPhysicalDeviceQueueFamilyProperties2,
              getFamilies2>(),
        entry<"vkEnumerateDeviceExtensionProperties", PFN_vkEnumerateDeviceExtensionProperties,
              enumerateDeviceExtensions>(),
        entry<"vkEnumerateDeviceLayerProperties", PFN_vkEnumerateDeviceLayerProperties, enumerateDeviceLayers>(),
        entry<"vkCreateDevice", PFN_vkCreateDevice, createDevice>(),
        entry<"vkDestroyDevice", PFN_vkDestroyDevice, destroyDevice>(),
        entry<"vkGetDeviceQueue", PFN_vkGetDeviceQueue, getQueue>(),
        entry<"vkGetDeviceQueue2", PFN_vkGetDeviceQueue2, getQueue2>(),
        entry<"vkCreateFence", PFN_vkCreateFence, createOther<VkDevice, VkFenceCreateInfo, VkFence>>(),
        entry<"vkDestroyFence", PFN_vkDestroyFence, destroyOther<VkDevice, VkFence>>(),
        entry<"vkCreateSemaphore", PFN_vkCreateSemaphore, createOther<VkDevice, VkSemaphoreCreateInfo, VkSemaphore>>(),
        entry<"vkDestroySemaphore", PFN_vkDestroySemaphore, destroyOther<VkDevice, VkSemaphore>>(),
        entry<"vkCreateQueryPool", PFN_vkCreateQueryPool, createOther<VkDevice, VkQueryPoolCreateInfo, VkQueryPool>>(),
        entry<"vkDestroyQueryPool", PFN_vkDestroyQueryPool, destroyOther<VkDevice, VkQueryPool>>(),
        entry<"vkResetQueryPool", PFN_vkResetQueryPool, resetQueryPool>(),
        entry<"vkResetQueryPoolEXT", PFN_vkResetQueryPool, resetQueryPool>(),
        entry<"vkCreatePipelineCache", PFN_vkCreatePipelineCache,
              createOther<VkDevice, VkPipelineCacheCreateInfo, VkPipelineCache>>(),
        entry<"vkDestroyPipelineCache", PFN_vkDestroyPipelineCache, destroyOther<VkDevice, VkPipelineCache>>(),
        entry<"vkGetPipelineCacheData", PFN_vkGetPipelineCacheData, getCacheData>(),
        entry<"vkMergePipelineCaches", PFN_vkMergePipelineCaches, mergeCaches>(),
        entry<"vkCreateDebugUtilsMessengerEXT", PFN_vkCreateDebugUtilsMessengerEXT,
              createOther<VkInstance, VkDebugUtilsMessengerCreateInfoEXT, VkDebugUtilsMessengerEXT>>(),
        entry<"vkDestroyDebugUtilsMessengerEXT", PFN_vkDestroyDebugUtilsMessengerEXT,
              destroyOther<VkInstance, VkDebugUtilsMessengerEXT>>(),
        entry<"vkSetDebugUtilsObjectNameEXT", PFN_vkSetDebugUtilsObjectNameEXT, setName>(),
        entry<"vkSetDebugUtilsObjectTagEXT", PFN_vkSetDebugUtilsObjectTagEXT, setTag>(),
        entry<"vkCreateEvent", PFN_vkCreateEvent, createEvent>(),
        entry<"vkDestroyEvent", PFN_vkDestroyEvent, destroyEvent>(),
    };
}

}  // namespace a2
