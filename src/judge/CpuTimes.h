// The time that the host's processor needs for a task's work with the standard library's algorithms.
#pragma once

#include "tasks/Expectation.h"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace a2 {

struct CpuTimes {
    double oneThreadMs = 0;
    std::optional<double> allCoresMs;  // empty where A2_PARALLEL_ALGORITHMS is not defined
};

// Runs `work` once to warm up, checks that its result is right, and returns the median time, in milliseconds, of up to
// five more runs: of as many as fit into `budgetMs` together with the first one. If none fits, it returns the time of
// the first. Throws Error (internal) if the result is wrong.
double medianWithin(double budgetMs, const std::function<void()>& work, const std::function<bool()>& right);

// Times the work of tasks on one input. Keeps its measurements, and an array for results, for the next task.
class CpuTimer {
public:
    explicit CpuTimer(const Input& input) : input_(input) {}

    // The expectation must be of this input. Medians of some repetitions; it takes about two seconds at most, or as
    // long as two runs. Throws Error (internal) if a result is wrong.
    CpuTimes of(const Expectation& expectation);

private:
    std::span<std::uint32_t> outOnce();

    const Input& input_;
    HostArray out_;
    std::map<std::tuple<const TaskClass*, std::uint64_t, bool>, CpuTimes> known_;  // by class, tile, exclusiveness
};

}  // namespace a2
