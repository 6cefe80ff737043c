#include "judge/LowerLimits.h"

#include "gpu/Device.h"

#include <algorithm>

namespace a2 {

WithLowerLimits::WithLowerLimits(Device& gpu, const std::optional<LowerLimits>& limit)
    : gpu_(gpu), own_(gpu.properties.limits.maxComputeWorkGroupCount)
{
    if (!limit) return;
    gpu.properties.limits.maxComputeWorkGroupCount =
        std::array<std::uint32_t, 3>{std::min(limit->x, own_[0]), std::min(limit->y, own_[1]), own_[2]};
}

WithLowerLimits::~WithLowerLimits() { gpu_.properties.limits.maxComputeWorkGroupCount = own_; }

}  // namespace a2
