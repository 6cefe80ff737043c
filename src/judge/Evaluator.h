// Runs tasks: checks and times them (run), takes them through the correctness matrix (check), or times them (bench).
#pragma once

#include "judge/Outcome.h"
#include "judge/Part.h"
#include "judge/Schedule.h"
#include "judge/Series.h"
#include "judge/Steps.h"
#include "judge/Trial.h"

#include <functional>
#include <optional>

namespace a2 {

class CpuTimer;
struct MatrixShape;
struct WalkedRun;

struct EvaluationSettings {
    std::uint64_t size = 0;                            // elements
    std::uint64_t peakSize = 0;                        // elements of the arrays that the copy kernel is timed on
    std::optional<double> copyPeakGBps;                // where it was measured already
    std::optional<Pattern> pattern;                    // run and bench: random if not given; check: only this one
    std::uint64_t seed = 1;                            // of random
    std::optional<std::uint32_t> workGroup, elements;  // instead of each task's default
    bool exclusive = false;
    unsigned repeat = 10;
    std::optional<double> maxSeconds;
    Timer timer = Timer::gpu;
    std::optional<LowerLimits> lowerLimits;            // of the device, instead of its own
    std::optional<Schedule> schedule;                  // of kernels on the host; empty: all that are tried
    bool course = false;                               // only lengths that are powers of two
    PrintSettings print;                               // of what kernels print
    bool strict = false;                               // what is unmet of the method fails the task
    std::optional<std::uint64_t> onlySize;             // check: only this length
    std::uint64_t upTo = UINT64_MAX;                   // check, bench: no longer lengths
    bool sweepSizes = false, sweepWorkGroups = false;  // bench
    unsigned batch = 1;                                // bench: runs per command buffer
    unsigned inFlight = 1;                             // bench: so many of them need not wait for each other
    std::vector<unsigned> sharing;  // bench with several ranks: so many share the array; default: all
    bool weak = false;              // ... each of `size` elements, not parts of them
    std::string program = "a2";     // how the user calls it, for the commands that are printed
    std::string moreOptions;        // and what they need beside a case's own options: " --shader-dir mine -d cpu"
};

// The series of single runs that these settings ask for, on this device.
SeriesSettings seriesOn(const Device& gpu, const EvaluationSettings& chosen);

// The phase (Device::enter) that is about no task.
constexpr const char* copyKernelPhase = "measuring the copy kernel";

using Progress = std::function<void(const std::string&)>;
// Told of each run on the device before it is prepared: task, length, pattern and shape.
using Begin = std::function<void(const Task&, const CaseOutcome&)>;

// One input of the correctness matrix, and what every task is asked for on it, task by task.
struct CheckRound {
    std::uint64_t n;
    Pattern pattern;
    std::vector<std::vector<CaseOutcome>> cases;  // not run yet; those that are no pass already will not be
};

class Evaluator {
public:
    Evaluator(Device& gpu, EvaluationSettings settings, Progress progress, Begin begin = {});

    // Checks one task, and times it, but on an emulated device. Never throws for what is wrong with the task or too
    // much for the device. After a time-out or a lost device (deviceFailed()) nothing more may be asked for, here and
    // below.
    TaskOutcome run(const Task& task);
    // The same at the one length of the settings, in this shape.
    TaskOutcome runOne(const Task& task, const KernelShape& shape);
    // One small run, shown dispatch by dispatch. Where no pattern was asked for and the easy one shows no fault, random
    // values are tried too, and shown if they do.
    struct Walk {
        std::function<void(const CaseOutcome&, const std::vector<NamedValues>&)> begin;  // and what it is given
        std::function<void(const StepView&)> show;
        std::optional<std::uint64_t> watchedGroup = {};  // whose phases are wanted (StepsSettings)
        bool traces = false;
    };
    TaskOutcome steps(const Task& task, const Walk& walk, StepsOutcome& steps);
    // One run, which `around` is given, and may have judged.
    struct OneRun {
        const CaseOutcome& asked;
        const StudentSolution& solution;
        const Expectation& expectation;
        std::function<const Verdict&()> judge;
    };
    TaskOutcome once(const Task& task, const std::function<void(const OneRun&)>& around);
    // The correctness matrix, all tasks side by side, so that each input is made and uploaded once. A task is done with
    // its first failure. `show` is called as soon as a task's verdict is known. Where the device fails, the tasks that
    // have no verdict then are left out.
    using ShowOutcome = std::function<void(const TaskOutcome&)>;
    std::vector<TaskOutcome> check(const std::vector<Task>& tasks, const ShowOutcome& show = {});
    // Times each task at each length and work-group size that the settings ask for, length by length, so that each
    // input is made and uploaded once. `show` is called as soon as a case is done. Where the device fails, only the
    // outcome of the task over which it did. known: for each task the cases that an earlier call has shown, which are
    // not run again.
    using ShowCase = std::function<void(const Task&, const CaseOutcome&)>;
    std::vector<TaskOutcome> bench(const std::vector<Task>& tasks, const ShowCase& show,
                                   const std::vector<std::vector<CaseOutcome>>& known = {});

    // Has everything recorded that check() or run() of these tasks may ask for, and runs nothing on the device: whoever
    // answers the device's requests (Device::record) keeps the answers. A task that fails there, or takes longer than
    // `mostSecondsAhead` of it, is over; run() and check() ask in the same order, and end there, too.
    static constexpr double mostSecondsAhead = 60;
    using Room = std::function<bool(const Task&)>;  // whether there is room for more recordings of a task
    void recordForCheck(const std::vector<Task>& tasks, const Room& room);
    void recordForRun(const std::vector<Task>& tasks, const Room& room);

    // From here on, cases are of the part of the array that is this rank's, and all ranks are asked for the same.
    void shareWith(Together others) { together_ = std::move(others); }

    bool deviceFailed() const;
    // The shape a task gets: its default or what was asked for; fewer elements where its tile would not fit.
    KernelShape shapeOf(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup) const;
    // The shape that run() takes: where the kernel does not compile, any; its first case says what is wrong with it.
    KernelShape shapeOfRun(const Task& task) const;
    // Whether the shape's work-group size is the one that the user chose or, without a choice, the task's own.
    bool hasOwnWorkGroup(const Task& task, const KernelShape& shape) const;
    // GB/s of the copy kernel, measured on first use; 0 where it cannot be, and on an emulated device. Where it is
    // wanted, ask before inputs fill the memory: on an NVIDIA H200 it read 1 % less afterwards.
    double copyPeakGBps();
    // What is to be said about it, once it was asked for: why it is not there, or that it is by the host's clock. Empty
    // for nothing, and for a device that failed.
    const std::string& copyRemark() const { return copyRemark_; }

private:
    struct Shared {  // the last input, and what it is valid for
        std::unique_ptr<Input> input;
        std::unique_ptr<DeviceInput> onDevice;
        std::optional<KernelShape> offsetShape;  // set if onDevice is for a class that is given block offsets
    };

    // first: of the pattern's elements, for a part of an array.
    const Input& inputFor(const Task& task, const Pattern& pattern, std::uint64_t n, Shared& shared,
                          std::uint64_t first = 0) const;
    const DeviceInput& deviceInputFor(const Expectation& expectation, Shared& shared) const;
    Pattern easyPattern(const Task& task) const
    {
        return settings_.pattern ? *settings_.pattern : Pattern::parse(task.taskClass->easyPattern);
    }
    Pattern timedPattern() const { return settings_.pattern.value_or(Pattern::parse("random")); }
    CaseOutcome blank(const Pattern& pattern, std::uint64_t n, const KernelShape& shape) const;
    void begin(const Task& task, const CaseOutcome& one) const;
    CaseOutcome checkCase(const Task& task, const Pattern& pattern, std::uint64_t n, const KernelShape& shape,
                          Shared& shared, const std::optional<LowerLimits>& limit);
    // The same for the rank's part of an array (EvaluatorParts.cpp). sharing: so many ranks share it.
    enum class PartWork { checkOnce, checkThrice, time };
    CaseOutcome partCase(const Task& task, const CaseOutcome& asked, const Pattern& pattern, unsigned sharing,
                         PartWork work, Shared& shared);
    std::vector<TaskOutcome> benchParts(const std::vector<Task>& tasks, const ShowCase& show);
    // Of the rank's part of an array of n elements, in check and run.
    std::uint64_t partLength(std::uint64_t n) const
    {
        return together_->own.end(n, allRanks()) - together_->own.begin(n, allRanks());
    }
    unsigned allRanks() const { return together_ ? together_->own.ranks : 1; }
    std::vector<CheckRound> planCheck(const std::vector<Task>& tasks);
    std::vector<CaseOutcome> planCases(const Task& task, const Pattern& pattern, const std::vector<MatrixShape>& wanted,
                                       std::uint64_t n);
    void judgeChanged(Trial& trial, CaseOutcome& outcome);
    void lookAtSteps(const Task& task, const Expectation& expectation, Trial& trial, CaseOutcome& outcome);
    // The length and the shape in which orders of work-groups are tried.
    std::pair<std::uint64_t, KernelShape> scheduled(const Task& task, const KernelShape& own) const;
    // On the host, before a device meets a path that only waiting reaches; n up to `longest`.
    void walkOrders(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    void walkLosses(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    void checkSchedules(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);  // n up to that
    // Short runs in shapes beside the task's own, for what only a device's buffers show; n up to longest.
    void checkSmallShapes(TaskOutcome& outcome, std::uint64_t longest);
    std::vector<WalkedRun> smallShapes(const Task& task, std::uint64_t longest) const;
    static void addUnlessPassed(TaskOutcome& outcome, CaseOutcome one);
    bool keepsToItsShape() const;  // the user chose one, or the course did
    void lookForOrder(Trial& trial, CaseOutcome& outcome);
    void lookForRule(const Task& task, CaseOutcome& outcome);
    void lookAtCpuDriver(const Task& task, const Input& input, CaseOutcome& outcome);
    void lookElsewhere(const Task& task, Trial& trial, CaseOutcome& outcome);
    // What is walked on the host beside what the device runs (EvaluatorWalks.cpp); the first that fails is added to the
    // cases. longest: elements that were asked for. all: exclusive scans, too.
    std::uint64_t longestChecked() const;  // by check()
    void walkShapes(TaskOutcome& outcome, std::uint64_t longest, bool all);
    std::vector<WalkedRun> furtherShapes(const Task& task, std::uint64_t longest, bool all) const;
    std::vector<WalkedRun> courseWalks(const Task& task, std::uint64_t longest) const;
    // In the shape that is timed: other inputs in a few tiles, and a run of many, each of which is walked.
    std::vector<WalkedRun> moreInOwnShape(const Task& task, std::uint64_t longest) const;
    CaseOutcome walkCaseOnHost(const Task& task, const WalkedRun& run, bool& complete);
    // Longer arrays, recorded and not run. demanded: what is beyond a limit fails; otherwise it is a note, and one run
    // shows whether folded dispatches are right.
    void lookAtLongArrays(TaskOutcome& outcome, std::uint64_t longest, bool demanded);
    using RecordRuns = std::function<void(const std::vector<WalkedRun>&, const std::optional<LowerLimits>&)>;
    void recordWalks(const Task& task, std::uint64_t longest, bool all, const RecordRuns& record);
    std::vector<WalkedRun> longArrays(const Task& task, const KernelShape& own, std::uint64_t longest) const;
    // After whole numbers were right: reals, of tasks of float32.
    std::vector<WalkedRun> runsOfReals(const Task& task, const KernelShape& own, std::uint64_t longest) const;
    void checkReals(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    void checkAndTime(const Task& task, const KernelShape& shape, TaskOutcome& outcome);
    CaseOutcome benchCase(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup,
                          std::unique_ptr<CpuTimer>& cpu);
    Benchmark blankBenchmark(const Task& task, const CaseOutcome& one) const;
    // A timed series of a trial that has passed; it fails the case, or fills in the benchmark.
    void timeCase(Trial& trial, const DeviceInput& onDevice, Benchmark benchmark, CaseOutcome& one);
    // Adds the short lengths that are tried before the one that was asked for, until one does not pass. Beside n = 0,
    // which starts no kernel, only they can show anything about the task.
    void checkQuickSizes(TaskOutcome& outcome, KernelShape shape);
    // The task's status from its cases: it passes if one of more than no element passed, and none failed. skipOne: one
    // skipped case skips the task.
    void finish(TaskOutcome& outcome, bool skipOne);
    // Whether a task failed because nobody has written it yet; its status then says so, and there is nothing to
    // explain.
    bool findUnwritten(TaskOutcome& outcome);
    // Of a finished task that has passed, in one of its cases; what is unmet goes to that case's findings.
    void lookAtWalk(TaskOutcome& outcome) const;
    void lookAtMethod(TaskOutcome& outcome);
    // Runs body; an exception that is about the task becomes the case's status and finding.
    void guarded(CaseOutcome& outcome, const std::function<void()>& body);
    void keepWalk(Trial& trial, const Task& task, const CaseOutcome& one);
    void failOnDevice(CaseOutcome& outcome, const DeviceError& error);
    void walkCase(const Task& task, const Pattern& pattern, const KernelShape& shape, const Walk& walk,
                  CaseOutcome& outcome, StepsOutcome& steps);
    void explainFailure(TaskOutcome& outcome);
    // One judged run of a case as it stands.
    void runOnce(const Task& task, CaseOutcome& one);
    void judgeAgain(const Task& task, CaseOutcome& one, bool threeRuns);
    bool showsAgain(const Task& task, const CaseOutcome& failure, CaseOutcome& tried);
    CaseOutcome searchSmallest(const Task& task, const CaseOutcome& failure);
    bool passesAlone(const Task& task, const CaseOutcome& failure);
    bool passesCourse(const Task& task);
    std::optional<Contributions> searchContributions(const Task& task, const CaseOutcome& failure);
    void explainSteps(TaskOutcome& outcome, const CaseOutcome& failure);
    void lookAtPrints(TaskOutcome& outcome, const KernelShape& shape);
    SeriesSettings seriesSettings() const;

    Device& gpu_;
    EvaluationSettings settings_;
    Progress progress_;
    Begin begin_;
    bool explaining_ = false;      // a failure that was told of: its probes are not
    std::vector<Finding> walked_;  // what the walk on the host has found wrong with the case that is guarded now
    FaultPlace walkedPlace_;
    std::optional<Together> together_;
    Shared main_;  // of run(), kept from task to task
    std::optional<double> copyPeak_;
    std::string copyRemark_;
    std::set<std::string> talking_;  // tasks whose kernels have atomics that others may see
    std::set<std::string> ordered_;  // tasks that are right where they pause at their atomics
    // Tasks whose work-groups wait for others in a loop, and are right on the host in every order that was tried.
    std::set<std::string> rightInOrders_;
};

// Longer runs are not gone through dispatch by dispatch, unless the user asks for it.
constexpr std::uint64_t largestWalk = 65537;

// Longer arrays are gone through in several places at once: where input and result together are more than 8 GiB,
// work-groups that share one place wait for addresses (A2Kernels.h).
constexpr std::uint64_t longInOnePlace = std::uint64_t{1} << 30;

// The options that bring a case about: "-n 16 -p mod97 -w 4 --elements 2".
std::string optionsText(const CaseOutcome& one);

// The command that shows a case step by step, to be pasted into a shell: "build/a2 steps reduce/atomic -n 16 ...".
std::string stepsCommand(const Task& task, const CaseOutcome& one, const EvaluationSettings& settings);

// A case as its verdict has it, beside what was found before.
void judge(CaseOutcome& outcome, const Verdict& verdict);

}  // namespace a2
