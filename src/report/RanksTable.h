// The times of ranks that shared an array: of each rank, and of more ranks compared with fewer.
#pragma once

#include "judge/Outcome.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Compared with the fewest ranks with which the same task was timed.
struct SpeedUp {
    double times = 1;       // the factor of elements per second
    double efficiency = 1;  // that factor, divided by the factor of ranks
};
// Empty if the task was timed with only one number of ranks, or without ranks.
std::optional<SpeedUp> speedUpOf(const TaskOutcome& outcome, const Benchmark& benchmark);

// A line for each rank: its device, its part, and the medians of its own times. No line over 80 columns.
std::string ranksTable(const std::vector<PartTimes>& parts);

// The same for a JSON report: "ranks", "exchange_ms" and "parts", milliseconds.
nlohmann::ordered_json partsJson(const std::vector<PartTimes>& parts, double exchangeMs);

// A line for each number of ranks and task; empty if nothing was timed.
std::string scalingTable(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
