// Detects times that no device can reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

struct ClaimedTime {
    double ms = 0;  // of one run; runs side by side may share what they read, and are not judged here
    std::uint64_t minimumTraffic = 0;  // the least that any algorithm reads and writes (TaskClass::minimumTraffic)
    double copyPeakGBps = 0;           // of the copy kernel on this device, by the same clock; 0: not measured
};

// Why such a time is impossible, or nothing. No solution that did the work should be accused, on any device:
// - Short arrays may lie in a cache, and a cache may be as long as half a default array. So 2 GiB, more than any cache
//   holds (1.1 GiB in a server's CPU, 0.4 GiB in a GPU, as of 2025), count as free, and only the traffic beyond them is
//   compared with the copy peak. Reading alone may be faster than copying, and a peak is too low if it was measured
//   while another program used the device: so up to three times that peak is accepted.
// - If that shows nothing: 64 MiB and more do not move at over 100 TB/s, from whatever memory. As of 2025 a GPU's
//   fastest cache reaches 20.
std::optional<std::string> implausible(const ClaimedTime& claimed);

}  // namespace a2
