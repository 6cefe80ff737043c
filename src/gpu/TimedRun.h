// One run of recorded work: a command buffer with the timed work, one submit, and the time that it took.
#pragma once

#include "gpu/Device.h"

#include <functional>
#include <memory>
#include <optional>

namespace a2 {

enum class Timer { gpu, host };

using Record = std::function<void(Commands&)>;

struct RunTime {
    // Time between two timestamps on the device; empty where it has no valid ones, or they contradict the host's clock.
    std::optional<double> gpuMs;
    double hostMs = 0;  // host time of submit and wait

    // The time by one of the two clocks; by the host's where the device gave no timestamp.
    double by(Timer timer) const { return timer == Timer::gpu ? gpuMs.value_or(hostMs) : hostMs; }
    // Whether by(timer) returns the time of the other clock.
    bool lacks(Timer timer) const { return timer == Timer::gpu && !gpuMs; }

    // The time of one run, if this is the time of that many equal runs.
    RunTime perRun(unsigned runs) const { return {gpuMs ? std::optional(*gpuMs / runs) : std::nullopt, hostMs / runs}; }
};

class TimedRun {
public:
    explicit TimedRun(Device& gpu);

    // Runs setup, work and after, in this order; only work is between the timestamps, with full barriers around it.
    // With Timer::gpu all go in one submit, so that the device does not idle before the timed work, and hostMs spans
    // all three. With Timer::host work is submitted alone, and hostMs is its own time.
    RunTime run(Timer timer, const Record& setup, const Record& work, const Record& after = {});

private:
    Device& gpu_;
    std::unique_ptr<Commands> setup_, work_, after_;
};

// Whether the device's clock must be wrong: its time is longer than the host's time for the submit that contains it, by
// more than the two clocks and their resolution can differ. The opposite means nothing: a host waits for many things.
bool contradict(double gpuMs, double hostMs);

}  // namespace a2
