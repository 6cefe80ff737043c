// The objects of which a Vulkan device's memory, pipelines, sets and commands consist.
#pragma once

#include "gpu/VulkanBackend.h"

#include <map>
#include <memory>

namespace a2 {

class VulkanMemory : public DeviceMemory {
public:
    Allocation allocation;
    vk::raii::Buffer buffer = nullptr;  // destroyed before its memory
};

class VulkanPipeline : public DevicePipeline {
public:
    std::string name;  // of the kernel
    std::vector<vk::raii::DescriptorSetLayout> setLayouts;
    vk::raii::PipelineLayout layout = nullptr;
    vk::raii::Pipeline pipeline = nullptr;  // null until it is compiled
};

class VulkanSet : public DeviceSet {
public:
    std::shared_ptr<vk::raii::DescriptorPool> pool;  // contains all sets that were made together
    vk::raii::DescriptorSet set = nullptr;           // freed before the pool: some drivers keep a set's name otherwise
};

inline vk::Buffer handleOf(const DeviceMemory& memory) { return *static_cast<const VulkanMemory&>(memory).buffer; }

class VulkanCommands : public Commands {
public:
    VulkanCommands(const VulkanBackend& backend, vk::raii::CommandBuffer buffer, vk::raii::QueryPool queries,
                   const DeviceDescription& described)
        : backend_(backend), buffer_(std::move(buffer)), queries_(std::move(queries)), described_(described)
    {
    }

    void begin() override;
    void end() override { (*buffer_).end(); }
    void forgetState() override;
    void dispatch(Launch launch) override;
    void fill(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override;
    void update(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::uint8_t> data) override;
    void copy(const BoundRange& from, const DeviceMemory& to, std::uint64_t offset) override;
    void barrier(vk::PipelineStageFlags from, vk::PipelineStageFlags to,
                 std::span<const Dependency> dependencies) override;
    void startClock() override;
    void stopClock() override;
    std::optional<double> clockMs() const override;

    vk::CommandBuffer handle() const { return *buffer_; }

private:
    const VulkanBackend& backend_;
    vk::raii::CommandBuffer buffer_;
    vk::raii::QueryPool queries_;  // null: it is not timed
    const DeviceDescription& described_;
    // The state that the last dispatch has left: a call that would set the same state again is left out.
    const VulkanPipeline* pipeline_ = nullptr;
    std::map<std::uint32_t, Launch::Set> sets_;
    vk::PipelineLayout layout_;  // of the push constants
    std::map<std::uint32_t, RecordedDispatch::Push> pushed_;
};

// Milliseconds between two timestamps of `validBits` bits and `periodNs` nanoseconds per tick; empty if validBits is 0
// or no time has passed. The counter may have wrapped round once (Vulkan specification, "Timestamp Queries").
std::optional<double> timestampMs(std::uint64_t begin, std::uint64_t end, std::uint32_t validBits, double periodNs);

}  // namespace a2
