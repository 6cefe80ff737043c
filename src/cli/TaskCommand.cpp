#include "cli/TaskCommand.h"

#include "evaluate/Matrix.h"
#include "gpu/Canary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t gpuSize = std::uint64_t{1} << 27, cpuSize = std::uint64_t{1} << 23;

}  // namespace

std::uint64_t defaultSize(const Device& gpu)
{
    const std::uint64_t wanted = gpu.isCpu() ? cpuSize : gpuSize;
    std::uint64_t size = wanted;
    while (size > 1 && size > largestInOneBinding(gpu)) size /= 2;  // a power of two, as in the assignment
    return size;
}

TaskCommand::TaskCommand(const Options& options)
    : options_(options), terminal_(options.quiet, options.verbose), tasks_(selectTasks(options.tasks, options.all))
{
    openOutputs();
    worker_ = openWorker(terminal_);
    gpu_ = openDevice(withHelpOf(terminal_, *worker_, options.gpu));
    announceDevice(*gpu_, terminal_, options.evaluation.timer);

    EvaluationSettings settings = options.evaluation;
    settings.size = options.size.value_or(defaultSize(*gpu_));
    if (options.size) settings.onlySize = settings.size;
    // What a bandwidth is held against is a property of the device, not of a short array, which may fit a cache.
    const bool ofTheDevice = options.command == "bench" || options.command == "obstacles";
    settings.peakSize = ofTheDevice ? defaultSize(*gpu_) : settings.size;
    settings.wantsCopyPeak = options.verbose || !options.jsonFile.empty();
    const bool times = (options.command == "run" || options.command == "bench") && !settings.sweepSizes;
    const bool smaller = !options.size && settings.size < gpuSize;
    if (times && smaller && gpu_->isCpu())
        terminal_.note(
            fmt::format("note: 2^{} elements instead of 2^27, because a CPU device is slow: so the default run stays "
                        "under 30 s; -n chooses",
                        std::countr_zero(settings.size)));
    else if (times && smaller)
        terminal_.note(fmt::format("note: {} elements instead of 2^27, because no more fit this device; -n chooses",
                                   settings.size));
    evaluator_ =
        std::make_unique<Evaluator>(*gpu_, settings, [this](const std::string& text) { terminal_.progress(text); });
}

void TaskCommand::openOutputs()
{
    if (!options_.jsonFile.empty()) json_.emplace(options_.jsonFile);
    if (!options_.csvFile.empty()) csv_.emplace(options_.csvFile);
    if (!options_.junitFile.empty()) junit_.emplace(options_.junitFile);
    for (const auto* file : {&json_, &csv_, &junit_})
        if (*file && options_.evaluation.pattern) (*file)->refuseAsInput(options_.evaluation.pattern->file());
}

std::unique_ptr<Worker> openWorker(Terminal& terminal)
{
    return std::make_unique<Worker>(
        workerPrograms(), [&terminal](const std::string& line) { terminal.note("the solution prints: " + line); });
}

GpuOptions withHelpOf(Terminal& terminal, Worker& worker, GpuOptions options)
{
    options.record = [&worker](const RecordRequest& request) { return worker.record(request); };
    options.note = [&terminal](const std::string& text) { terminal.note(text); };
    return options;
}

void announceDevice(Device& gpu, Terminal& terminal, Timer timer)
{
    const Device& state = gpu;
    for (const std::string& reason : state.choice.reasons) terminal.note(reason);
    if (!state.instance.note().empty()) terminal.note("warning: " + state.instance.note());
    if (state.instance.validation() != Validation::off) proveValidation(gpu);
    if (timer == Timer::gpu && state.timestampBits == 0)
        terminal.note("note: this device has no timestamps; times are the host's (--timer host)");
}

ConsoleStyle TaskCommand::style() const
{
    constexpr std::size_t columns = 80;
    const bool terminal = stdoutIsTerminal();
    return {options_.verbose, options_.colour && terminal, terminal ? columns : 0, 0};
}

void TaskCommand::print(const TaskOutcome& outcome)
{
    terminal_.clearProgress();
    const Benchmark* benchmark = outcome.benchmark();
    const double peak = options_.verbose && benchmark ? copyPeakGBps() : 0;
    terminal_.clearProgress();
    ConsoleStyle shown = style();
    shown.copyPeakGBps = peak;
    printOutcome(outcome, shown);
    if (benchmark) noteClock(outcome.task.id, benchmark->timer);
}

void noteClock(Terminal& terminal, const std::string& what, Timer asked, Timer used)
{
    if (used != asked) terminal.note(fmt::format("note: {}: {}", what, noTimestamps));
}

double TaskCommand::copyPeakGBps()
{
    const double peak = evaluator_->copyPeakGBps();
    const std::string& remark = evaluator_->copyRemark();
    if (!remark.empty() && !std::exchange(copyRemarked_, true)) terminal_.note("note: " + remark);
    return peak;
}

void TaskCommand::printVerdict(const TaskOutcome& outcome) { printText(verdictText(outcome, style())); }

void TaskCommand::printText(const std::string& text)
{
    terminal_.clearProgress();
    fmt::print("{}", text);
    std::fflush(stdout);
}

ExitStatus exitStatus(const std::vector<TaskOutcome>& outcomes)
{
    const auto any = [&](auto... statuses) {
        return std::any_of(outcomes.begin(), outcomes.end(),
                           [&](const TaskOutcome& one) { return ((one.status == statuses) || ...); });
    };
    if (any(Status::timeout, Status::crashed)) return ExitStatus::device;
    if (any(Status::failed)) return ExitStatus::failed;
    return any(Status::passed) ? ExitStatus::passed : ExitStatus::environment;
}

ExitStatus TaskCommand::finish(const std::vector<TaskOutcome>& outcomes, const StepsOutcome* steps)
{
    const bool bench = options_.command == "bench", times = bench || options_.command == "run";
    const double peak = (json_ || bench) && times && !evaluator_->deviceFailed() ? copyPeakGBps() : 0;
    terminal_.clearProgress();
    const ReportContext context = describeContext(*gpu_, options_.evaluation.seed, options_.evaluation.timer, peak);
    if (json_) json_->commit(jsonReport(context, outcomes, steps));
    if (csv_) csv_->commit(bench ? benchCsvReport(outcomes, peak) : csvReport(outcomes));
    if (junit_) junit_->commit(junitReport(outcomes));
    return exitStatus(outcomes);
}

}  // namespace a2
