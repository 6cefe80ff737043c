// What an evaluation found out about a task; reports are written from it.
#pragma once

#include "Judge.h"
#include "Task.h"
#include "evaluate/Statistics.h"
#include "gpu/TimedRun.h"
#include "observe/Finding.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

enum class Status { passed, failed, skipped, timeout, crashed };
const char* statusText(Status status);

struct CaseOutcome {
    std::uint64_t n = 0;
    std::string pattern;
    std::uint64_t seed = 0;
    KernelShape shape;
    Status status = Status::passed;
    std::optional<Mismatches> mismatches;
    std::vector<Finding> findings;  // why it failed besides wrong elements, or why it was skipped
};

struct Benchmark {
    std::uint64_t n = 0;
    KernelShape shape;
    Timer timer = Timer::gpu;
    Statistics ms;       // of the repetitions, in milliseconds
    double hostMs = 0;   // host clock round submit and wait of one run, without restoring the input
    double wholeMs = 0;  // upload, prepare, run, download
    double cpuMs = 0;    // the CPU reference, one thread
    std::uint64_t leastBytes = 0;

    // GE/s, 10^9 elements per second, from the median; 0 for no time at all.
    double throughput() const { return ms.median > 0 ? static_cast<double>(n) / ms.median / 1e6 : 0; }
};

struct TaskOutcome {
    Task task;
    Status status = Status::passed;
    std::vector<CaseOutcome> cases;
    std::optional<Benchmark> benchmark;
    std::vector<std::string> explanation;  // for the console: lines that explain a failure or a skip

    const CaseOutcome* firstFailure() const;
};

// The findings of a failed task that belong to a rule of the lint, each one once.
std::vector<Finding> lintFindings(const TaskOutcome& outcome);

}  // namespace a2
