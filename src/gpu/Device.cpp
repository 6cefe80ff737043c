#include "gpu/Device.h"

#include "files/Utf8Path.h"
#include "gpu/DriverManifests.h"
#include "gpu/EmulatedVulkan.h"
#include "gpu/NotFollowed.h"

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

Device::Device(const GpuOptions& options)
    : kernelSources(pathOf(options.shaderDir), options.note, options.jail),
      instance(options.validation, options.standsFor || wantsEmulator(options.device)),
      choice(chooseDevice(listDevices(instance), options.standsFor ? "" : options.device, options.rankHere)),
      timeout(options.timeout),
      shaderDir(options.shaderDir),
      record(options.record),
      tellPhase_(options.phase)
{
    const DeviceCandidate& chosen = choice.candidates[choice.chosen];
    try {
        physical = std::move(vk::raii::PhysicalDevices(instance.handle()).at(chosen.index));
        queueFamily = chosen.queueFamily.value();
        readProperties(options);
        open(options);
        if (options.standsFor) standFor(*options.standsFor);
        instance.messages().take();  // what was said while the device was opened is about no task
    } catch (const vk::SystemError& error) {
        throw OpeningError(fmt::format("device {} ({})", chosen.index, chosen.name), error);
    }
}

Device::~Device() = default;

void Device::readProperties(const GpuOptions& options)
{
    const auto all =
        physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceMaintenance3Properties,
                                vk::PhysicalDeviceSubgroupProperties, vk::PhysicalDeviceDriverProperties>();
    properties = all.get<vk::PhysicalDeviceProperties2>().properties;
    maxAllocation = all.get<vk::PhysicalDeviceMaintenance3Properties>().maxMemoryAllocationSize;
    const auto& subgroup = all.get<vk::PhysicalDeviceSubgroupProperties>();
    subgroupSize = subgroup.subgroupSize;
    if (subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute) subgroupOperations = subgroup.supportedOperations;
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
}

void Device::open(const GpuOptions& options)
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

    vk::PhysicalDeviceFeatures asked;
    const auto available = physical.getFeatures();
    features = DeviceFeatures(physical, offered);
    const auto ask = [&](vk::Bool32& wanted, vk::Bool32 there, const char* name) {
        wanted = there;
        if (there) features.add(name);
    };
    ask(asked.shaderInt64, available.shaderInt64, "shaderInt64");
    ask(asked.shaderInt16, available.shaderInt16, "shaderInt16");
    ask(asked.shaderFloat64, available.shaderFloat64, "shaderFloat64");
    features.addSubgroup(subgroupOperations);
    if (isEmulated()) features.add("shaderSubgroupRotate");  // also where the headers do not know it
    if (options.plainArithmetic || options.plainAtomics || !available.shaderInt64) {
        features.remove("shaderBufferInt64Atomics");
        features.remove("shaderSharedInt64Atomics");
    }
    if (!subgroupArithmetic) features.remove("subgroup arithmetic");
    int64Atomics = features.has("shaderBufferInt64Atomics");
    extensions.insert(extensions.end(), features.extensions().begin(), features.extensions().end());
    if (instance.validation() == Validation::gpu) {  // GPU-assisted validation writes its findings from shaders
        asked.fragmentStoresAndAtomics = available.fragmentStoresAndAtomics;
        asked.vertexPipelineStoresAndAtomics = available.vertexPipelineStoresAndAtomics;
    }
    const float priority = 1.0F;
    const vk::DeviceQueueCreateInfo queueInfo({}, queueFamily, 1, &priority);
    device = vk::raii::Device(physical, vk::DeviceCreateInfo({}, queueInfo, {}, extensions, &asked, features.chain()));
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

vk::raii::CommandBuffer Device::makeCommandBuffer(const std::string& name)
{
    checkDevice();
    vk::raii::CommandBuffers made(device,
                                  vk::CommandBufferAllocateInfo(*commandPool, vk::CommandBufferLevel::ePrimary, 1));
    setName(*made.front(), name);
    return std::move(made.front());
}

// Whatever these three calls say but success, nobody knows any more what the device still does and whether the fence
// will be signalled.
void Device::submitAndWait(const std::vector<vk::CommandBuffer>& commands)
{
    checkDevice();
    const DeviceError slow(fmt::format("the device did not finish within {} s (--timeout)", timeout.count()), true);
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout);
    try {
        (*queue).submit(vk::SubmitInfo({}, {}, commands), *fence_);
        const auto result = (*device).waitForFences(*fence_, VK_TRUE, static_cast<std::uint64_t>(nanoseconds.count()));
        const auto fault = isEmulated() ? takeEmulatedFault(*queue) : std::nullopt;
        if (fault && fault->endless) giveUp({fault->what, true});
        if (result != vk::Result::eSuccess) giveUp(slow);
        // Layers of 2025 let a fence go before a thread of theirs has said what their code in the kernels found; who
        // waits for the queue waits for that thread, too.
        if (instance.validation() == Validation::gpu) (*queue).waitIdle();
        checkDevice();
        (*device).resetFences(*fence_);
        if (fault) throw NotFollowedError(fault->what);
        return;
    } catch (const vk::DeviceLostError&) {
        giveUp(deviceLost());
    } catch (const vk::SystemError& error) {
        giveUp({fmt::format("the device did not take or finish its work ({})", error.what()), false});
    }
    checkDevice();
}

namespace {

// Every handle is destroyed through such a table, also while an exception makes its way up.
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

std::optional<DeviceError>& firstGivenUp()
{
    static std::optional<DeviceError> why;
    return why;
}

}  // namespace

DeviceError deviceLost()
{
    return {"the device was lost: a kernel ran outside its buffers or for too long, or the driver reset", false};
}

void Device::giveUp(const DeviceError& why)
{
    if (failure_) return;
    failure_.emplace(why);
    if (!firstGivenUp()) firstGivenUp().emplace(why);
    destroyNothingMore(const_cast<std::remove_cvref_t<decltype(*device.getDispatcher())>&>(*device.getDispatcher()));
    destroyNothingMore(VULKAN_HPP_DEFAULT_DISPATCHER);  // what a solution destroys by hand
}

const std::optional<DeviceError>& deviceGivenUp() { return firstGivenUp(); }

void LetGo::operator()(Device* device) const
{
    if (!device->failure()) {
        delete device;
        return;
    }
    static auto* const kept = new std::vector<Device*>;  // which nothing destroys at exit either
    kept->push_back(device);
}

void Device::enter(const std::string& phase)
{
    if (!tellPhase_ || phase == phase_) return;
    phase_ = phase;
    tellPhase_(phase);
}

InPhase::InPhase(Device& gpu, const std::string& phase) : gpu_(gpu), before_(gpu.phase()) { gpu.enter(phase); }

InPhase::~InPhase()
{
    try {
        gpu_.enter(before_);
    } catch (...) {  // who was told is gone, which the next to tell something finds out
    }
}

void Device::standFor(const DeviceFacts& another)
{
    VkPhysicalDeviceProperties theirs{};
    if (another.properties.size() != sizeof theirs)
        throw EnvironmentError("those recordings were made where Vulkan's types have other lengths: make them here");
    std::memcpy(&theirs, another.properties.data(), sizeof theirs);
    theirs.deviceName[sizeof theirs.deviceName - 1] = '\0';
    properties = theirs;
    int64Atomics = another.int64Atomics;
    subgroupArithmetic = another.subgroupArithmetic;
    subgroupSize = another.subgroupSize;
    choice.reasons = {fmt::format("recording for a device that need not be here: {}", properties.deviceName.data())};
    standsForAnother_ = true;
}

DeviceFacts Device::facts() const
{
    DeviceFacts all;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&properties);
    all.properties.assign(bytes, bytes + sizeof properties);
    all.int64Atomics = int64Atomics;
    all.subgroupArithmetic = subgroupArithmetic;
    all.subgroupSize = subgroupSize;
    return all;
}

WorkGroups Device::foldGroups(std::uint64_t groups) const
{
    const auto& most = limits().maxComputeWorkGroupCount;
    return a2::foldGroups(groups, most[0], most[1]);
}

void Device::checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const
{
    if (maxBuffer > 0 && bytes > maxBuffer)
        throw LimitError(
            fmt::format("{} needs {} in one buffer, more than this device's maxBufferSize of {}; choose a "
                        "smaller --size",
                        what, sizeText(bytes), sizeText(maxBuffer)));
}

std::uint32_t Device::deviceHeapIndex() const
{
    std::optional<std::uint32_t> largest;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal)
            if (!largest || memory.memoryHeaps[i].size > memory.memoryHeaps[*largest].size) largest = i;
    return largest.value_or(0);  // every device has a heap of its own
}

vk::DeviceSize Device::deviceHeap() const { return memory.memoryHeaps[deviceHeapIndex()].size; }
vk::DeviceSize Device::usedOfDeviceHeap() const { return usedOfHeap[deviceHeapIndex()]; }

Allocation Device::allocate(vk::Buffer buffer, const std::string& what, vk::MemoryPropertyFlags wanted,
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
    vk::DeviceSize& used = usedOfHeap[heapIndex];
    const auto full = [&] {
        return LimitError(
            fmt::format("{} needs {} beside {} in use, more than this device's memory heap of {}; choose a "
                        "smaller --size",
                        what, sizeText(needs.size), sizeText(used), sizeText(heap)));
    };
    const auto refused = [&] {
        return LimitError(
            fmt::format("{} needs {}, which the device refused beside {} of {} in use (one allocation can be sure of "
                        "no more than maxMemoryAllocationSize, {}); choose a smaller --size",
                        what, sizeText(needs.size), sizeText(used), sizeText(heap), sizeText(maxAllocation)));
    };
    if (used + needs.size > heap) throw full();
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

OpenDevice openDevice(const GpuOptions& options)
{
    return namingBrokenManifests([&] {
        try {
            return OpenDevice(new Device(options));
        } catch (const NoDriverError&) {
            if (!options.mayEmulate || !options.device.empty()) throw;
            if (options.note)
                options.note(
                    "note: there is no Vulkan driver on this machine, so that kernels run on a2's emulator: it "
                    "judges them, and has no times");
        }
        GpuOptions emulated = options;
        emulated.device = "emulator";
        return OpenDevice(new Device(emulated));
    });
}

}  // namespace a2
