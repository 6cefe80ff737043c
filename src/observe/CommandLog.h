// What was recorded into a command buffer: dispatches with everything bound to them, barriers, transfers.
#pragma once

#include "gpu/GpuState.h"
#include "observe/Finding.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace a2 {

// A storage buffer that a dispatch can reach.
struct BoundBuffer {
    std::uint32_t set = 0, binding = 0;
    std::string name;   // the buffer's
    std::string block;  // the shader's name for it
    bool reads = false, writes = false;
    vk::Buffer buffer;
    vk::DeviceSize offset = 0, range = 0;  // bytes
};

struct DispatchCommand {
    std::uint64_t index = 0;  // from 0
    std::string label;        // given by labelDispatch; the kernel's name where there is none
    std::string kernel;
    const KernelFacts* facts = nullptr;    // null for a pipeline that is none of ComputePipeline's
    WorkGroupCheck* groupCheck = nullptr;  // likewise
    std::uint32_t workGroup = 0;           // invocations that its work-groups were asked to have; likewise 0
    std::array<std::uint32_t, 3> groups{};
    std::vector<BoundBuffer> buffers;
    std::vector<std::optional<std::uint32_t>> push;  // one per 4 bytes; empty where nobody pushed any

    // For recording it again.
    vk::Pipeline pipeline;
    vk::PipelineLayout layout;
    std::map<std::uint32_t, vk::DescriptorSet> sets;
    vk::ShaderStageFlags pushStages;

    std::uint64_t groupCount() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
    std::uint64_t invocations() const;
    std::optional<std::uint32_t> pushed(const PushMember& member) const;  // empty: nobody pushed it
    bool writes(vk::Buffer buffer) const;
};

// "dispatch 0 'sums', kernel X: element 128 of ..."
std::string faultText(const DispatchCommand& dispatch, const GroupFault& fault);

// One dependency of a barrier. Without a buffer it is about all memory; without access masks only about execution.
struct Dependency {
    vk::PipelineStageFlags2 srcStages, dstStages;
    vk::AccessFlags2 srcAccess, dstAccess;
    vk::Buffer buffer = {};
    vk::DeviceSize offset = 0, size = VK_WHOLE_SIZE;  // bytes, of the buffer
};
struct BarrierCommand {
    std::vector<Dependency> dependencies;  // all at once, they do not chain
    std::size_t covered = SIZE_MAX;        // orders only the first so many commands of the log: those before an event
};

struct TransferCommand {
    const char* call = "";           // vkCmdFillBuffer, vkCmdCopyBuffer, vkCmdUpdateBuffer
    vk::Buffer from, to;             // from: only of a copy
    std::string fromName, toName;    // empty: not a buffer of a2
    vk::BufferCopy region;           // bytes; srcOffset only of a copy
    std::uint32_t fill = 0;          // value of a fill
    std::vector<std::uint8_t> data;  // of an update
};

using Command = std::variant<DispatchCommand, BarrierCommand, TransferCommand>;

class CommandLog {
public:
    explicit CommandLog(GpuState& state) : state_(state) {}

    // Forgets the commands of the last recording; descriptor sets keep what was written to them.
    void beginRecording();

    const std::vector<Command>& commands() const { return commands_; }
    std::vector<const DispatchCommand*> dispatches() const;
    // Calls beyond a limit, and dispatches whose invocations leave a shared array, found when they were made.
    std::vector<Finding> findings() const;

    // What the hooks note. Where an answer is false the call must not reach the driver.
    bool updateSets(std::span<const vk::WriteDescriptorSet> writes, std::span<const vk::CopyDescriptorSet> copies);
    void bindPipeline(vk::Pipeline pipeline) { pipeline_ = pipeline; }
    void bindSets(vk::PipelineLayout layout, std::uint32_t first, std::span<const vk::DescriptorSet> sets);
    bool push(vk::PipelineLayout layout, vk::ShaderStageFlags stages, std::uint32_t offset,
              std::span<const std::uint8_t> bytes);
    void label(const char* text) { label_ = text; }
    bool dispatch(std::array<std::uint32_t, 3> groups);
    void barrier(BarrierCommand barrier) { commands_.emplace_back(std::move(barrier)); }
    void setEvent(vk::Event event) { eventsSet_[event] = commands_.size(); }
    std::size_t commandsBefore(vk::Event event) const;  // 0 if it has not been set
    void transfer(TransferCommand transfer);

private:
    using Bindings = std::map<std::uint32_t, vk::DescriptorBufferInfo>;

    const LiveBuffer* live(vk::Buffer buffer) const;
    std::string nameOf(vk::Buffer buffer) const;
    bool checkRange(const vk::DescriptorBufferInfo& info, std::uint32_t binding);
    void resolveKernel(DispatchCommand& dispatch) const;
    bool resolveBuffers(DispatchCommand& dispatch);
    void resolveUnknown(DispatchCommand& dispatch) const;
    void resolvePush(DispatchCommand& dispatch);
    void checkSharedArrays(DispatchCommand& dispatch);
    void refuse(const char* rule, std::string message, std::optional<std::uint64_t> dispatch);

    GpuState& state_;
    std::vector<Command> commands_;
    std::vector<Finding> prepareFindings_, findings_;
    bool refused_ = false;  // a call broke a limit: nothing that builds on it may reach the driver
    std::map<vk::DescriptorSet, Bindings> descriptors_;

    // The state that the next dispatch will see.
    vk::Pipeline pipeline_;
    vk::PipelineLayout layout_;
    std::map<std::uint32_t, vk::DescriptorSet> sets_;
    std::vector<std::optional<std::uint8_t>> pushed_;
    vk::ShaderStageFlags pushStages_;
    std::string label_;
    std::uint64_t dispatchCount_ = 0;
    std::map<vk::Event, std::size_t> eventsSet_;
    bool recording_ = false;
};

}  // namespace a2
