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
    std::vector<std::uint32_t> flags;  // in the form of ObstacleReference
    std::vector<std::uint32_t> readings;
    std::vector<Obstacle> obstacles;
    bool searched = false;          // false: it might have crashed the driver; there are no obstacles then
    std::vector<Finding> findings;  // of lint, guards, validation layer and further runs
    bool isAs(const FoundObstacles& other) const
    {
        return flags == other.flags && readings == other.readings && obstacles == other.obstacles;
    }
};

// Runs three times on poisoned memory, between guards; all runs must agree. shape: of the scans' kernel, Brent-Kung.
// Without distances nothing is dispatched. Throws LimitError if the whole sweep does not fit one binding of the device,
// or its memory.
FoundObstacles findObstacles(Device& gpu, const KernelShape& shape, std::span<const float> distances,
                             float maxDistance);

}  // namespace a2
