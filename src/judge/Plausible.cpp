#include "judge/Plausible.h"

#include <fmt/format.h>

namespace a2 {

std::optional<std::string> implausible(const ClaimedTime& claimed)
{
    constexpr std::uint64_t inCaches = std::uint64_t{2} << 30, smallest = std::uint64_t{64} << 20;
    constexpr double believedPeaks = 3, fastestGBps = 1e5;
    if (claimed.minimumTraffic < smallest) return {};
    const auto gbps = [&](std::uint64_t bytes) {
        return static_cast<double>(bytes) / claimed.ms / 1e6;
    };  // no time: inf
    if (gbps(claimed.minimumTraffic) > fastestGBps)
        return fmt::format(
            "implausible time: {:.6g} ms for the {} bytes that any algorithm reads and writes, which is more than "
            "{:.0f} TB/s; was all of the work done?",
            claimed.ms, claimed.minimumTraffic, fastestGBps / 1e3);
    if (claimed.copyPeakGBps <= 0 || claimed.minimumTraffic <= inCaches) return {};
    if (gbps(claimed.minimumTraffic - inCaches) <= believedPeaks * claimed.copyPeakGBps) return {};
    return fmt::format(
        "implausible time: {:.6g} ms for the {} bytes that any algorithm reads and writes, and this device copies at "
        "{:.0f} GB/s; was all of the work done?",
        claimed.ms, claimed.minimumTraffic, claimed.copyPeakGBps);
}

}  // namespace a2
