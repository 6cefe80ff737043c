// Notes which of the driver's functions this program is in, for whoever has to say what never returned, or what
// crashed.
#pragma once

#include "a2/Vulkan.h"

#include <cstdint>

namespace a2 {

// The driver's vkGetInstanceProcAddr, and after it functions that note themselves. Those of a second driver, where a
// program has several open, are handed out as they are: nothing is noted of them.
PFN_vkGetInstanceProcAddr watchedVulkan(PFN_vkGetInstanceProcAddr driver);

// The call that some thread of this program is in, as a moment has it.
struct DriverCall {
    const char* name = nullptr;  // "vkQueueSubmit"; null: none
    std::uint64_t number = 0;    // of calls begun and ended so far
};
DriverCall driverCall() noexcept;

// Of the calling thread; null: it is in none. Safe in a signal's handler.
const char* driverCallHere() noexcept;

// Whether the driver was given a kernel to run. Safe in a signal's handler.
bool driverHasRunKernels() noexcept;

}  // namespace a2
