// How fast this device and this host add without using memory: kernels' additions are compared with it. Measured,
// because Vulkan and C++ do not report it.
#pragma once

#include "annexes/prescan/Prescan.h"
#include "judge/Series.h"

namespace a2 {

// In 10^9 per second. Floats: additions and subtractions; uint32: additions and exclusive ors. For the whole device;
// throws Error (internal) if it added wrong.
DeviceRate measureDeviceAddPeak(Device& gpu, const ElementType& element, const SeriesSettings& settings);

// For one thread of the host.
double measureHostAddPeak(const ElementType& element, const SeriesSettings& settings);

}  // namespace a2
