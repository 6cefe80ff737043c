// How fast this device and this host add where no memory slows them down: what a kernel's additions are held against.
// Measured, for Vulkan and C++ tell nobody.
#pragma once

#include "annexes/prescan/Prescan.h"
#include "judge/Series.h"

namespace a2 {

// In 10^9 a second. Floats: additions and subtractions; uint32: additions and exclusive ors. Of the device, all of it;
// throws Error (internal) if it added wrong.
DeviceRate measureDeviceAddPeak(Device& gpu, const ElementType& element, const SeriesSettings& settings);

// Of one thread of the host.
double measureHostAddPeak(const ElementType& element, const SeriesSettings& settings);

}  // namespace a2
