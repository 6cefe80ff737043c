// A timed series: warm-up, repetitions that are looked at, and a judged first and last one.
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
    double warmUpMs = 150;             // of back-to-back runs before a timed one; judged runs have gone before
    double coldWarmUpMs = 600;         // and as much as `device` lacks of these since it had nothing to do
    const Device* device = nullptr;    // what the runs are made on; none: the host
};

// What the next warm-up of these settings takes. A GPU that has nothing to do for a second or two turns down its
// clocks, and turns them up again in steps: on an NVIDIA H200 the same scan took 1.9 ms, then 1.4 to 1.6, and after
// 0.23 to 0.36 s of back-to-back runs 0.53; after up to a second of idleness, 0.53 at once. What the host did in the
// meantime made no difference. A few runs after a pause do not wake it: a prescan of 2^28 floats that was judged on the
// host for seconds, run twice more and warmed up for 0.15 s took 2.8 to 3.7 ms; warmed up for 0.6 s, 1.05.
double warmUpNow(const SeriesSettings& settings);
// Such a warm-up, of at least one run, where repetitions are made one by one afterwards: the clock for them, which is
// the host's where the device gave no timestamp.
Timer warmUpOneByOne(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings);

struct SeriesResult {
    Statistics ms;             // of one run
    Timer timer = Timer::gpu;  // host where a repetition had no timestamp that counts
    double hostMs = 0;         // of a single run, by the host's clock, without restoring the input
    Verdict verdict;           // of the repetitions; of single runs before and after them where these show nothing
    std::optional<std::size_t> wrongRepetition;  // the one between the first and the last that failed, from 1
};

// Stops early where a judged repetition fails.
SeriesResult timeSeries(Trial& trial, SeriesSettings settings);

// Only the clock: `run` returns one run's time, in milliseconds. For work of the host that nobody judges.
Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings);

// The same for work of the device: `run` is given the clock that its time is wanted by.
struct DeviceTimes {
    Statistics ms;
    Timer timer = Timer::gpu;  // host where a repetition had no timestamp that counts
};
DeviceTimes timeOnDevice(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings);

// What is said of work that was to be timed by the device's clock and was not.
constexpr const char* noTimestamps = "the device gave no timestamps that count; the time is the host's";

// What a device does in a second, in 10^9, and the clock that says so.
struct DeviceRate {
    double rate = 0;
    Timer timer = Timer::gpu;
};

}  // namespace a2
