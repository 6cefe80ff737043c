// Times that no device can take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

struct ClaimedTime {
    double ms = 0;                     // of one run; runs side by side may share what they read, and claim nothing here
    std::uint64_t minimumTraffic = 0;  // that any algorithm for it reads and writes (TaskClass::minimumTraffic)
    double copyPeakGBps = 0;  // what the copy kernel reached on this device, by the same clock; 0: not measured
};

// Why such a time cannot be, or nothing. Meant to accuse nobody who did the work, on any device:
// - Short arrays may lie in a cache, and a cache may be as long as half a default array. So 2 GiB, more than any cache
//   holds (1.1 GiB in a server's CPU, 0.4 GiB in a GPU, as of 2025), count as if they came for nothing, and only what
//   is moved beyond them is held against the copy peak. Reading alone may be faster than copying, and a peak that was
//   taken while somebody else used the device too low: so three times that peak is still believed.
// - Where that says nothing, 64 MiB and more do not move at over 100 TB/s, from whatever memory: as of 2025 a GPU's
//   fastest cache is at 20.
std::optional<std::string> implausible(const ClaimedTime& claimed);

}  // namespace a2
