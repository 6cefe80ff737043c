// What an evaluation found out about a task; reports are written from it.
#pragma once

#include "gpu/TimedRun.h"
#include "judge/Comparison.h"
#include "judge/Diagnosis.h"
#include "judge/LowerLimits.h"
#include "judge/Method.h"
#include "judge/Part.h"
#include "judge/PartTimes.h"
#include "judge/PrintedRun.h"
#include "judge/Statistics.h"
#include "judge/StepModel.h"
#include "judge/Verdict.h"
#include "lint/Finding.h"
#include "tasks/Task.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

enum class Status { passed, failed, skipped, timeout, crashed, notWritten };  // notWritten: of tasks, not of cases
const char* statusText(Status status);

// Where a run's time goes, by the host's clock, in milliseconds. The pipelines already exist.
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
    unsigned inFlight = 1;  // how many at a time did not wait for each other
    Timer timer = Timer::gpu;
    Statistics ms;                   // of the repetitions, in milliseconds
    double hostMs = 0;               // host clock around submit and wait of a single run, without restoring the input
    WholeTimes whole;                // of one run from the input in main memory to the result there
    double cpuMs = 0;                // the same result on the CPU, one thread
    std::optional<double> cpuAllMs;  // on all its cores; empty if that was not measured
    std::uint64_t minimumTraffic = 0;
    std::string nameSuffix;  // after the task's id and n if these do not distinguish two cases
    // Of an array that ranks share, by rank; empty otherwise. In each repetition, `ms` is then the sum of the longest
    // recording, the longest exchange and the longest first or last step.
    std::vector<PartTimes> parts;
    double exchangeMs = 0;  // the median of the longest

    // GE/s, 10^9 elements per second, from the median; 0 for no time at all.
    double throughput() const { return ms.median > 0 ? static_cast<double>(n) / ms.median / 1e6 : 0; }
    // GB/s: 10^9 bytes per second of the minimum traffic.
    double bandwidth() const { return ms.median > 0 ? static_cast<double>(minimumTraffic) / ms.median / 1e6 : 0; }
};

// Part of a benchmark's name: "/wg:256/elements:2", and "/exclusive" for an exclusive scan.
std::string shapeSuffix(const KernelShape& shape);

// The place of a fault in the solution, as far as it is known.
struct FaultPlace {
    std::string file;                   // under shaders/; empty: not known
    std::optional<std::uint64_t> line;  // of it, from 1
    std::string phase;                  // what the solution's code was doing ("preparing"); empty: nothing, or unknown
    bool compiling = false;  // it does not compile: length and input do not matter, and there are no steps to show
};

struct CaseOutcome {
    std::uint64_t n = 0;
    std::string pattern;
    std::uint64_t seed = 0;
    KernelShape shape;
    std::optional<LowerLimits> limit;  // with which the device was simulated
    std::string schedule;              // an order in which its kernels' walk failed (Schedule.h); empty: no special one
    Status status = Status::passed;
    bool deviceFailed = false;  // timeout or crashed: of the device or its driver, not of the solution's own process
    std::optional<Mismatches> mismatches;
    std::vector<Finding> findings;  // reasons for a failure besides wrong elements, or for skipping it; and notes
    FaultPlace place;
    std::optional<Benchmark> benchmark;  // if it passed and was timed
    Halt elsewhere = Halt::none;         // why another rank of the same array stopped it
    unsigned sharing = 1;                // ranks that shared the array
    bool putTogether = false;            // wrong only after the parts were put together, not in the result of a part
    bool ofReals = false;                // of elements that only this run has (RealSums.h)
};

// What is known about a task's first failure beyond the case itself.
struct Diagnosis {
    // The same fault where it is easiest to see: with the smallest work-groups, then the fewest elements, then the
    // easiest numbers that show it. Empty if it was not looked for.
    std::optional<CaseOutcome> smallest;
    std::optional<Contributions> contributions;  // of single elements there
    std::optional<WrongStep> firstWrong;         // dispatch there
    std::string remark;                          // on a wrong result that no single dispatch explains
    std::string command;                         // shows the failure step by step; empty if nothing can be shown
    std::uint32_t rightSubgroups = 0;  // the same run, walked with subgroups of this size, is right; 0: of none
    std::uint32_t ownSubgroups = 0;    // the device's size, with which it is wrong
    bool passesAlone = false;          // the same run passes as the first object of its process
    bool passesCourse = false;         // the course needs nothing that failed, and the rest passed
};

// Adds the verdict to the case and to its earlier findings.
void judge(CaseOutcome& outcome, const Verdict& verdict);

// Whether a finding of this rule fails the case.
bool hasRule(const CaseOutcome& one, const std::string& rule);

struct TaskOutcome {
    Task task;
    Status status = Status::passed;
    std::vector<CaseOutcome> cases;
    bool single = false;                  // the one run that the user asked for: its case need not be named
    std::optional<Diagnosis> diagnosis;   // of a failure
    std::optional<PrintedRun> printed;    // by the kernels, in the diagnosed run or in one that passes
    std::vector<MethodCriterion> method;  // empty if it was not looked at
    std::vector<std::string> recorded;    // in the run from which the method was judged (RecordedText.h)
    std::string unwritten;                // notWritten: the file to write, from the project's folder on

    void addUnlessPassed(CaseOutcome one);  // one more length that passes tells the reader nothing
    bool worked() const;                    // a case with n > 0 passed
    const CaseOutcome* firstFailure() const;
    bool isOver() const;                 // a case failed, here or on another rank of the same array
    bool deviceFailed() const;           // in one of the cases
    const Benchmark* benchmark() const;  // the last one; null if no case was timed
};

// The options that reproduce a case: "-n 16 -p mod97 -w 4 --elements 2".
std::string optionsText(const CaseOutcome& one);

// One for each task, without cases.
std::vector<TaskOutcome> blankOutcomes(const std::vector<Task>& tasks);

// Whether a case was skipped because the emulated device cannot follow its kernels.
bool isUnknown(const CaseOutcome& one);

// The task's status from its cases: it passes if a case with n > 0 passed and none failed. skipOne: one skipped case
// skips the task.
Status statusOf(const TaskOutcome& outcome, bool skipOne);

// The findings of a task from a rule of the lint, without repetitions.
std::vector<Finding> lintFindings(const TaskOutcome& outcome);
// The notes among them, one line for each rule and cause: notes of many lengths and shapes are alike.
std::vector<std::string> noteLines(const TaskOutcome& outcome);

}  // namespace a2
