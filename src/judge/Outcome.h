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
#include "lint/Finding.h"
#include "tasks/Task.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

enum class Status { passed, failed, skipped, timeout, crashed, notWritten };  // the last one: of tasks, not of cases
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
    std::uint64_t minimumTraffic = 0;
    std::string nameSuffix;  // after the task's id and n where these do not tell two cases apart
    // Of an array that ranks share, by rank; empty otherwise. `ms` is then, in each repetition, the longest recording,
    // the longest exchange and the longest first or last step together.
    std::vector<PartTimes> parts;
    double exchangeMs = 0;  // the median of the longest

    // GE/s, 10^9 elements per second, from the median; 0 for no time at all.
    double throughput() const { return ms.median > 0 ? static_cast<double>(n) / ms.median / 1e6 : 0; }
    // GB/s, 10^9 of the least bytes per second.
    double bandwidth() const { return ms.median > 0 ? static_cast<double>(minimumTraffic) / ms.median / 1e6 : 0; }
};

// Of the name of a benchmark: "/wg:256/elements:2", and "/exclusive" of such a scan.
std::string shapeSuffix(const KernelShape& shape);

// Where in the solution a fault lies, as far as that is known.
struct FaultPlace {
    std::string file;                   // under shaders/; empty: not known
    std::optional<std::uint64_t> line;  // of it, from 1
    std::string phase;                  // what the solution's code was doing ("preparing"); empty: nothing, or unknown
    bool compiling = false;             // it does not compile: no length and no input matters, and no step can be seen
};

struct CaseOutcome {
    std::uint64_t n = 0;
    std::string pattern;
    std::uint64_t seed = 0;
    KernelShape shape;
    std::optional<LowerLimits> limit;  // that the device was given
    std::string schedule;              // under which its kernels' walk failed (Schedule.h); empty: under any
    Status status = Status::passed;
    bool deviceFailed = false;  // timeout or crashed: of the device or its driver, not of the solution's own process
    std::optional<Mismatches> mismatches;
    std::vector<Finding> findings;  // why it failed besides wrong elements, or why it was skipped; and notes
    FaultPlace place;
    std::optional<Benchmark> benchmark;  // where it passed and was timed
    Halt elsewhere = Halt::none;         // what another rank of the same array stopped it for
    bool putTogether = false;            // wrong: not the result of a part, but what became of the parts together
    bool ofReals = false;                // of elements that no other run has (RealSums.h)
};

// What was found out about a task's first failure beside the case itself.
struct Diagnosis {
    // The same fault where it is easiest to see: the smallest work-groups, then the fewest elements, then the easiest
    // numbers that show it. Empty where it was not looked for.
    std::optional<CaseOutcome> smallest;
    std::optional<Contributions> contributions;  // of single elements there
    std::optional<WrongStep> firstWrong;         // dispatch there
    std::string remark;                          // on a wrong result that no single dispatch explains
    std::string command;                         // shows it step by step; empty where nothing can be shown
    bool passesAlone = false;                    // the same run, of an object that is the first of its process
    bool passesCourse = false;                   // the course asks for none of what failed, and the rest passed
};

struct TaskOutcome {
    Task task;
    Status status = Status::passed;
    std::vector<CaseOutcome> cases;
    bool single = false;                  // the one run that the user asked for: nobody needs to be told which it was
    std::optional<Diagnosis> diagnosis;   // of a failure
    std::optional<PrintedRun> printed;    // by the kernels in the run that the diagnosis has, or in one that passes
    std::vector<MethodCriterion> method;  // empty where it was not looked at
    std::vector<std::string> recorded;    // in the run that the method was told from (RecordedText.h)
    std::string unwritten;                // notWritten: the file to write, from the project's folder on

    bool worked() const;  // a case of more than no element passed
    const CaseOutcome* firstFailure() const;
    bool isOver() const;                 // a case failed, here or on another rank of the same array
    bool deviceFailed() const;           // in one of the cases
    const Benchmark* benchmark() const;  // the last one; null where no case was timed
};

// Whether a case was skipped because the emulated device cannot follow its kernels.
bool isUnknown(const CaseOutcome& one);

// The findings of a task that belong to a rule of the lint, each one once.
std::vector<Finding> lintFindings(const TaskOutcome& outcome);
// The notes among them, a line for each rule and cause: those of many lengths and shapes are alike.
std::vector<std::string> noteLines(const TaskOutcome& outcome);

}  // namespace a2
