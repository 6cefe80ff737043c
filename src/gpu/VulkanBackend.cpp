#include "gpu/VulkanBackend.h"

#include "gpu/CompilerMemory.h"
#include "gpu/Device.h"
#include "gpu/OpenInstance.h"
#include "gpu/VulkanObjects.h"
#include "recording/Bindings.h"
#include "spirv/WithinArrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>

namespace a2 {

namespace {

constexpr auto bufferUsage = vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eUniformBuffer |
                             vk::BufferUsageFlagBits::eIndirectBuffer | vk::BufferUsageFlagBits::eTransferSrc |
                             vk::BufferUsageFlagBits::eTransferDst;

// Makes a call do nothing. Every handle is destroyed through such a table, also while an exception propagates.
void ignoreCall(auto& call)
{
    using Call = std::remove_cvref_t<decltype(call)>;
    call = []<class R, class... A>(R(VKAPI_PTR*)(A...)) -> Call { return [](A...) -> R { return R(); }; }(Call());
}

template <class Table>
void destroyNothingMore(Table& table)
{
    const auto ignore = [](auto&... calls) { (ignoreCall(calls), ...); };
    ignore(table.vkDestroyBuffer, table.vkDestroyBufferView, table.vkDestroyCommandPool, table.vkDestroyDescriptorPool,
           table.vkDestroyDescriptorSetLayout, table.vkDestroyDescriptorUpdateTemplate, table.vkDestroyDevice,
           table.vkDestroyEvent, table.vkDestroyFence, table.vkDestroyFramebuffer, table.vkDestroyImage,
           table.vkDestroyImageView, table.vkDestroyPipeline, table.vkDestroyPipelineCache,
           table.vkDestroyPipelineLayout, table.vkDestroyQueryPool, table.vkDestroyRenderPass, table.vkDestroySampler,
           table.vkDestroySamplerYcbcrConversion, table.vkDestroySemaphore, table.vkDestroyShaderModule,
           table.vkFreeCommandBuffers, table.vkFreeDescriptorSets, table.vkFreeMemory, table.vkUnmapMemory);
}

}  // namespace

DeviceDescription describeDevice(vk::PhysicalDevice physical, std::optional<std::uint32_t> queueFamily)
{
    const auto all =
        physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceMaintenance3Properties,
                                vk::PhysicalDeviceSubgroupProperties, vk::PhysicalDeviceDriverProperties>();
    DeviceDescription made;
    made.properties = all.get<vk::PhysicalDeviceProperties2>().properties;
    made.maxAllocation = all.get<vk::PhysicalDeviceMaintenance3Properties>().maxMemoryAllocationSize;
    made.driver = all.get<vk::PhysicalDeviceDriverProperties>();
    const auto& subgroup = all.get<vk::PhysicalDeviceSubgroupProperties>();
    made.subgroupSize = subgroup.subgroupSize;
    if (subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute)
        made.subgroupOperations = subgroup.supportedOperations;
    made.subgroupArithmetic = static_cast<bool>(made.subgroupOperations & vk::SubgroupFeatureFlagBits::eArithmetic);
    if (made.properties.apiVersion >= VK_API_VERSION_1_3)
        made.maxBuffer =
            physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceMaintenance4Properties>()
                .get<vk::PhysicalDeviceMaintenance4Properties>()
                .maxBufferSize;
    if (queueFamily) made.timestampBits = physical.getQueueFamilyProperties().at(*queueFamily).timestampValidBits;
    return made;
}

VulkanBackend& vulkanOf(Backend& backend) { return dynamic_cast<VulkanBackend&>(backend); }

VulkanBackend::VulkanBackend(const Instance& instance, const DeviceCandidate& chosen, const GpuOptions& options,
                             DeviceDescription& described)
    : physical(instance.opened().instance, instance.physicalDevices().at(chosen.index)),
      memory(physical.getMemoryProperties()),
      described_(described),
      waitsForQueue_(instance.validation() == Validation::gpu || instance.validation() == Validation::prints)
{
    const std::uint32_t queueFamily = chosen.queueFamily.value();
    described = describeDevice(*physical, queueFamily);
    const auto offered = physical.enumerateDeviceExtensionProperties();
    described.features = DeviceFeatures(*physical, offered);
    const auto available = physical.getFeatures();
    vk::PhysicalDeviceFeatures asked;
    const auto ask = [&](vk::Bool32& wanted, vk::Bool32 there, const char* name) {
        wanted = there;
        if (there) described.features.add(name);
    };
    ask(asked.shaderInt64, available.shaderInt64, "shaderInt64");
    ask(asked.shaderInt16, available.shaderInt16, "shaderInt16");
    ask(asked.shaderFloat64, available.shaderFloat64, "shaderFloat64");
    described.features.addSubgroup(described.subgroupOperations);
    described.narrow(options);

    std::vector<const char*> extensions = described.features.extensions();
    for (const vk::ExtensionProperties& one : offered)
        if (std::strcmp(one.extensionName, "VK_KHR_portability_subset") == 0)  // MoltenVK: must be enabled then
            extensions.push_back("VK_KHR_portability_subset");
    if (waitsForQueue_) {  // GPU-assisted validation writes its findings from shaders
        asked.fragmentStoresAndAtomics = available.fragmentStoresAndAtomics;
        asked.vertexPipelineStoresAndAtomics = available.vertexPipelineStoresAndAtomics;
    }
    const float priority = 1.0F;
    const vk::DeviceQueueCreateInfo queueInfo({}, queueFamily, 1, &priority);
    device = vk::raii::Device(physical,
                              vk::DeviceCreateInfo({}, queueInfo, {}, extensions, &asked, described.features.chain()));
    VULKAN_HPP_DEFAULT_DISPATCHER.init(*device);
    queue_ = vk::raii::Queue(device, queueFamily, 0);
    commandPool_ = vk::raii::CommandPool(
        device, vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eResetCommandBuffer, queueFamily));
    fence_ = vk::raii::Fence(device, vk::FenceCreateInfo());
    setName(*device, "a2 device");
    setName(*queue_, "a2 queue");
    setName(*commandPool_, "a2 command pool");
    setName(*fence_, "a2 run finished");
}

void VulkanBackend::abandon()
{
    destroyNothingMore(const_cast<std::remove_cvref_t<decltype(*device.getDispatcher())>&>(*device.getDispatcher()));
    destroyNothingMore(VULKAN_HPP_DEFAULT_DISPATCHER);  // for what a solution destroys by hand
}

// If one of these three calls does not return success, it is no longer known what the device does and whether the fence
// will be signalled.
bool VulkanBackend::run(std::span<Commands* const> commands, std::chrono::duration<double> timeout)
{
    std::vector<vk::CommandBuffer> buffers;
    for (const Commands* one : commands) buffers.push_back(static_cast<const VulkanCommands&>(*one).handle());
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout);
    try {
        (*queue_).submit(vk::SubmitInfo({}, {}, buffers), *fence_);
        const auto result = (*device).waitForFences(*fence_, VK_TRUE, static_cast<std::uint64_t>(nanoseconds.count()));
        if (result != vk::Result::eSuccess) return false;
        // Layers of 2025 signal a fence before one of their threads has reported what their code in the kernels found;
        // waiting for the queue waits for that thread, too.
        if (waitsForQueue_) (*queue_).waitIdle();
        (*device).resetFences(*fence_);
        return true;
    } catch (const vk::DeviceLostError&) {
        throw deviceLost();
    } catch (const vk::SystemError& error) {
        throw DeviceError(fmt::format("the device did not take or finish its work ({})", error.what()), false);
    }
}

std::size_t VulkanBackend::deviceHeap() const
{
    std::optional<std::size_t> largest;
    for (std::size_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal)
            if (!largest || memory.memoryHeaps[i].size > memory.memoryHeaps[*largest].size) largest = i;
    return largest.value_or(0);  // every device has a device-local heap
}

Allocation VulkanBackend::allocate(vk::Buffer buffer, const std::string& what, vk::MemoryPropertyFlags wanted,
                                   vk::MemoryPropertyFlags preferred)
{
    const vk::MemoryRequirements needs = (*device).getBufferMemoryRequirements(buffer);
    std::optional<std::uint32_t> type;
    for (const vk::MemoryPropertyFlags flags : {wanted | preferred, wanted})
        for (std::uint32_t i = 0; i < memory.memoryTypeCount && !type; ++i)
            if ((needs.memoryTypeBits & (1U << i)) && (memory.memoryTypes[i].propertyFlags & flags) == flags) type = i;
    if (!type) throw LimitError(fmt::format("{}: this device has no memory of the kind it needs", what));

    const std::uint32_t heapIndex = memory.memoryTypes[*type].heapIndex;
    const vk::DeviceSize heap = memory.memoryHeaps[heapIndex].size;
    vk::DeviceSize& used = usedOfHeaps.at(heapIndex);
    if (used + needs.size > heap) throw heapIsFull(what, needs.size, used, heap);
    const auto refused = [&] { return memoryRefused(what, needs.size, used, heap, described_.maxAllocation); };
    try {
        Allocation made;
        made.memory = vk::raii::DeviceMemory(device, vk::MemoryAllocateInfo(needs.size, *type));
        used += needs.size;
        made.counted = {&used, Allocation::Uncount{needs.size}};
        setName(*made.memory, what + " memory");
        return made;
    } catch (const vk::OutOfDeviceMemoryError&) {
        throw refused();
    } catch (const vk::OutOfHostMemoryError&) {
        throw refused();
    }
}

std::unique_ptr<DeviceMemory> VulkanBackend::make(const std::string& name, std::uint64_t bytes,
                                                  vk::BufferUsageFlags usage, vk::MemoryPropertyFlags wanted,
                                                  vk::MemoryPropertyFlags preferred)
{
    auto made = std::make_unique<VulkanMemory>();
    made->buffer = vk::raii::Buffer(device, vk::BufferCreateInfo({}, bytes, usage));
    setName(*made->buffer, name);
    made->allocation = allocate(*made->buffer, name, wanted, preferred);
    (*device).bindBufferMemory(*made->buffer, *made->allocation.memory, 0);
    return made;
}

std::unique_ptr<DeviceMemory> VulkanBackend::makeMemory(const std::string& name, std::uint64_t bytes)
{
    return make(name, bytes, bufferUsage, {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
}

// Cached memory, because the host also reads it: reading uncached memory is tens of times slower.
Backend::HostMemory VulkanBackend::makeHostMemory(const std::string& name, std::uint64_t words)
{
    constexpr auto transfers = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst;
    constexpr auto shared = vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    HostMemory made;
    made.memory = make(name, words * sizeof(std::uint32_t), transfers, shared, vk::MemoryPropertyFlagBits::eHostCached);
    void* const mapped = static_cast<VulkanMemory&>(*made.memory).allocation.memory.mapMemory(0, VK_WHOLE_SIZE);
    made.words = {static_cast<std::uint32_t*>(mapped), words};
    return made;
}

vk::raii::DescriptorSetLayout VulkanBackend::layoutOf(const RecordedSetLayout& set) const
{
    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (const auto& one : set.bindings)
        bindings.emplace_back(one.number, static_cast<vk::DescriptorType>(one.type), one.count,
                              vk::ShaderStageFlagBits::eCompute);
    return {device, vk::DescriptorSetLayoutCreateInfo({}, bindings)};
}

std::unique_ptr<DevicePipeline> VulkanBackend::makePipeline(const std::string& name,
                                                            const std::vector<RecordedSetLayout>& sets,
                                                            std::uint32_t pushBytes)
{
    auto made = std::make_unique<VulkanPipeline>();
    made->name = name;
    std::vector<vk::DescriptorSetLayout> layouts;
    for (const RecordedSetLayout& one : sets) {
        made->setLayouts.push_back(layoutOf(one));
        layouts.push_back(*made->setLayouts.back());
        setName(layouts.back(), name + " set layout");
    }
    std::vector<vk::PushConstantRange> ranges;
    if (pushBytes > 0) ranges.emplace_back(vk::ShaderStageFlagBits::eCompute, 0, pushBytes);
    made->layout = vk::raii::PipelineLayout(device, vk::PipelineLayoutCreateInfo({}, layouts, ranges));
    setName(*made->layout, name + " pipeline layout");
    return made;
}

void VulkanBackend::compile(DevicePipeline& pipeline, const KernelCode& code)
{
    auto& made = static_cast<VulkanPipeline&>(pipeline);
    std::vector<vk::SpecializationMapEntry> entries;
    std::vector<std::uint8_t> bytes;
    for (const RecordedPipeline::Constant& one : code.constants) {
        entries.emplace_back(one.id, static_cast<std::uint32_t>(bytes.size()), one.bytes.size());
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
    }
    const bool isCpu = physical.getProperties().deviceType == vk::PhysicalDeviceType::eCpu;
    const std::vector<std::uint32_t> bounded = isCpu ? withinArrays(code.words) : std::vector<std::uint32_t>();
    const std::span<const std::uint32_t> words = isCpu ? bounded : code.words;
    const vk::raii::ShaderModule module(device, vk::ShaderModuleCreateInfo({}, words.size_bytes(), words.data()));
    const vk::SpecializationInfo specialisation(static_cast<std::uint32_t>(entries.size()), entries.data(),
                                                bytes.size(), bytes.data());
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, code.entry.c_str(),
                                                  &specialisation);
    const WithCompilerMemory bound(isCpu);
    made.pipeline =
        vk::raii::Pipeline(device, nullptr,
                           vk::ComputePipelineCreateInfo(code.dispatchBase ? vk::PipelineCreateFlagBits::eDispatchBase
                                                                           : vk::PipelineCreateFlags(),
                                                         stage, *made.layout));
    setName(*module, made.name);
    setName(*made.pipeline, made.name);
}

std::vector<std::unique_ptr<DeviceSet>> VulkanBackend::makeSets(std::span<const DeviceSet::Contents> contents)
{
    std::vector<std::unique_ptr<DeviceSet>> all;
    if (contents.empty()) return all;
    std::map<std::uint32_t, std::uint32_t> counts;  // by descriptor type
    std::map<const RecordedSetLayout*, vk::raii::DescriptorSetLayout> layouts;
    for (const DeviceSet::Contents& one : contents) {
        if (!layouts.contains(one.layout)) layouts.emplace(one.layout, layoutOf(*one.layout));
        for (const auto& binding : one.layout->bindings) counts[binding.type] += binding.count;
    }
    std::vector<vk::DescriptorPoolSize> sizes;
    for (const auto& [type, count] : counts) sizes.emplace_back(static_cast<vk::DescriptorType>(type), count);
    const auto pool = std::make_shared<vk::raii::DescriptorPool>(
        device, vk::DescriptorPoolCreateInfo(vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet,
                                             static_cast<std::uint32_t>(contents.size()), sizes));
    setName(**pool, "descriptor pool");
    for (const DeviceSet::Contents& one : contents) {
        auto made = std::make_unique<VulkanSet>();
        made->pool = pool;
        const vk::DescriptorSetLayout layout = *layouts.at(one.layout);
        made->set = std::move(vk::raii::DescriptorSets(device, vk::DescriptorSetAllocateInfo(**pool, layout)).front());
        setName(*made->set, one.name);
        for (const DeviceSet::Contents::Range& range : one.ranges) {
            const auto type = static_cast<vk::DescriptorType>(bindingOf(*one.layout, range.binding)->type);
            const vk::DescriptorBufferInfo info(handleOf(*range.bound.memory), range.bound.offset, range.bound.bytes);
            (*device).updateDescriptorSets(
                vk::WriteDescriptorSet(*made->set, range.binding, range.element, 1, type, nullptr, &info), {});
        }
        all.push_back(std::move(made));
    }
    return all;
}

std::unique_ptr<Commands> VulkanBackend::makeCommands(const std::string& name, bool timed)
{
    vk::raii::CommandBuffers made(device,
                                  vk::CommandBufferAllocateInfo(*commandPool_, vk::CommandBufferLevel::ePrimary, 1));
    setName(*made.front(), name);
    vk::raii::QueryPool queries = nullptr;
    if (timed && described_.timestampBits > 0) {
        queries = vk::raii::QueryPool(device, vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, 2));
        setName(*queries, "timestamps");
    }
    return std::make_unique<VulkanCommands>(*this, std::move(made.front()), std::move(queries), described_);
}

}  // namespace a2
