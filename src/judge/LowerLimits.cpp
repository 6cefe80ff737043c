#include "judge/LowerLimits.h"

#include "gpu/Device.h"

#include <algorithm>

namespace a2 {

namespace {

std::uint32_t lower(std::uint32_t asked, std::uint32_t own) { return asked == 0 ? own : std::min(asked, own); }

}  // namespace

WithLowerLimits::WithLowerLimits(Device& gpu, const std::optional<LowerLimits>& limit)
    : gpu_(gpu),
      ownGroups_(gpu.properties.limits.maxComputeWorkGroupCount),
      ownBinding_(gpu.properties.limits.maxStorageBufferRange)
{
    if (!limit) return;
    gpu.properties.limits.maxComputeWorkGroupCount =
        std::array<std::uint32_t, 3>{lower(limit->x, ownGroups_[0]), lower(limit->y, ownGroups_[1]), ownGroups_[2]};
    gpu.properties.limits.maxStorageBufferRange = lower(limit->bindingBytes, ownBinding_);
}

WithLowerLimits::~WithLowerLimits()
{
    gpu_.properties.limits.maxComputeWorkGroupCount = ownGroups_;
    gpu_.properties.limits.maxStorageBufferRange = ownBinding_;
}

WithLargestAlignment::WithLargestAlignment(Device& gpu)
    : gpu_(gpu), own_(gpu.properties.limits.minStorageBufferOffsetAlignment)
{
    gpu.properties.limits.minStorageBufferOffsetAlignment = largestAlignment;
}

WithLargestAlignment::~WithLargestAlignment() { gpu_.properties.limits.minStorageBufferOffsetAlignment = own_; }

}  // namespace a2
