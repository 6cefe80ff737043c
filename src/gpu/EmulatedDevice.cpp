// The emulated Vulkan's instance and its one device, whose limits are those of a usual one.
#include "base/BuildFacts.h"
#include "gpu/DeviceFeatures.h"
#include "gpu/EmulatedObjects.h"
#include "recording/OwnVulkan.h"

#include <cstdio>

namespace a2::emulated {

namespace {

constexpr std::uint32_t apiVersion = VK_API_VERSION_1_2;
constexpr const char* instanceExtensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};

// Of everything that kernels may use: the emulator knows all of it.
std::vector<const char*> deviceExtensions()
{
    std::vector<const char*> all(kernelExtensions().begin(), kernelExtensions().end());
    for (const FeatureGroup& group : featureGroups())
        if (group.extension) all.push_back(group.extension);
    return all;
}
// More than a device of graphics memory tells; a2 asks for no more than the host has.
constexpr std::uint64_t heapBytes = std::uint64_t{4} << 30;

// There is one of each, and nothing more to them.
int theInstance = 0, thePhysicalDevice = 0;

VkResult enumerateVersion(std::uint32_t* version)
{
    *version = apiVersion;
    return VK_SUCCESS;
}

VkResult enumerateInstanceExtensions(const char*, std::uint32_t* count, VkExtensionProperties* items)
{
    return giveExtensions(instanceExtensions, count, items);
}

VkResult enumerateInstanceLayers(std::uint32_t* count, VkLayerProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VkResult createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance* made)
{
    *made = handleOf<VkInstance>(&theInstance);
    return VK_SUCCESS;
}

void destroyInstance(VkInstance, const VkAllocationCallbacks*) {}

VkResult enumeratePhysicalDevices(VkInstance, std::uint32_t* count, VkPhysicalDevice* items)
{
    const auto one = handleOf<VkPhysicalDevice>(&thePhysicalDevice);
    return give<VkPhysicalDevice>({&one, 1}, count, items);
}

// "1.2.3"
std::uint32_t packedVersion(const char* text)
{
    unsigned major = 0, minor = 0, patch = 0;
    static_cast<void>(std::sscanf(text, "%u.%u.%u", &major, &minor, &patch));
    return VK_MAKE_API_VERSION(0, major, minor, patch);
}

// Of what has nothing to do with compute work, nothing.
VkPhysicalDeviceLimits limitsOfAUsualDevice()
{
    VkPhysicalDeviceLimits limits = {};
    limits.maxUniformBufferRange = 1 << 16;
    limits.maxStorageBufferRange = 1 << 30;
    limits.maxPushConstantsSize = pushBytes;
    limits.maxMemoryAllocationCount = 4096;
    limits.maxBoundDescriptorSets = 8;
    limits.maxPerStageDescriptorUniformBuffers = limits.maxDescriptorSetUniformBuffers = 16;
    limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 64;
    limits.maxPerStageResources = 128;
    limits.maxDescriptorSetUniformBuffersDynamic = 8;
    limits.maxDescriptorSetStorageBuffersDynamic = 8;
    limits.maxComputeSharedMemorySize = 48 << 10;
    for (std::uint32_t& count : limits.maxComputeWorkGroupCount) count = 65535;
    limits.maxComputeWorkGroupInvocations = 1024;
    limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = 1024;
    limits.maxComputeWorkGroupSize[2] = 64;
    limits.minMemoryMapAlignment = 64;
    limits.minStorageBufferOffsetAlignment = 16;
    limits.minUniformBufferOffsetAlignment = 64;
    limits.nonCoherentAtomSize = 64;
    limits.timestampPeriod = 1;
    return limits;
}

void getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties)
{
    *properties = {};
    properties->apiVersion = apiVersion;
    properties->driverVersion = packedVersion(buildFacts.version);
    properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
    std::strncpy(properties->deviceName, "a2 emulator", sizeof properties->deviceName - 1);
    properties->limits = limitsOfAUsualDevice();
}

void getProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* properties)
{
    getProperties(physical, &properties->properties);
    forEachInChain(properties->pNext, [](VkStructureType type, void* asked) {
        if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES) {
            auto& maintenance = *static_cast<VkPhysicalDeviceMaintenance3Properties*>(asked);
            maintenance.maxMemoryAllocationSize = heapBytes;
            maintenance.maxPerSetDescriptors = 1024;
        } else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            auto& subgroup = *static_cast<VkPhysicalDeviceSubgroupProperties*>(asked);
            subgroup.subgroupSize = EmulatorSettings().subgroupSize;
            subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
            subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                           VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                           VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
                                           VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
                                           VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;
        } else if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            auto& driver = *static_cast<VkPhysicalDeviceDriverProperties*>(asked);
            std::strncpy(driver.driverName, "a2", sizeof driver.driverName - 1);
            std::strncpy(driver.driverInfo, buildFacts.version, sizeof driver.driverInfo - 1);
        }
    });
}

void getFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures* features)
{
    *features = {};
    features->shaderInt64 = features->shaderInt16 = features->shaderFloat64 = VK_TRUE;
}

void getFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* features)
{
    getFeatures(physical, &features->features);
    forEachInChain(features->pNext, [](VkStructureType type, void* asked) {
        for (const FeatureGroup& group : featureGroups())
            for (const FeatureGroup::Flag& flag : group.flags)
                if (group.type == type) *reinterpret_cast<VkBool32*>(static_cast<char*>(asked) + flag.offset) = VK_TRUE;
    });
}

// All memory is the host's.
void getMemory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory)
{
    *memory = {};
    memory->memoryTypeCount = memory->memoryHeapCount = 1;
    memory->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                              0};
    memory->memoryHeaps[0] = {heapBytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

// Without timestamps: times of an emulator say nothing about a kernel.
void getFamilies(VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties* families)
{
    static constexpr VkQueueFamilyProperties family = {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 0, {1, 1, 1}};
    give<VkQueueFamilyProperties>({&family, 1}, count, families);
}

VkResult enumerateDeviceExtensions(VkPhysicalDevice, const char*, std::uint32_t* count, VkExtensionProperties* items)
{
    return giveExtensions(deviceExtensions(), count, items);
}

VkResult createDevice(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*, VkDevice* made)
{
    return make<Device>(made);
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks*) { delete &objectOf<Device>(device); }

void getQueue(VkDevice device, std::uint32_t, std::uint32_t, VkQueue* queue)
{
    *queue = handleOf<VkQueue>(&objectOf<Device>(device).queue);
}

// A pipeline's name is its kernel's; no message names anything else.
VkResult setName(VkDevice, const VkDebugUtilsObjectNameInfoEXT* info)
{
    if (info->objectType == VK_OBJECT_TYPE_PIPELINE && info->pObjectName)
        objectOf<Pipeline>(info->objectHandle).name = info->pObjectName;
    return VK_SUCCESS;
}

}  // namespace

std::vector<EntryPoint> deviceEntryPoints()
{
    return {
        entry<PFN_vkEnumerateInstanceVersion, enumerateVersion>("vkEnumerateInstanceVersion"),
        entry<PFN_vkEnumerateInstanceExtensionProperties, enumerateInstanceExtensions>(
            "vkEnumerateInstanceExtensionProperties"),
        entry<PFN_vkEnumerateInstanceLayerProperties, enumerateInstanceLayers>("vkEnumerateInstanceLayerProperties"),
        entry<PFN_vkCreateInstance, createInstance>("vkCreateInstance"),
        entry<PFN_vkDestroyInstance, destroyInstance>("vkDestroyInstance"),
        entry<PFN_vkEnumeratePhysicalDevices, enumeratePhysicalDevices>("vkEnumeratePhysicalDevices"),
        entry<PFN_vkGetPhysicalDeviceProperties, getProperties>("vkGetPhysicalDeviceProperties"),
        entry<PFN_vkGetPhysicalDeviceProperties2, getProperties2>("vkGetPhysicalDeviceProperties2"),
        entry<PFN_vkGetPhysicalDeviceFeatures, getFeatures>("vkGetPhysicalDeviceFeatures"),
        entry<PFN_vkGetPhysicalDeviceFeatures2, getFeatures2>("vkGetPhysicalDeviceFeatures2"),
        entry<PFN_vkGetPhysicalDeviceMemoryProperties, getMemory>("vkGetPhysicalDeviceMemoryProperties"),
        entry<PFN_vkGetPhysicalDeviceQueueFamilyProperties, getFamilies>("vkGetPhysicalDeviceQueueFamilyProperties"),
        entry<PFN_vkEnumerateDeviceExtensionProperties, enumerateDeviceExtensions>(
            "vkEnumerateDeviceExtensionProperties"),
        entry<PFN_vkCreateDevice, createDevice>("vkCreateDevice"),
        entry<PFN_vkDestroyDevice, destroyDevice>("vkDestroyDevice"),
        entry<PFN_vkGetDeviceQueue, getQueue>("vkGetDeviceQueue"),
        entry<PFN_vkSetDebugUtilsObjectNameEXT, setName>("vkSetDebugUtilsObjectNameEXT"),
    };
}

}  // namespace a2::emulated
