// The host's clock.
#pragma once

#include <chrono>

namespace a2 {

using Clock = std::chrono::steady_clock;

// Milliseconds of host time since `start`.
inline double msSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace a2
