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

// Where a run's time goes, on the host's clock, in milliseconds. Pipelines are there already.
struct WholeTimes {
    double allocateMs = 0;  // memory for the input
    double uploadMs = 0;    // the input into it
    double prepareMs = 0;   // the solution's own buffers and descriptor sets
    double launchMs = 0;    // submit one run and wait for it
    double downloadMs = 0;  // the result into main memory

    double sum() const { return allocateMs + uploadMs + prepareMs + launchMs + downloadMs; }
};

struct Benchmark {
    std::uint64_t n = 0;
    KernelShape shape;
    unsigned batch = 1;     // runs per command buffer; all times but `whole` are of one run
    unsigned inFlight = 1;  // so many of them at a time did not wait for each other
    Timer timer = Timer::gpu;
    Statistics ms;                   // of the repetitions, in milliseconds
    double hostMs = 0;               // host clock round submit and wait of a single run, without restoring the input
    WholeTimes whole;                // of one run from the input in main memory to the result there
    double cpuMs = 0;                // the same result on the CPU, one thread
    std::optional<double> cpuAllMs;  // and on all its cores; empty where that was not measured
    std::uint64_t leastBytes = 0;
    std::string nameSuffix;  // behind the task's id and n where these do not tell two cases apart

    // GE/s, 10^9 elements per second, from the median; 0 for no time at all.
    double throughput() const { return ms.median > 0 ? static_cast<double>(n) / ms.median / 1e6 : 0; }
    // GB/s, 10^9 of the least bytes per second.
    double bandwidth() const { return ms.median > 0 ? static_cast<double>(leastBytes) / ms.median / 1e6 : 0; }
};

struct CaseOutcome {
    std::uint64_t n = 0;
    std::string pattern;
    std::uint64_t seed = 0;
    KernelShape shape;
    Status status = Status::passed;
    std::optional<Mismatches> mismatches;
    std::vector<Finding> findings;       // why it failed besides wrong elements, or why it was skipped
    std::optional<Benchmark> benchmark;  // where it passed and was timed
};

struct TaskOutcome {
    Task task;
    Status status = Status::passed;
    std::vector<CaseOutcome> cases;
    bool cutShort = false;                 // the device failed before all cases were run
    std::vector<std::string> explanation;  // for the console: lines that explain a failure or a skip
    std::string stepsCommand;              // shows a failure step by step; empty where nothing can be shown

    // All of that, for reports: a line each.
    std::vector<std::string> reportLines() const;
    const CaseOutcome* firstFailure() const;
    const Benchmark* benchmark() const;  // the last one; null where no case was timed
};

// The findings of a failed task that belong to a rule of the lint, each one once.
std::vector<Finding> lintFindings(const TaskOutcome& outcome);

}  // namespace a2
