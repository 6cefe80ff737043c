#include "gpu/Device.h"
#include "gpu/VulkanObjects.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr auto compute = vk::PipelineBindPoint::eCompute;

// Returns whether it had this value before.
template <class Value>
bool set(std::map<std::uint32_t, Value>& all, std::uint32_t number, const Value& to)
{
    const auto [found, added] = all.try_emplace(number, to);
    if (!added && found->second == to) return true;
    found->second = to;
    return false;
}

}  // namespace

void VulkanCommands::begin()
{
    forgetState();
    (*buffer_).begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
}

void VulkanCommands::forgetState()
{
    pipeline_ = nullptr;
    layout_ = nullptr;
    sets_.clear();
    pushed_.clear();
}

void VulkanCommands::dispatch(Launch launch)
{
    const auto& kernel = static_cast<const VulkanPipeline&>(*launch.pipeline);
    const vk::CommandBuffer cb = *buffer_;
    if (pipeline_ != &kernel) {
        cb.bindPipeline(compute, *kernel.pipeline);
        sets_.clear();  // sets may stay bound if the layouts agree; here they are bound again
        pipeline_ = &kernel;
    }
    for (const Launch::Set& one : launch.sets)
        if (one.number < kernel.setLayouts.size() && !set(sets_, one.number, one))
            cb.bindDescriptorSets(compute, *kernel.layout, one.number, *static_cast<const VulkanSet&>(*one.set).set,
                                  one.dynamicOffsets);
    if (layout_ != *kernel.layout) pushed_.clear();
    layout_ = *kernel.layout;
    for (const RecordedDispatch::Push& one : launch.push)
        if (!set(pushed_, one.offset, one))
            cb.pushConstants<std::uint8_t>(*kernel.layout, vk::ShaderStageFlagBits::eCompute, one.offset, one.bytes);
    if (VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdInsertDebugUtilsLabelEXT)
        cb.insertDebugUtilsLabelEXT(
            vk::DebugUtilsLabelEXT(launch.label.empty() ? kernel.name.c_str() : launch.label.c_str()));
    const auto& [x, y, z] = launch.groups;
    if (launch.base != std::array<std::uint32_t, 3>{}) {
        cb.dispatchBase(launch.base[0], launch.base[1], launch.base[2], x, y, z);
    } else {
        cb.dispatch(x, y, z);
    }
}

void VulkanCommands::fill(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word)
{
    (*buffer_).fillBuffer(handleOf(memory), offset, bytes, word);
}

void VulkanCommands::update(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::uint8_t> data)
{
    (*buffer_).updateBuffer(handleOf(memory), offset, data.size(), data.data());
}

void VulkanCommands::copy(const BoundRange& from, const DeviceMemory& to, std::uint64_t offset)
{
    (*buffer_).copyBuffer(handleOf(*from.memory), handleOf(to), vk::BufferCopy(from.offset, offset, from.bytes));
}

void VulkanCommands::barrier(vk::PipelineStageFlags from, vk::PipelineStageFlags to,
                             std::span<const Dependency> dependencies)
{
    std::vector<vk::MemoryBarrier> memory;
    std::vector<vk::BufferMemoryBarrier> buffers;
    for (const Dependency& one : dependencies) {
        if (one.part.memory)
            buffers.emplace_back(one.from, one.to, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
                                 handleOf(*one.part.memory), one.part.offset, one.part.bytes);
        else if (one.from || one.to)
            memory.emplace_back(one.from, one.to);
    }
    (*buffer_).pipelineBarrier(from, to, {}, memory, buffers, {});
}

// Both timestamps at the bottom of the pipe: the first is written when everything before has finished, the second when
// the work has. There is no barrier before the second: making the work's writes visible to the host is not part of the
// work (and took 3.4 us on an NVIDIA H200).
void VulkanCommands::startClock()
{
    if (!*queries_) return;
    (*buffer_).resetQueryPool(*queries_, 0, 2);
    fullBarrier();
    (*buffer_).writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_, 0);
}

void VulkanCommands::stopClock()
{
    if (*queries_) (*buffer_).writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_, 1);
}

std::optional<double> VulkanCommands::clockMs() const
{
    if (!*queries_) return std::nullopt;
    // The work has ended, so waiting is useless: a value that is not there now will never be.
    std::array<std::uint64_t, 2> ticks{};
    const auto result = (*backend_.device)
                            .getQueryPoolResults(*queries_, 0, 2, sizeof ticks, ticks.data(), sizeof ticks[0],
                                                 vk::QueryResultFlagBits::e64);
    if (result == vk::Result::eErrorDeviceLost) throw deviceLost();
    if (result != vk::Result::eSuccess) return std::nullopt;
    return timestampMs(ticks[0], ticks[1], described_.timestampBits, described_.properties.limits.timestampPeriod);
}

std::optional<double> timestampMs(std::uint64_t begin, std::uint64_t end, std::uint32_t validBits, double periodNs)
{
    if (validBits == 0) return std::nullopt;
    const std::uint64_t mask = validBits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << validBits) - 1;
    const std::uint64_t ticks = (end - begin) & mask;
    if (ticks == 0) return std::nullopt;
    return static_cast<double>(ticks) * periodNs / 1e6;
}

}  // namespace a2
