// The cases of `a2 bench --sweep`.
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

// Lengths up to `largest`, ascending: 2^10, 2^12, 2^14 and so on, the largest power of two that fits, and two lengths
// that are no multiple of a tile. Empty for 0.
// course: only powers of two.
std::vector<std::uint64_t> sweepSizes(std::uint64_t largest, bool course = false);

// Work-group sizes up to `largest`, ascending: powers of two from 32 to 1024, and the task's own.
std::vector<std::uint32_t> sweepWorkGroups(std::uint32_t largest, std::uint32_t own);

}  // namespace a2
