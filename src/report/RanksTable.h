// What ranks that shared an array took: each of them, and more of them as compared with fewer.
#pragma once

#include "judge/Outcome.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// As compared with the fewest ranks that the same task was timed with.
struct SpeedUp {
    double times = 1;       // as many elements per second
    double efficiency = 1;  // that, as a fraction of as many times the ranks
};
// Empty where the task was timed with one number of ranks only, or without ranks.
std::optional<SpeedUp> speedUpOf(const TaskOutcome& outcome, const Benchmark& benchmark);

// A line for each rank: its device, its part, and the medians of its own times. No line over 80 columns.
std::string ranksTable(const std::vector<PartTimes>& parts);

// The same for a JSON report: "ranks", "exchange_ms" and "parts", milliseconds.
nlohmann::ordered_json partsJson(const std::vector<PartTimes>& parts, double exchangeMs);

// A line for each number of ranks and task; empty where nothing was timed.
std::string scalingTable(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
