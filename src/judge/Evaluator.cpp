#include "judge/Evaluator.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/KernelCompiler.h"
#include "gpu/NotFollowed.h"
#include "gpu/Shaders.h"
#include "judge/CopyPeak.h"
#include "judge/Matrix.h"
#include "judge/Plausible.h"
#include "judge/RealSums.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"
#include "judge/Steps.h"
#include "spirv/KernelFacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>
#include <set>
#include <string_view>

namespace a2 {

SeriesSettings Evaluator::seriesSettings() const
{
    SeriesSettings series = seriesOn(gpu_, settings_);
    series.batch = settings_.batch;
    return series;
}

CaseOutcome Evaluator::checkCase(const Task& task, const Pattern& pattern, std::uint64_t n, const KernelShape& shape,
                                 KeptInput& shared, const std::optional<LowerLimits>& limit)
{
    CaseOutcome outcome = cases_.blank(pattern, n, shape);
    outcome.limit = limit;
    if (n == 0) return outcome;  // the sum of nothing is 0, its scan is empty: no device runs, and nothing is shown
    const auto isThrice = [&] {
        return n <= mediumSize || (n <= longSize && pattern.text() == "random" && cases_.hasOwnWorkGroup(task, shape));
    };
    if (cases_.together())
        return parts_.run(task, outcome, pattern, cases_.allRanks(),
                          isThrice() ? PartCases::Work::checkThrice : PartCases::Work::checkOnce, shared);
    bool leftAlone = false;
    cases_.onDevice(task, outcome, [&] {
        const Expectation expectation(*task.taskClass, shared.of(task, pattern, n, settings_.seed), shape);
        Trial trial(gpu_, task, expectation, shared.onDevice(gpu_, expectation));
        cases_.keepWalk(trial, task, outcome);
        const bool random = pattern.text() == "random";
        // Random input is walked in the same shape. Faults that depend on values show in short arrays, too.
        const bool walks = cases_.hasOwnWorkGroup(task, shape) && (n <= longestEdges || n == valuesInTiles);
        leftAlone = !random && !settings_.pattern && !walks;
        if (leftAlone) trial.leaveKernelsAlone();
        judge(outcome, isThrice() ? trial.judgeThreeRuns() : trial.judgedRun());
        if (outcome.status == Status::passed && !random) judgeChanged(trial, outcome);
        if (outcome.status == Status::passed && n <= largestWalk && random)
            lookAtSteps(task, expectation, trial, outcome);
        if (outcome.status == Status::failed) orders_.lookForOrder(trial, outcome);
        orders_.lookFurther(task, trial, expectation.input(), outcome);
    });
    if (leftAlone && outcome.mismatches && n <= largestOnHost) lookForRule(task, outcome);
    return outcome;
}

// The failure shows only wrong values: the walk may find the reason.
void Evaluator::lookForRule(const Task& task, CaseOutcome& outcome)
{
    bool complete = false;
    const WalkedRun same{outcome.shape, outcome.n, outcome.limit, {}, outcome.pattern};
    const CaseOutcome onHost = walks_.walkCaseOnHost(task, same, complete);
    const Finding* const first = firstThatFails(onHost.findings);
    if (!first || first->rule.empty()) return;
    outcome.findings.insert(outcome.findings.begin(), onHost.findings.begin(), onHost.findings.end());
    outcome.place = onHost.place;
}

// A solution may recognise an input by its first elements and know its sums: run it once more with some elements
// changed.
void Evaluator::judgeChanged(Trial& trial, CaseOutcome& outcome)
{
    const Verdict changed = trial.repetition(Timer::host).verdict;
    if (changed.passed()) return;
    judge(outcome, changed);
    outcome.findings.push_back(
        {"",
         fmt::format(
             "right for the pattern {} itself, and wrong after up to {} of its elements were changed at random, "
             "as `a2 check` does each time",
             outcome.pattern, InputChanges::most),
         {},
         Severity::note});
}

// Finds what only shows between dispatches. The input is random, so that every write changes something.
void Evaluator::lookAtSteps(const Task& task, const Expectation& expectation, Trial& trial, CaseOutcome& outcome)
{
    for (Finding& finding : walkSteps(gpu_, trial, task, expectation, {}).findings)
        outcome.findings.push_back(std::move(finding));
    if (anyFails(outcome.findings)) outcome.status = Status::failed;
}

// For a row that has passed so far, whose work-groups communicate or whose invocations wait for others.
void Evaluator::checkSchedules(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    const auto [n, shape] = orders_.scheduled(outcome.task, own);
    if (settings_.schedule || cases_.together() || !orders_.talks(outcome.task) || outcome.isOver()) return;
    if (n > longest) return;
    KeptInput shared;
    cases_.progress(fmt::format("{}: other orders of work-groups, n = {}", outcome.task.id, n));
    outcome.addUnlessPassed(checkCase(outcome.task, Pattern::parse("random"), n, shape, shared, settings_.lowerLimits));
}

void Evaluator::timeCase(Trial& trial, const DeviceInput& onDevice, Benchmark benchmark, CaseOutcome& one)
{
    const SeriesResult series = timeSeries(trial, seriesSettings());
    judge(one, series.verdict);
    if (one.status != Status::passed) {
        const bool afterBatch = benchmark.batch > 1 && trial.keepsInput();
        std::string before = "it passed before it was timed: it does not give the same result every time";
        if (series.wrongRepetition)
            before = fmt::format(
                "repetition {} of {}: it passed before; record() must do all of the work, every time (before each "
                "repetition a2 changes elements of the input and writes over what the last one left)",
                *series.wrongRepetition, settings_.repeat);
        else if (afterBatch && trial.inFlight() > 1)
            before = fmt::format(
                "after {} runs, {} of them in flight at a time; a single run passed: record() "
                "must start from the same state each time, and write to nothing that belongs to "
                "another object",
                benchmark.batch, trial.inFlight());
        else if (afterBatch)
            before = fmt::format(
                "after {} runs in a row; a single run passed: record() must start "
                "from the same state each time",
                benchmark.batch);
        one.findings.push_back({series.wrongRepetition ? "stale-state" : "", before, {}});
        return;
    }
    const bool peakByThisClock = series.timer == settings_.timer && copyRemark_.empty();
    const auto why = implausible({series.ms.median, trial.inFlight() == 1 ? benchmark.minimumTraffic : 0,
                                  peakByThisClock ? copyPeak_.value_or(0) : 0});
    if (why) {
        one.status = Status::failed;
        one.findings.push_back({"", *why, {}});
        return;
    }
    benchmark.ms = series.ms;
    benchmark.timer = series.timer;
    benchmark.hostMs = series.hostMs;
    benchmark.whole = {onDevice.allocateMs(), onDevice.uploadMs(), trial.prepareMs(), series.hostMs,
                       trial.downloadMs()};
    one.benchmark = benchmark;
}

void Evaluator::checkAndTime(const Task& task, const KernelShape& shape, TaskOutcome& outcome)
{
    const Pattern pattern = cases_.timedPattern();
    CaseOutcome& main = outcome.cases.emplace_back(cases_.blank(pattern, settings_.size, shape));
    Benchmark benchmark = cases_.blankBenchmark(task, main);
    if (main.n == 0) {
        if (!gpu_.isEmulated()) main.benchmark = benchmark;
        return;
    }
    cases_.progress(fmt::format("{}: checking n = {}", task.id, main.n));
    if (cases_.together()) {
        main = parts_.run(task, CaseOutcome(main), pattern, cases_.allRanks(),
                          gpu_.isEmulated() ? PartCases::Work::checkThrice : PartCases::Work::time, main_);
        return;
    }
    cases_.onDevice(task, main, [&] {
        const Input& input = main_.of(task, pattern, main.n, settings_.seed);
        const Expectation expectation(*task.taskClass, input, shape);
        const DeviceInput& onDevice = main_.onDevice(gpu_, expectation);
        Trial trial(gpu_, task, expectation, onDevice);
        cases_.keepWalk(trial, task, main);
        judge(main, trial.judgeThreeRuns());
        orders_.lookFurther(task, trial, input, main);
        if (main.status != Status::passed || gpu_.isEmulated()) return;

        cases_.progress(fmt::format("{}: timing n = {}", task.id, main.n));
        benchmark.cpuMs = task.taskClass->oneCoreMs(input);
        timeCase(trial, onDevice, benchmark, main);
        orders_.lookAtCpuDriver(task, input, main);
    });
}

void Evaluator::checkQuickSizes(TaskOutcome& outcome, KernelShape shape)
{
    KeptInput quick;
    for (const std::uint64_t n : quickSizes(settings_.size, settings_.course)) {
        cases_.progress(fmt::format("{}: checking n = {}", outcome.task.id, n));
        outcome.cases.push_back(
            checkCase(outcome.task, Pattern::parse("random"), n, shape, quick, settings_.lowerLimits));
        if (outcome.cases.back().status != Status::passed || outcome.cases.back().elsewhere != Halt::none) break;
    }
}

std::vector<WalkedRun> Evaluator::smallShapes(const Task& task, std::uint64_t longest) const
{
    if (cases_.keepsToItsShape()) return {};
    std::vector<WalkedRun> runs = shortDeviceRuns(task, settings_.exclusive && task.taskClass->hasExclusive);
    std::erase_if(runs, [&](const WalkedRun& one) { return one.n > longest || (one.limit && settings_.lowerLimits); });
    return runs;
}

void Evaluator::checkSmallShapes(TaskOutcome& outcome, std::uint64_t longest)
{
    KeptInput shared;
    for (const WalkedRun& run : smallShapes(outcome.task, longest)) {
        if (outcome.isOver() || cases_.deviceFailed()) return;
        CaseOutcome one = cases_.blankRandom(run.n, run.shape);
        bool keeps = false;
        cases_.begin(outcome.task, one);
        cases_.progress(fmt::format("{}: checking n = {}", outcome.task.id, run.n));
        cases_.guarded(one, [&] { keeps = keepsToLimits(gpu_, outcome.task, run); });
        if (keeps)
            outcome.addUnlessPassed(checkCase(outcome.task, Pattern::parse("random"), run.n, run.shape, shared,
                                              run.limit ? run.limit : settings_.lowerLimits));
    }
}

// In the task's own shape, and with few elements in many tiles, whose sums round so little that a lost bit shows.
std::vector<WalkedRun> Evaluator::runsOfReals(const Task& task, const KernelShape& own, std::uint64_t longest) const
{
    if (!task.element->isReal) return {};
    std::vector<WalkedRun> runs;
    for (const std::uint64_t n : quickSizes(longest, settings_.course)) runs.push_back({own, n});
    if (longest > 0 && longest <= longestRounded) runs.push_back({own, longest});
    std::set<KernelShape> shapes;
    for (const WalkedRun& run : smallShapes(task, longest))
        if (!run.limit && shapes.insert(run.shape).second)
            runs.push_back({run.shape, 2 * run.shape.tile() + run.shape.tile() / 2 + 1});
    return runs;
}

void Evaluator::checkReals(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    std::optional<Finding> note;
    for (const WalkedRun& run : runsOfReals(outcome.task, own, longest)) {
        if (outcome.isOver() || cases_.deviceFailed()) return;
        if (!outcome.cases.empty() && outcome.cases.back().status != Status::passed) return;
        CaseOutcome one = cases_.blankRandom(run.n, run.shape);
        one.ofReals = true;
        cases_.onDevice(outcome.task, one, [&] {
            Finding found = addReals(gpu_, outcome.task, run.shape, run.n, settings_.seed);
            if (found.severity != Severity::note) {
                one.status = Status::failed;
                one.findings.push_back(std::move(found));
            } else if (run.shape == own) {
                note = std::move(found);
            }
        });
        if (one.status == Status::passed) continue;
        outcome.cases.push_back(std::move(one));
        return;
    }
    if (note && !outcome.cases.empty()) outcome.cases.back().findings.push_back(*note);
}

TaskOutcome Evaluator::run(const Task& task)
{
    TaskOutcome outcome;
    outcome.task = task;
    const KernelShape shape = cases_.shapeOfRun(task);
    orders_.walkOrders(outcome, shape, settings_.size);
    if (!outcome.isOver()) checkQuickSizes(outcome, shape);
    const bool toHere = outcome.cases.empty() || outcome.cases.back().elsewhere == Halt::none;
    if (toHere && settings_.size > 0) {
        walks_.walkShapes(outcome, settings_.size, false);
        checkSmallShapes(outcome, settings_.size);
        walks_.lookAtLongArrays(outcome, settings_.size, false);
    }
    checkSchedules(outcome, shape, settings_.size);
    const bool goesOn = outcome.cases.empty() ||
                        (outcome.cases.back().status == Status::passed && outcome.cases.back().elsewhere == Halt::none);
    if (goesOn) checkAndTime(task, shape, outcome);
    if (goesOn) checkReals(outcome, shape, settings_.size);
    finish(outcome, true);
    lookAtPrints(outcome, shape);
    lookAtWalk(outcome);
    lookAtMethod(outcome);
    return outcome;
}

TaskOutcome Evaluator::runOne(const Task& task, const KernelShape& shape)
{
    TaskOutcome outcome;
    outcome.task = task;
    checkAndTime(task, shape, outcome);
    finish(outcome, true);
    lookAtWalk(outcome);
    lookAtMethod(outcome);
    return outcome;
}

double Evaluator::copyPeakGBps()
{
    if (gpu_.isEmulated()) return 0;
    if (!copyPeak_) {
        cases_.progress("copy kernel: measuring the device's bandwidth");
        main_.free();
        copyPeak_ = 0;
        CaseOutcome copy;  // whether the copy kernel ran
        const std::uint64_t n = std::min(settings_.peakSize, largestInOneBinding(gpu_) / 4 * 4);  // whole vectors
        gpu_.enter(copyKernelPhase);
        if (n > 0)
            cases_.guarded(copy, [&] {
                const DeviceRate peak = measureCopyPeak(gpu_, n, seriesSettings());
                copyPeak_ = peak.rate;
                if (peak.timer != settings_.timer) copyRemark_ = "the copy kernel: " + std::string(noTimestamps);
            });
        if (copy.status != Status::passed && !cases_.deviceFailed())
            copyRemark_ = fmt::format("the copy kernel could not be timed: {}", copy.findings.front().message);
    }
    return *copyPeak_;
}

}  // namespace a2
