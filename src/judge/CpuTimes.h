// What the host's processor takes for a task's work, by the standard library's algorithms.
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

// Runs `work` once to warm up, checks that its result is right, and returns the median time of up to five more runs, in
// milliseconds: of as many as fit into `budgetMs` together with the first; of the first where none does. Throws Error
// (internal) if the result is wrong.
double medianWithin(double budgetMs, const std::function<void()>& work, const std::function<bool()>& right);

// Times the work of tasks on one input; keeps what it measured, and an array for results, for the next task.
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
