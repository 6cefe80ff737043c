#include "judge/TimedCases.h"

#include "gpu/Device.h"
#include "judge/CopyPeak.h"
#include "judge/CpuTimes.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/Plausible.h"
#include "judge/Sweep.h"
#include "judge/WorkProgress.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

// Makes the pipelines of a shape, and lets the driver finish them, on a short array. They are made once per shape, so
// otherwise the first length alone would pay for them. Its findings would be missed in an array that is too long to be
// walked on the host. Throws LimitError if the device cannot run the shape.
std::vector<Finding> warmPipelines(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                   std::uint64_t seed)
{
    return OwnTrial(gpu, task, Pattern::parse("random"), std::min(n, largestOnHost), seed, shape)
        .trial.judgedRun()
        .findings;
}

// The user's limit, or the next power of two from what one binding takes; no more than memory holds.
std::uint64_t longestInSweep(const Device& gpu, std::uint64_t upTo)
{
    const std::uint64_t wanted = upTo == UINT64_MAX ? std::bit_ceil(largestInOneBinding(gpu)) : upTo;
    return std::min(wanted, largestInMemory(gpu));
}

}  // namespace

SeriesSettings TimedCases::seriesSettings() const
{
    SeriesSettings series = seriesOn(gpu_, settings_);
    series.batch = settings_.batch;
    return series;
}

void TimedCases::timeCase(Trial& trial, const DeviceInput& onDevice, Benchmark benchmark, CaseOutcome& one)
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
                       trial.runResults().downloadMs()};
    one.benchmark = benchmark;
}

void TimedCases::checkAndTime(const Task& task, const KernelShape& shape, TaskOutcome& outcome)
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
                          gpu_.isEmulated() ? PartCases::Work::checkThrice : PartCases::Work::time, input_);
        return;
    }
    cases_.onDevice(task, main, [&] {
        const Input& input = input_.of(task, pattern, main.n, settings_.seed);
        const Expectation expectation(*task.taskClass, input, shape);
        const DeviceInput& onDevice = input_.onDevice(gpu_, expectation);
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

// Does not try small lengths first, as `run` does. What is timed is still judged: once with the lint, and in the
// series.
CaseOutcome TimedCases::benchCase(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup,
                                  std::unique_ptr<CpuTimer>& cpu)
{
    const Pattern pattern = cases_.timedPattern();
    CaseOutcome one = cases_.blank(pattern, n, task.shape);
    if (workGroup) one.shape.workGroup = *workGroup;
    cases_.guarded(one, [&] {
        one.shape = cases_.shapeOf(task, n, workGroup);
        Benchmark benchmark = cases_.blankBenchmark(task, one);
        benchmark.nameSuffix = shapeSuffix(one.shape);
        if (settings_.batch > 1) benchmark.nameSuffix += fmt::format("/batch:{}", settings_.batch);
        if (n == 0) {
            one.benchmark = benchmark;
            return;
        }
        cases_.begin(task, one);
        checkSize(gpu_, task, n);
        const WithLowerLimits limited(gpu_, one.limit);
        one.findings = warmPipelines(gpu_, task, one.shape, n, one.seed);
        if (anyFails(one.findings)) {
            one.status = Status::failed;
            return;
        }
        one.findings.clear();  // notes, which the run itself has as well
        // Everything that allocates on the host comes before the device is warmed up: large allocations between series
        // were seen to slow a GPU down several times.
        const Input& input = input_.of(task, pattern, n, settings_.seed);
        const Expectation expectation(*task.taskClass, input, one.shape);
        if (!cpu) cpu = std::make_unique<CpuTimer>(input);
        const CpuTimes cpuTimes = cpu->of(expectation);
        benchmark.cpuMs = cpuTimes.oneThreadMs;
        benchmark.cpuAllMs = cpuTimes.allCoresMs;

        const DeviceInput& onDevice = input_.onDevice(gpu_, expectation);
        Trial trial(gpu_, task, expectation, onDevice, std::min(settings_.inFlight, settings_.batch));
        cases_.keepWalk(trial, task, one);
        benchmark.inFlight = trial.inFlight();
        if (benchmark.inFlight > 1) benchmark.nameSuffix += fmt::format("/in-flight:{}", benchmark.inFlight);
        judge(one, trial.judgedRun());
        if (one.status == Status::passed) timeCase(trial, onDevice, benchmark, one);
    });
    return one;
}

void TimedCases::bench(std::vector<TaskOutcome>& outcomes, const ShowCase& show)
{
    if (cases_.together()) return benchParts(outcomes, show);
    const std::vector<std::uint64_t> sizes = settings_.sweepSizes
                                                 ? sweepSizes(longestInSweep(gpu_, settings_.upTo), settings_.course)
                                                 : std::vector{settings_.size};
    const std::uint32_t largestWorkGroup = matrixWorkGroups(gpu_).back();

    const auto workGroupsOf = [&](const Task& task) {
        std::vector<std::optional<std::uint32_t>> workGroups = {settings_.workGroup};
        if (settings_.sweepWorkGroups) {
            const auto swept = sweepWorkGroups(largestWorkGroup, task.shape.workGroup);
            workGroups.assign(swept.begin(), swept.end());
        }
        return workGroups;
    };
    const auto doneBefore = [](const TaskOutcome& outcome, std::uint64_t n) {
        return std::count_if(outcome.cases.begin(), outcome.cases.end(),
                             [&](const CaseOutcome& one) { return one.n == n; });
    };
    WorkProgress progress;
    for (const std::uint64_t n : sizes)
        for (const TaskOutcome& outcome : outcomes) {
            const std::size_t all = workGroupsOf(outcome.task).size();
            progress.expect(n, all - std::min(all, static_cast<std::size_t>(doneBefore(outcome, n))));
        }

    for (const std::uint64_t n : sizes) {
        std::unique_ptr<CpuTimer> cpu;  // for the input of this length
        for (TaskOutcome& outcome : outcomes) {
            auto done = doneBefore(outcome, n);
            for (const std::optional<std::uint32_t> workGroup : workGroupsOf(outcome.task)) {
                if (cases_.deviceFailed()) break;
                if (done-- <= 0) {
                    cases_.progress(fmt::format("{}: timing n = {}, {}", outcome.task.id, n, progress.text()));
                    outcome.cases.push_back(benchCase(outcome.task, n, workGroup, cpu));
                    progress.done(n, 1);
                    show(outcome.task, outcome.cases.back());
                }
                if (n == 0) checked_.checkQuickSizes(outcome, outcome.cases.back().shape);
            }
        }
    }
}

void TimedCases::benchParts(std::vector<TaskOutcome>& outcomes, const ShowCase& show)
{
    const auto benchRow = [&](TaskOutcome& outcome) {
        for (const unsigned sharing : settings_.sharing) {
            if (cases_.deviceFailed() || outcome.isOver()) break;
            const std::uint64_t n = settings_.weak ? settings_.size * sharing : settings_.size;
            cases_.progress(
                fmt::format("{}: timing n = {}, {} of {} ranks", outcome.task.id, n, sharing, cases_.allRanks()));
            CaseOutcome one = cases_.blank(cases_.timedPattern(), n, outcome.task.shape);
            cases_.guarded(one,
                           [&] { one.shape = cases_.shapeOf(outcome.task, ceilDiv(n, sharing), settings_.workGroup); });
            if (one.status == Status::passed && n > 0)
                one = parts_.run(outcome.task, one, cases_.timedPattern(), sharing, PartCases::Work::time, input_);
            if (one.benchmark) one.benchmark->nameSuffix = shapeSuffix(one.shape);
            if (n == 0) one.benchmark = cases_.blankBenchmark(outcome.task, one);
            outcome.cases.push_back(one);
            show(outcome.task, outcome.cases.back());
            if (n == 0) return checked_.checkQuickSizes(outcome, one.shape);
        }
    };
    for (TaskOutcome& outcome : outcomes) benchRow(outcome);
}

double TimedCases::copyPeakGBps()
{
    if (gpu_.isEmulated()) return 0;
    if (!copyPeak_) {
        cases_.progress("copy kernel: measuring the device's bandwidth");
        input_.free();
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
