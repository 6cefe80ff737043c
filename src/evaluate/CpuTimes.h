// What the host's processor takes for a task's work, by the standard library's algorithms.
#pragma once

#include "Task.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace a2 {

struct CpuTimes {
    double oneThreadMs = 0;
    std::optional<double> allCoresMs;  // empty where the standard library has no parallel algorithms
};

// Times the work of tasks on one input; keeps what it measured, and an array for results, for the next task.
class CpuTimer {
public:
    explicit CpuTimer(const Input& input) : input_(input) {}

    // The expectation must be of this input. Medians of some repetitions, after one to warm up. Throws Error
    // (internal) if a result is wrong.
    CpuTimes of(const Expectation& expectation);

private:
    const Input& input_;
    std::vector<std::uint32_t> out_;
    std::map<std::tuple<TaskKind, std::uint64_t, bool>, CpuTimes> known_;  // by kind, tile and exclusiveness
};

}  // namespace a2
