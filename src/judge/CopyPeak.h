// The highest copy bandwidth of this device's memory. Kernels' bandwidths are compared with it.
#pragma once

#include "judge/Series.h"

namespace a2 {

// The phase (Device::enter) in which it runs, which belongs to no task.
constexpr const char* copyKernelPhase = "measuring the copy kernel";

// Bytes read plus bytes written per second by the copy kernel on arrays of n elements, in GB/s (10^9). Throws
// LimitError if the device has no room for two of them.
DeviceRate measureCopyPeak(Device& gpu, std::uint64_t n, const SeriesSettings& settings);

}  // namespace a2
