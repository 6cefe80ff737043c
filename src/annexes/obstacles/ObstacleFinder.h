// Finds the obstacles of a sweep on the device: threshold, two scans, stream compaction.
#pragma once

#include "a2/KernelShape.h"
#include "annexes/obstacles/Sweep.h"
#include "gpu/DeviceBuffer.h"
#include "lint/Finding.h"

#include <cstdint>
#include <span>
#include <vector>

namespace a2 {

struct FoundObstacles {
    std::vector<std::uint32_t> flags;  // as ObstacleReference has them
    std::vector<std::uint32_t> readings;
    std::vector<Obstacle> obstacles;
    bool searched = false;          // otherwise a driver might not have survived it, and there are no obstacles
    std::vector<Finding> findings;  // of lint, guards, validation layer and further runs
    bool isAs(const FoundObstacles& other) const
    {
        return flags == other.flags && readings == other.readings && obstacles == other.obstacles;
    }
};

// Runs three times on poisoned memory, between guards; all must find the same. shape: of the scans' kernel, Brent-Kung.
// No distances: no dispatch.
// Throws LimitError where one binding of the device does not take the whole sweep, or memory does not hold it.
FoundObstacles findObstacles(Device& gpu, const KernelShape& shape, std::span<const float> distances,
                             float maxDistance);

}  // namespace a2
