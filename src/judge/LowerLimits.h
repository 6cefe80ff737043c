// A simulated device that starts fewer work-groups in a dispatch than this one, or binds less of a buffer: the limit is
// the user's choice, Vulkan's minimum, or so small that short arrays are folded and sliced.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

namespace a2 {

class Device;

struct LowerLimits {
    std::uint32_t x = 0, y = 0;      // work-groups along x and y; z keeps the device's limit. 0: its own limit
    std::uint32_t bindingBytes = 0;  // of a storage buffer. 0: its own limit
    auto operator<=>(const LowerLimits&) const = default;

    // The same without the limit on work-groups. Empty: no limit remains.
    std::optional<LowerLimits> withoutGroups() const
    {
        return bindingBytes > 0 ? std::optional(LowerLimits{0, 0, bindingBytes}) : std::nullopt;
    }
};

// The number of tiles for a short array with a folded dispatch: the tiles take four rows of as many work-groups as the
// device starts along x, and all tiles but the first also take four rows. Of the two spare work-groups, one begins
// where the array ends, and one begins after that.
constexpr std::uint64_t foldedTilesOn(std::uint32_t groupsAlongX)
{
    return groupsAlongX > 0 ? 4 * std::uint64_t{groupsAlongX} - 2 : 0;
}
constexpr LowerLimits foldsSoon{4, 65535, 0};
constexpr std::uint64_t foldedTiles = foldedTilesOn(foldsSoon.x);

// While it lives, solutions and a2 alike see this limit of the device; without one, the device's own.
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

// "Required Limits" of the Vulkan specification: minStorageBufferOffsetAlignment is this many bytes or fewer.
constexpr std::uint64_t largestAlignment = 256;

// While it lives, buffers must be bound from multiples of largestAlignment on.
class WithLargestAlignment {
public:
    explicit WithLargestAlignment(Device& gpu);
    ~WithLargestAlignment();
    WithLargestAlignment(const WithLargestAlignment&) = delete;
    WithLargestAlignment& operator=(const WithLargestAlignment&) = delete;

private:
    Device& gpu_;
    std::uint64_t own_;
};

}  // namespace a2
