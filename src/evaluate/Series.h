// A timed series: warm-up, repetitions, and a judged first and last repetition.
#pragma once

#include "evaluate/Statistics.h"
#include "evaluate/Trial.h"

#include <optional>

namespace a2 {

struct SeriesSettings {
    Timer timer = Timer::gpu;
    unsigned repeat = 10;              // repetitions, at least 1
    std::optional<double> maxSeconds;  // stop repeating after so long
    unsigned batch = 1;                // runs in each repetition, in one command buffer
    double warmUpMs = 150;             // of back-to-back runs before a timed one; judged runs have gone before
};

struct SeriesResult {
    Statistics ms;             // of one run
    Timer timer = Timer::gpu;  // host where the device's timestamps did not count
    double hostMs = 0;         // of a single run, by the host's clock, without restoring the input
    Verdict verdict;           // of the first and the last repetition, or of single runs before and after them
};

// Stops early where a judged repetition fails.
SeriesResult timeSeries(Trial& trial, SeriesSettings settings);

// Only the clock: `run` returns one run's time. For work that nobody judges.
Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings);

}  // namespace a2
