// A device that starts fewer work-groups in a dispatch than this one: as few as the user says, or no more than Vulkan
// promises.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

namespace a2 {

class Device;

struct LowerLimits {
    std::uint32_t x = 0, y = 0;  // work-groups along x and y; along z as many as the device starts
    auto operator<=>(const LowerLimits&) const = default;
};

// While it lives, the device has no more than this limit, for solutions and for a2 alike; its own where there is none.
class WithLowerLimits {
public:
    WithLowerLimits(Device& gpu, const std::optional<LowerLimits>& limit);
    ~WithLowerLimits();
    WithLowerLimits(const WithLowerLimits&) = delete;
    WithLowerLimits& operator=(const WithLowerLimits&) = delete;

private:
    Device& gpu_;
    std::array<std::uint32_t, 3> own_;
};

}  // namespace a2
