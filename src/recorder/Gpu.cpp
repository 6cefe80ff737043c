#include "a2/Gpu.h"

#include "a2/Error.h"
#include "a2/KernelShape.h"
#include "a2/Slices.h"
#include "recorder/Session.h"

#include <fmt/format.h>

namespace a2 {

vk::Device Gpu::device() const { return recorder_.vulkanDevice(); }

const vk::PhysicalDeviceLimits& Gpu::limits() const { return recorder_.properties.limits; }

bool Gpu::hasInt64Atomics() const { return recorder_.device.int64Atomics; }

WorkGroups Gpu::foldGroups(std::uint64_t groups) const
{
    const auto& most = limits().maxComputeWorkGroupCount;
    const std::uint64_t count = recorder_.recording.count;
    // Larger work-groups would not help: no run needs more of them than it has elements.
    if (groups > count && groups > std::uint64_t{most[0]} * most[1])
        throw LimitError(
            fmt::format("{} work-groups are more than this device starts in one dispatch (maxComputeWorkGroupCount {} "
                        "x {}), and more than the {} element{} of this run: look how this number is computed",
                        groups, most[0], most[1], count, count == 1 ? "" : "s"));
    return a2::foldGroups(groups, most[0], most[1]);
}

WorkGroups Gpu::groupsFor(std::uint64_t invocations, std::uint32_t workGroup) const
{
    if (workGroup == 0)  // dividing by 0 would end the program without a message
        throw KernelError(fmt::format("{} invocations were asked for in work-groups of 0 invocations", invocations));
    return foldGroups(ceilDiv(invocations, workGroup));
}

std::vector<Slice> slices(const Gpu& gpu, std::uint64_t count, std::uint64_t tile)
{
    return slices(count, tile, gpu.limits().maxStorageBufferRange);
}

void labelDispatch(vk::CommandBuffer cb, const std::string& text)
{
    cb.insertDebugUtilsLabelEXT(vk::DebugUtilsLabelEXT(text.c_str()));
}

}  // namespace a2
