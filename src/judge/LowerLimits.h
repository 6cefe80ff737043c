// A device that starts fewer work-groups in a dispatch than this one, or binds less of a buffer: as little as the user
// says, no more than Vulkan promises, or so little that short arrays are folded and sliced.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

namespace a2 {

class Device;

struct LowerLimits {
    std::uint32_t x = 0, y = 0;  // work-groups along x and y; along z as many as the device starts. 0: its own limit
    std::uint32_t bindingBytes = 0;  // of a storage buffer. 0: its own limit
    auto operator<=>(const LowerLimits&) const = default;

    // The same, but for the work-groups. Empty: nothing is left of it.
    std::optional<LowerLimits> withoutGroups() const
    {
        return bindingBytes > 0 ? std::optional(LowerLimits{0, 0, bindingBytes}) : std::nullopt;
    }
};

// What stands for a folded dispatch in a short array: so many tiles take four rows of as many work-groups as the device
// starts along x, and so do all of them but the first. Of two that are to spare one begins where the array ends, and
// one after that.
constexpr std::uint64_t foldedTilesOn(std::uint32_t groupsAlongX)
{
    return groupsAlongX > 0 ? 4 * std::uint64_t{groupsAlongX} - 2 : 0;
}
constexpr LowerLimits foldsSoon{4, 65535, 0};
constexpr std::uint64_t foldedTiles = foldedTilesOn(foldsSoon.x);

// While it lives, the device has no more than this limit, for solutions and for a2 alike; its own where there is none.
class WithLowerLimits {
public:
    WithLowerLimits(Device& gpu, const std::optional<LowerLimits>& limit);
    ~WithLowerLimits();
    WithLowerLimits(const WithLowerLimits&) = delete;
    WithLowerLimits& operator=(const WithLowerLimits&) = delete;

private:
    Device& gpu_;
    std::array<std::uint32_t, 3> ownGroups_;
    std::uint32_t ownBinding_;
};

}  // namespace a2
