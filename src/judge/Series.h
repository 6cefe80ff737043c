// A timed series: a warm-up, repetitions that are checked, and a judged first and last one.
#pragma once

#include "judge/Statistics.h"
#include "judge/Trial.h"

#include <functional>
#include <optional>

namespace a2 {

struct SeriesSettings {
    Timer timer = Timer::gpu;
    unsigned repeat = 10;              // repetitions, at least 1
    std::optional<double> maxSeconds;  // stop repeating after so long
    unsigned batch = 1;                // runs in each repetition, in one command buffer
    double warmUpMs = 150;             // of back-to-back runs before a timed one; judged runs came before
    double coldWarmUpMs = 600;         // and the part of this that `device` has not worked since it was last idle
    const Device* device = nullptr;    // the device of the runs; none: the host
};

// How long the next warm-up of these settings takes. A GPU that is idle for a second or two lowers its clocks, and
// raises them again in steps: on an NVIDIA H200 the same scan took 1.9 ms, then 1.4 to 1.6, and after 0.23 to 0.36 s of
// back-to-back runs 0.53; after up to a second of idleness, 0.53 at once. What the host did in the meantime made no
// difference. A few runs after a pause are not enough: a prescan of 2^28 floats that was judged on the host for
// seconds, run twice more and warmed up for 0.15 s took 2.8 to 3.7 ms; warmed up for 0.6 s, 1.05.
double warmUpNow(const SeriesSettings& settings);
// Such a warm-up, of at least one run, for repetitions that are then made one by one. Returns the clock for them: the
// host's if the device gave no timestamp.
Timer warmUpOneByOne(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings);

struct SeriesResult {
    Statistics ms;             // of one run
    Timer timer = Timer::gpu;  // host if a repetition had no valid timestamp
    double hostMs = 0;         // of a single run, by the host's clock, without restoring the input
    Verdict verdict;           // of the repetitions; of single runs before and after them if these show nothing
    std::optional<std::size_t> wrongRepetition;  // the repetition between the first and the last that failed, from 1
};

// Stops early if a judged repetition fails.
SeriesResult timeSeries(Trial& trial, SeriesSettings settings);

// Only measures: `run` returns one run's time, in milliseconds. For work on the host that is not judged.
Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings);

// The same for work on the device: `run` gets the clock by which its time is wanted.
struct DeviceTimes {
    Statistics ms;
    Timer timer = Timer::gpu;  // host if a repetition had no valid timestamp
};
DeviceTimes timeOnDevice(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings);

// The remark on work that should have been timed by the device's clock and was not.
constexpr const char* noTimestamps = "the device gave no timestamps that count; the time is the host's";

// A rate of the device, in 10^9 per second, and the clock that measured it.
struct DeviceRate {
    double rate = 0;
    Timer timer = Timer::gpu;
};

}  // namespace a2
