#include "a2/Gpu.h"

#include "a2/Error.h"
#include "a2/KernelShape.h"
#include "gpu/GpuState.h"

#include <fmt/format.h>

namespace a2 {

Gpu::Gpu(std::unique_ptr<GpuState> state) : state_(std::move(state)) {}
Gpu::~Gpu()
{
    if (state_ && state_->failure()) keepForever(std::move(state_));
}

vk::Device Gpu::device() const { return *state_->device; }

const vk::PhysicalDeviceLimits& Gpu::limits() const { return state_->properties.limits; }

bool Gpu::hasInt64Atomics() const { return state_->int64Atomics; }

WorkGroups Gpu::foldGroups(std::uint64_t groups) const
{
    const auto& most = limits().maxComputeWorkGroupCount;
    return a2::foldGroups(groups, most[0], most[1]);
}

WorkGroups Gpu::groupsFor(std::uint64_t invocations, std::uint32_t workGroup) const
{
    if (workGroup == 0)  // dividing by it would end the program without a word
        throw KernelError(fmt::format("{} invocations were asked for in work-groups of 0 invocations", invocations));
    return foldGroups(ceilDiv(invocations, workGroup));
}

WorkGroups foldGroups(std::uint64_t groups, std::uint32_t maxX, std::uint32_t maxY)
{
    // As few rows as possible, then as few groups per row: less than one row's number of rows is started in vain.
    const std::uint64_t rows = std::max<std::uint64_t>(1, ceilDiv(groups, maxX));
    if (rows > maxY)
        throw LimitError(
            fmt::format("{} work-groups are more than this device starts in one dispatch (maxComputeWorkGroupCount "
                        "{} x {}); a larger work-group needs fewer",
                        groups, maxX, maxY));
    return {static_cast<std::uint32_t>(ceilDiv(groups, rows)), static_cast<std::uint32_t>(rows)};
}

void labelDispatch(vk::CommandBuffer cb, const std::string& text)
{
    if (VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdInsertDebugUtilsLabelEXT)
        cb.insertDebugUtilsLabelEXT(vk::DebugUtilsLabelEXT(text.c_str()));
}

}  // namespace a2
