// One run of recorded work: one command buffer with what is timed, one submit, and the time it took.
#pragma once

#include "gpu/Device.h"

#include <functional>
#include <memory>
#include <optional>

namespace a2 {

enum class Timer { gpu, host };

using Record = std::function<void(Commands&)>;

struct RunTime {
    // Between two timestamps on the device; empty where it has none that count, or they contradict the host's clock.
    std::optional<double> gpuMs;
    double hostMs = 0;  // host clock round submit and wait

    // By one of the two clocks; the host's where the device gave no timestamp.
    double by(Timer timer) const { return timer == Timer::gpu ? gpuMs.value_or(hostMs) : hostMs; }
    // Whether by(timer) is of the other clock.
    bool lacks(Timer timer) const { return timer == Timer::gpu && !gpuMs; }

    // What one of so many equal runs took.
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

// Whether the device's clock cannot be right: its time is longer than the host's round the submit that it is a part of,
// beyond what two clocks and their resolution differ by. The other way round says nothing: a host waits for many
// things.
bool contradict(double gpuMs, double hostMs);

}  // namespace a2
