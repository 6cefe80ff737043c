// A random array that several devices share: the prescan of one rank's part of it, and the combined result. As for the
// course's scans (judge/PartCases.h), every rank goes through the same meetings in the same order.
#pragma once

#include "annexes/prescan/DevicePrescan.h"
#include "judge/Part.h"
#include "judge/PartTimes.h"
#include "judge/Series.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace a2 {

// What one rank has found about its part or, if that is right, about its part of the whole result. Indices are those of
// the whole array.
struct PrescanPart {
    PrescanVerdict verdict;
    std::vector<std::string> messages;  // as in DevicePrescan::Judged, and the place of a wrong part
    PartTimes times;
    Timer timer = Timer::gpu;
};
nlohmann::json wireOf(const PrescanPart& part);
// Throws nlohmann::json::exception for anything else.
PrescanPart prescanPartFrom(const nlohmann::json& json);

// For a random array of n >= 1 elements. Floats that go from rank to rank are sums of doubles, rounded to a float once,
// and added to each element once: two additions more than in the part. progress: gets what is being worked on. Throws
// what DevicePrescan throws.
PrescanPart prescanPart(Device& gpu, const PrescanSettings& settings, std::uint64_t n, const SeriesSettings& series,
                        const Together& together, const std::function<void(const char*)>& progress);

// The results of all ranks, by rank, at least one.
struct SharedPrescan {
    DevicePrescan::Judged judged;  // messages that not all ranks have name their rank
    std::vector<PartTimes> parts;
    double ms = 0, exchangeMs = 0;  // medians; see TimesTogether for ms
    std::size_t repeat = 0;
    Timer timer = Timer::gpu;
};
SharedPrescan putTogether(const std::vector<PrescanPart>& parts);

}  // namespace a2
