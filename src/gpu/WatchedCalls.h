// Notes which of the driver's functions this program is in, so that a2 can report which one never returned, or crashed.
#pragma once

#include "a2/Vulkan.h"

#include <cstdint>

namespace a2 {

// The driver's vkGetInstanceProcAddr; the functions that it returns note themselves. If a program opens several
// drivers, the functions of the second are returned unchanged, and are not noted.
PFN_vkGetInstanceProcAddr watchedVulkan(PFN_vkGetInstanceProcAddr driver);

// The call that some thread of this program is in at one moment.
struct DriverCall {
    const char* name = nullptr;  // "vkQueueSubmit"; null: none
    std::uint64_t number = 0;    // of calls begun and ended so far
};
DriverCall driverCall() noexcept;

// The call of the calling thread; null: it is in none. Safe in a signal handler.
const char* driverCallHere() noexcept;

// Whether the driver was given a kernel to run. Safe in a signal handler.
bool driverHasRunKernels() noexcept;

}  // namespace a2
