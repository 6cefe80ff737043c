// A Vulkan device as a backend: its objects, and the commands that it runs.
#pragma once

#include "gpu/Backend.h"
#include "gpu/DeviceChoice.h"
#include "gpu/OwnedVulkan.h"

#include <array>
#include <functional>

namespace a2 {

// What a driver says about a device, and about the queue family that a2 uses, if there is one.
DeviceDescription describeDevice(vk::PhysicalDevice physical, std::optional<std::uint32_t> queueFamily);

// Memory that counts against its heap while it is held.
struct Allocation {
    struct Uncount {
        vk::DeviceSize bytes;
        void operator()(vk::DeviceSize* used) const { *used -= bytes; }
    };
    std::unique_ptr<vk::DeviceSize, Uncount> counted{nullptr, Uncount{0}};
    vk::raii::DeviceMemory memory = nullptr;
};

class VulkanBackend : public Backend {
public:
    // Opens the device, and describes it. Throws vk::SystemError.
    VulkanBackend(const Instance& instance, const DeviceCandidate& chosen, const GpuOptions& options,
                  DeviceDescription& described);

    std::unique_ptr<DeviceMemory> makeMemory(const std::string& name, std::uint64_t bytes) override;
    HostMemory makeHostMemory(const std::string& name, std::uint64_t words) override;
    std::unique_ptr<DevicePipeline> makePipeline(const std::string& name, const std::vector<RecordedSetLayout>& sets,
                                                 std::uint32_t pushBytes) override;
    void compile(DevicePipeline& pipeline, const KernelCode& code) override;
    std::vector<std::unique_ptr<DeviceSet>> makeSets(std::span<const DeviceSet::Contents> contents) override;
    std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed) override;
    bool run(std::span<Commands* const> commands, std::chrono::duration<double> timeout) override;
    std::uint64_t heapBytes() const override { return memory.memoryHeaps[deviceHeap()].size; }
    std::uint64_t usedOfHeap() const override { return usedOfHeaps[deviceHeap()]; }
    void abandon() override;

    // Names for people with debuggers. An object works without its name: if a driver refuses the name, that does no
    // harm.
    template <class Handle>
    void setName(Handle handle, const std::string& name) const
    {
        if (!VULKAN_HPP_DEFAULT_DISPATCHER.vkSetDebugUtilsObjectNameEXT) return;
        const auto value = (std::uint64_t)(static_cast<typename Handle::CType>(handle));
        const vk::DebugUtilsObjectNameInfoEXT info(Handle::objectType, value, name.c_str());
        static_cast<void>((*device).setDebugUtilsObjectNameEXT(&info));
    }

    vk::raii::PhysicalDevice physical = nullptr;
    vk::PhysicalDeviceMemoryProperties memory;
    std::array<vk::DeviceSize, VK_MAX_MEMORY_HEAPS> usedOfHeaps{};  // bytes
    vk::raii::Device device = nullptr;

private:
    std::size_t deviceHeap() const;
    // Makes a buffer with its own memory, which is counted against its heap before the driver is asked. Throws
    // LimitError.
    std::unique_ptr<DeviceMemory> make(const std::string& name, std::uint64_t bytes, vk::BufferUsageFlags usage,
                                       vk::MemoryPropertyFlags wanted, vk::MemoryPropertyFlags preferred);
    Allocation allocate(vk::Buffer buffer, const std::string& what, vk::MemoryPropertyFlags wanted,
                        vk::MemoryPropertyFlags preferred);
    vk::raii::DescriptorSetLayout layoutOf(const RecordedSetLayout& set) const;

    const DeviceDescription& described_;
    bool waitsForQueue_;  // after each run
    vk::raii::Queue queue_ = nullptr;
    vk::raii::CommandPool commandPool_ = nullptr;
    vk::raii::Fence fence_ = nullptr;
};

// The open device of this program, for code that needs Vulkan itself.
VulkanBackend& vulkanOf(Backend& backend);

}  // namespace a2
