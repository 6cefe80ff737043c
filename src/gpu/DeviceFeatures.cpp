#include "gpu/DeviceFeatures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace a2 {

struct FeatureGroup {
    struct Flag {
        const char* name;    // as Vulkan calls it: "shaderFloat16"
        std::size_t offset;  // of its VkBool32 in the structure
    };
    VkStructureType type;
    std::size_t bytes;            // of the structure
    const char* extension;        // null: Vulkan 1.1 has it
    std::span<const Flag> flags;  // the flags that a2 wants
};

namespace {

using Flag = FeatureGroup::Flag;

#define A2_FLAG(structure, name) \
    Flag { #name, offsetof(structure, name) }

constexpr std::array flagsOf16Bits = {A2_FLAG(VkPhysicalDevice16BitStorageFeatures, storageBuffer16BitAccess),
                                      A2_FLAG(VkPhysicalDevice16BitStorageFeatures, uniformAndStorageBuffer16BitAccess),
                                      A2_FLAG(VkPhysicalDevice16BitStorageFeatures, storagePushConstant16)};
constexpr std::array flagsOf8Bits = {A2_FLAG(VkPhysicalDevice8BitStorageFeatures, storageBuffer8BitAccess),
                                     A2_FLAG(VkPhysicalDevice8BitStorageFeatures, uniformAndStorageBuffer8BitAccess),
                                     A2_FLAG(VkPhysicalDevice8BitStorageFeatures, storagePushConstant8)};
constexpr std::array flagsOfSmall = {A2_FLAG(VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16),
                                     A2_FLAG(VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8)};
constexpr std::array flagsOfInt64 = {A2_FLAG(VkPhysicalDeviceShaderAtomicInt64Features, shaderBufferInt64Atomics),
                                     A2_FLAG(VkPhysicalDeviceShaderAtomicInt64Features, shaderSharedInt64Atomics)};
constexpr std::array flagsOfExtended = {
    A2_FLAG(VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes)};
constexpr std::array flagsOfClocks = {A2_FLAG(VkPhysicalDeviceShaderClockFeaturesKHR, shaderSubgroupClock),
                                      A2_FLAG(VkPhysicalDeviceShaderClockFeaturesKHR, shaderDeviceClock)};
constexpr std::array flagsOfMemoryModel = {
    A2_FLAG(VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModel),
    A2_FLAG(VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope)};
constexpr std::array flagsOfScalars = {A2_FLAG(VkPhysicalDeviceScalarBlockLayoutFeatures, scalarBlockLayout)};
constexpr std::array flagsOfUniforms = {
    A2_FLAG(VkPhysicalDeviceUniformBufferStandardLayoutFeatures, uniformBufferStandardLayout)};
constexpr std::array flagsOfFloats = {
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat64Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat64AtomicAdd),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat32Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat32AtomicAdd),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat64Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat64AtomicAdd)};
constexpr std::array flagsOfMoreFloats = {
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16AtomicAdd),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16AtomicMinMax),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderBufferFloat32AtomicMinMax),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderBufferFloat64AtomicMinMax),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16Atomics),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16AtomicAdd),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16AtomicMinMax),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderSharedFloat32AtomicMinMax),
    A2_FLAG(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, shaderSharedFloat64AtomicMinMax)};
#ifdef VK_KHR_shader_subgroup_rotate
constexpr std::array flagsOfRotation = {
    A2_FLAG(VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR, shaderSubgroupRotate),
    A2_FLAG(VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR, shaderSubgroupRotateClustered)};
#endif

#undef A2_FLAG

struct SubgroupName {
    vk::SubgroupFeatureFlagBits bit;
    const char* name;
};
constexpr std::array subgroupNames = {
    SubgroupName{vk::SubgroupFeatureFlagBits::eVote, "subgroup vote"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eArithmetic, "subgroup arithmetic"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eBallot, "subgroup ballot"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eShuffle, "subgroup shuffle"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eShuffleRelative, "relative subgroup shuffle"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eClustered, "clustered subgroup operations"},
    SubgroupName{vk::SubgroupFeatureFlagBits::eQuad, "subgroup quad operations"},
};

bool isOffered(const std::vector<vk::ExtensionProperties>& offered, const char* name)
{
    return std::any_of(offered.begin(), offered.end(),
                       [&](const vk::ExtensionProperties& one) { return std::strcmp(one.extensionName, name) == 0; });
}

VkBool32& flagIn(std::vector<VkBool32>& words, const Flag& flag) { return words.at(flag.offset / sizeof(VkBool32)); }

VkBaseOutStructure* baseOf(std::vector<VkBool32>& words) { return reinterpret_cast<VkBaseOutStructure*>(words.data()); }

std::span<const FeatureGroup> featureGroups()
{
    static constexpr std::array all = {
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                     sizeof(VkPhysicalDevice16BitStorageFeatures), nullptr, flagsOf16Bits},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                     sizeof(VkPhysicalDevice8BitStorageFeatures), VK_KHR_8BIT_STORAGE_EXTENSION_NAME, flagsOf8Bits},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
                     sizeof(VkPhysicalDeviceShaderFloat16Int8Features), VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
                     flagsOfSmall},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
                     sizeof(VkPhysicalDeviceShaderAtomicInt64Features), VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME,
                     flagsOfInt64},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
                     sizeof(VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures),
                     VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME, flagsOfExtended},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
                     sizeof(VkPhysicalDeviceShaderClockFeaturesKHR), VK_KHR_SHADER_CLOCK_EXTENSION_NAME, flagsOfClocks},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                     sizeof(VkPhysicalDeviceVulkanMemoryModelFeatures), VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
                     flagsOfMemoryModel},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                     sizeof(VkPhysicalDeviceScalarBlockLayoutFeatures), VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME,
                     flagsOfScalars},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
                     sizeof(VkPhysicalDeviceUniformBufferStandardLayoutFeatures),
                     VK_KHR_UNIFORM_BUFFER_STANDARD_LAYOUT_EXTENSION_NAME, flagsOfUniforms},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                     sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT), VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                     flagsOfFloats},
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
                     sizeof(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT), VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
                     flagsOfMoreFloats},
#ifdef VK_KHR_shader_subgroup_rotate
        FeatureGroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR,
                     sizeof(VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR),
                     VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME, flagsOfRotation},
#endif
    };
    return all;
}

// Extensions without features of their own that kernels may use.
std::span<const char* const> kernelExtensions()
{
    static constexpr std::array all = {
        VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME, VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME,
        VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME};
    return all;
}

}  // namespace

DeviceFeatures DeviceFeatures::all()
{
    DeviceFeatures made;
    made.names_ = {"shaderInt64", "shaderInt16", "shaderFloat64",
                   "shaderSubgroupRotate"};  // the last one also if the headers do not know it
    for (const char* const name : kernelExtensions()) made.names_.insert(name);
    for (const FeatureGroup& group : featureGroups())
        for (const Flag& flag : group.flags) made.names_.insert(flag.name);
    return made;
}

DeviceFeatures::DeviceFeatures(vk::PhysicalDevice physical, const std::vector<vk::ExtensionProperties>& offered)
{
    for (const char* const name : kernelExtensions())
        if (isOffered(offered, name)) {
            extensions_.push_back(name);
            names_.insert(name);
        }
    for (const FeatureGroup& group : featureGroups()) {
        if (group.extension && !isOffered(offered, group.extension)) continue;
        Asked asked{&group, std::vector<VkBool32>((group.bytes + sizeof(VkBool32) - 1) / sizeof(VkBool32))};
        baseOf(asked.words)->sType = group.type;
        VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, asked.words.data(), {}};
        VULKAN_HPP_DEFAULT_DISPATCHER.vkGetPhysicalDeviceFeatures2(physical, &all);
        bool any = false;
        Asked wanted{&group, std::vector<VkBool32>(asked.words.size())};
        baseOf(wanted.words)->sType = group.type;
        for (const Flag& flag : group.flags) {
            if (!flagIn(asked.words, flag)) continue;
            any = true;
            flagIn(wanted.words, flag) = VK_TRUE;
            names_.insert(flag.name);
        }
        if (!any) continue;
        if (group.extension) extensions_.push_back(group.extension);
        asked_.push_back(std::move(wanted));
    }
    // The second extension adds to the first.
    const auto asks = [&](const char* name) {
        return std::any_of(extensions_.begin(), extensions_.end(),
                           [&](const char* one) { return std::strcmp(one, name) == 0; });
    };
    if (asks(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME) && !asks(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME))
        extensions_.push_back(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
}

void DeviceFeatures::addSubgroup(vk::SubgroupFeatureFlags operations)
{
    for (const SubgroupName& one : subgroupNames)
        if (operations & one.bit) names_.insert(one.name);
    const bool partitioned = static_cast<bool>(operations & vk::SubgroupFeatureFlagBits::ePartitionedNV);
    if (partitioned && has(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME))
        names_.insert("partitioned subgroup operations");
}

void DeviceFeatures::remove(const std::string& name)
{
    names_.erase(name);
    for (Asked& asked : asked_)
        for (const Flag& flag : asked.group->flags)
            if (name == flag.name) flagIn(asked.words, flag) = VK_FALSE;
}

const void* DeviceFeatures::chain()
{
    VkBaseOutStructure* next = nullptr;
    for (Asked& asked : asked_) {
        baseOf(asked.words)->pNext = next;
        next = baseOf(asked.words);
    }
    return next;
}

}  // namespace a2
