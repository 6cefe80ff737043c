#include "gpu/GpuState.h"

#include "Utf8Path.h"
#include "a2/Error.h"
#include "gpu/DriverManifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace a2 {

std::string sizeText(double bytes)
{
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
    return fmt::format("{:.4g} {}", bytes, units[unit]);
}

GpuState::GpuState(const GpuOptions& options)
    : kernelSources(pathOf(options.shaderDir), options.note),
      instance(options.validation),
      choice(chooseDevice(listDevices(instance), options.device)),
      timeout(options.timeout),
      shaderDir(options.shaderDir)
{
    const DeviceCandidate& chosen = choice.candidates[choice.chosen];
    physical = std::move(vk::raii::PhysicalDevices(instance.handle()).at(chosen.index));
    queueFamily = chosen.queueFamily.value();

    const auto all =
        physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceMaintenance3Properties,
                                vk::PhysicalDeviceSubgroupProperties, vk::PhysicalDeviceDriverProperties>();
    properties = all.get<vk::PhysicalDeviceProperties2>().properties;
    maxAllocation = all.get<vk::PhysicalDeviceMaintenance3Properties>().maxMemoryAllocationSize;
    const auto& subgroup = all.get<vk::PhysicalDeviceSubgroupProperties>();
    subgroupSize = subgroup.subgroupSize;
    subgroupArithmetic = (subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute) &&
                         (subgroup.supportedOperations & vk::SubgroupFeatureFlagBits::eArithmetic) &&
                         !options.plainArithmetic;
    driver = all.get<vk::PhysicalDeviceDriverProperties>();  // stays zero on drivers older than Vulkan 1.2
    memory = physical.getMemoryProperties();
    if (properties.apiVersion >= VK_API_VERSION_1_3)
        maxBuffer = physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceMaintenance4Properties>()
                        .get<vk::PhysicalDeviceMaintenance4Properties>()
                        .maxBufferSize;
    if (options.bindingLimit > 0)
        properties.limits.maxStorageBufferRange =
            std::min(properties.limits.maxStorageBufferRange, options.bindingLimit);
    timestampBits = physical.getQueueFamilyProperties()[queueFamily].timestampValidBits;
    openDevice(!options.plainArithmetic && !options.plainAtomics);
    instance.messages().take();  // what was said while the device was opened is about no task
}

GpuState::~GpuState() = default;

void GpuState::openDevice(bool withInt64Atomics)
{
    std::vector<const char*> extensions;
    const auto offered = physical.enumerateDeviceExtensionProperties();
    const auto enable = [&](const char* name) {
        const bool found = std::any_of(offered.begin(), offered.end(), [&](const vk::ExtensionProperties& one) {
            return std::strcmp(one.extensionName, name) == 0;
        });
        if (found) extensions.push_back(name);
        return found;
    };
    enable("VK_KHR_portability_subset");  // MoltenVK: must be enabled where it is offered

    vk::PhysicalDeviceFeatures features;
    const auto available = physical.getFeatures();
    vk::PhysicalDeviceShaderAtomicInt64Features int64;
    if (withInt64Atomics && available.shaderInt64 && enable(VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME)) {
        int64.shaderBufferInt64Atomics =
            physical.getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDeviceShaderAtomicInt64Features>()
                .get<vk::PhysicalDeviceShaderAtomicInt64Features>()
                .shaderBufferInt64Atomics;
        int64Atomics = int64.shaderBufferInt64Atomics;
        features.shaderInt64 = int64.shaderBufferInt64Atomics;
    }
    if (instance.validation() == Validation::gpu) {  // GPU-assisted validation writes its findings from shaders
        features.fragmentStoresAndAtomics = available.fragmentStoresAndAtomics;
        features.vertexPipelineStoresAndAtomics = available.vertexPipelineStoresAndAtomics;
        features.shaderInt64 = available.shaderInt64;
    }
    const float priority = 1.0F;
    const vk::DeviceQueueCreateInfo queueInfo({}, queueFamily, 1, &priority);
    device = vk::raii::Device(
        physical, vk::DeviceCreateInfo({}, queueInfo, {}, extensions, &features, int64Atomics ? &int64 : nullptr));
    VULKAN_HPP_DEFAULT_DISPATCHER.init(*device);
    queue = vk::raii::Queue(device, queueFamily, 0);
    commandPool = vk::raii::CommandPool(
        device, vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eResetCommandBuffer, queueFamily));
    fence_ = vk::raii::Fence(device, vk::FenceCreateInfo());
    setName(*device, "a2 device");
    setName(*queue, "a2 queue");
    setName(*commandPool, "a2 command pool");
    setName(*fence_, "a2 run finished");
}

vk::raii::CommandBuffer GpuState::makeCommandBuffer(const std::string& name)
{
    vk::raii::CommandBuffers made(device,
                                  vk::CommandBufferAllocateInfo(*commandPool, vk::CommandBufferLevel::ePrimary, 1));
    setName(*made.front(), name);
    return std::move(made.front());
}

void GpuState::submitAndWait(const std::vector<vk::CommandBuffer>& commands)
{
    const std::string slow = fmt::format("the device did not finish within {} s (--timeout)", timeout.count());
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout);
    try {
        (*queue).submit(vk::SubmitInfo({}, {}, commands), *fence_);
        const auto result = (*device).waitForFences(*fence_, VK_TRUE, static_cast<std::uint64_t>(nanoseconds.count()));
        if (result == vk::Result::eTimeout) fail(slow, true);
        (*device).resetFences(*fence_);
    } catch (const vk::DeviceLostError&) {
        fail("the device was lost: a kernel ran outside its buffers or for too long, or the driver reset", false);
    }
}

void GpuState::fail(const std::string& message, bool timedOut)
{
    // Work may still be running, so nothing that it uses may be destroyed any more, also not while this exception makes
    // its way up. Every handle is destroyed through this table.
    auto& table = const_cast<std::remove_cvref_t<decltype(*device.getDispatcher())>&>(*device.getDispatcher());
    table.vkDestroyBuffer = [](VkDevice, VkBuffer, const VkAllocationCallbacks*) {};
    table.vkFreeMemory = [](VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {};
    table.vkDestroyPipeline = [](VkDevice, VkPipeline, const VkAllocationCallbacks*) {};
    table.vkDestroyPipelineLayout = [](VkDevice, VkPipelineLayout, const VkAllocationCallbacks*) {};
    table.vkDestroyDescriptorSetLayout = [](VkDevice, VkDescriptorSetLayout, const VkAllocationCallbacks*) {};
    table.vkDestroyDescriptorPool = [](VkDevice, VkDescriptorPool, const VkAllocationCallbacks*) {};
    table.vkFreeDescriptorSets = [](VkDevice, VkDescriptorPool, std::uint32_t, const VkDescriptorSet*) {
        return VK_SUCCESS;
    };
    table.vkDestroyQueryPool = [](VkDevice, VkQueryPool, const VkAllocationCallbacks*) {};
    table.vkDestroyCommandPool = [](VkDevice, VkCommandPool, const VkAllocationCallbacks*) {};
    table.vkFreeCommandBuffers = [](VkDevice, VkCommandPool, std::uint32_t, const VkCommandBuffer*) {};
    table.vkDestroyFence = [](VkDevice, VkFence, const VkAllocationCallbacks*) {};
    table.vkDestroyDevice = [](VkDevice, const VkAllocationCallbacks*) {};
    throw DeviceError(message, timedOut);
}

void GpuState::checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const
{
    if (maxBuffer > 0 && bytes > maxBuffer)
        throw LimitError(
            fmt::format("{} needs {} in one buffer, more than this device's maxBufferSize of {}; choose a "
                        "smaller --size",
                        what, sizeText(bytes), sizeText(maxBuffer)));
}

vk::DeviceSize GpuState::deviceHeap() const
{
    vk::DeviceSize largest = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal)
            largest = std::max(largest, memory.memoryHeaps[i].size);
    return largest;
}

vk::raii::DeviceMemory GpuState::allocate(vk::Buffer buffer, const std::string& what, vk::MemoryPropertyFlags wanted,
                                          vk::MemoryPropertyFlags preferred)
{
    const vk::MemoryRequirements needs = (*device).getBufferMemoryRequirements(buffer);
    std::optional<std::uint32_t> type;
    for (const vk::MemoryPropertyFlags flags : {wanted | preferred, wanted})
        for (std::uint32_t i = 0; i < memory.memoryTypeCount && !type; ++i)
            if ((needs.memoryTypeBits & (1U << i)) && (memory.memoryTypes[i].propertyFlags & flags) == flags) type = i;
    if (!type) throw LimitError(fmt::format("{}: this device has no memory of the kind it needs", what));

    const vk::DeviceSize heap = memory.memoryHeaps[memory.memoryTypes[*type].heapIndex].size;
    const auto full = [&] {
        return LimitError(
            fmt::format("{} needs {} beside {} in use, more than this device's memory heap of {}; choose a "
                        "smaller --size",
                        what, sizeText(needs.size), sizeText(allocatedBytes), sizeText(heap)));
    };
    const auto refused = [&] {
        return LimitError(
            fmt::format("{} needs {}, which the device refused beside {} of {} in use (one allocation can be sure of "
                        "no more than maxMemoryAllocationSize, {}); choose a smaller --size",
                        what, sizeText(needs.size), sizeText(allocatedBytes), sizeText(heap), sizeText(maxAllocation)));
    };
    if (allocatedBytes + needs.size > heap) throw full();
    try {
        vk::raii::DeviceMemory allocated(device, vk::MemoryAllocateInfo(needs.size, *type));
        allocatedBytes += needs.size;
        setName(*allocated, what + " memory");
        return allocated;
    } catch (const vk::OutOfDeviceMemoryError&) {
        throw refused();
    } catch (const vk::OutOfHostMemoryError&) {
        throw refused();
    }
}

std::unique_ptr<GpuState> openGpu(const GpuOptions& options)
{
    return namingBrokenManifests([&] { return std::make_unique<GpuState>(options); });
}

}  // namespace a2
