#include "recording/Bindings.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

const RecordedSetLayout::Binding* bindingOf(const RecordedSetLayout& layout, std::uint32_t number)
{
    const auto found = std::find_if(layout.bindings.begin(), layout.bindings.end(),
                                    [&](const auto& one) { return one.number == number; });
    return found == layout.bindings.end() ? nullptr : &*found;
}

bool isDynamic(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

bool isUniform(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

std::optional<std::string> bindingProblem(const vk::PhysicalDeviceLimits& limits, const RecordedBuffer& buffer,
                                          std::uint32_t binding, std::uint32_t type, std::uint64_t offset,
                                          std::uint64_t bytes)
{
    const bool uniform = isUniform(type);
    const std::uint64_t most = uniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange;
    const std::uint64_t alignment =
        uniform ? limits.minUniformBufferOffsetAlignment : limits.minStorageBufferOffsetAlignment;
    const char* const kind = uniform ? "Uniform" : "Storage";
    if (bytes > most)
        return fmt::format(
            "binding {} would bind {} bytes of buffer '{}', more than this device's max{}BufferRange of "
            "{}; bind a slice of the array at a time (slices())",
            binding, bytes, buffer.name, kind, most);
    if (offset % alignment != 0)
        return fmt::format(
            "binding {} would bind buffer '{}' from byte {}, no multiple of this device's "
            "min{}BufferOffsetAlignment of {}; round it up to one",
            binding, buffer.name, offset, kind, alignment);
    return {};
}

std::uint32_t pushBytesOf(const std::vector<RecordedLayout::PushRange>& push)
{
    std::uint32_t end = 0;
    for (const RecordedLayout::PushRange& one : push) end = std::max(end, one.offset + one.bytes);
    return end;
}

std::optional<std::string> groupProblem(const vk::PhysicalDeviceLimits& limits,
                                        const std::array<std::uint32_t, 3>& groups,
                                        const std::array<std::uint32_t, 3>& base)
{
    const auto& most = limits.maxComputeWorkGroupCount;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (groups[axis] > most[axis])
            return fmt::format(
                "starts {} work-groups along {}, more than this device's maxComputeWorkGroupCount of {}: fold them "
                "over x and y with Gpu::foldGroups",
                groups[axis], "xyz"[axis], most[axis]);
        else if (base[axis] > most[axis] - groups[axis])
            return fmt::format(
                "begins at work-group {} along {}, and the last of its {} is beyond this device's "
                "maxComputeWorkGroupCount of {}",
                base[axis], "xyz"[axis], groups[axis], most[axis]);
    return {};
}

}  // namespace a2
