#include "cli/TaskCommand.h"

#include "base/Clock.h"
#include "base/PrintableText.h"
#include "cli/RecordingFiles.h"
#include "files/Project.h"
#include "gpu/Canary.h"
#include "judge/Matrix.h"
#include "judge/OutcomeWire.h"
#include "worker/RecordHere.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t gpuSize = std::uint64_t{1} << 27, cpuSize = std::uint64_t{1} << 22;

// How many of the ranks share an array: all, or 1, 2, 4 ... of them, and finally all.
std::vector<unsigned> rankNumbers(unsigned ranks, Scaling scaling)
{
    std::vector<unsigned> numbers;
    if (scaling != Scaling::none)
        for (unsigned some = 1; some < ranks; some *= 2) numbers.push_back(some);
    numbers.push_back(ranks);
    return numbers;
}

}  // namespace

std::string outputFileOf(const Options& options, const Task& task, const char* extension)
{
    if (!options.outputFile.empty()) return options.outputFile;
    std::string id = task.id;
    std::replace(id.begin(), id.end(), '/', '-');
    return fmt::format("a2-{}-n{}.{}", id, *options.size, extension);
}

std::uint64_t defaultSize(const Device& gpu)
{
    const std::uint64_t wanted = gpu.isEmulated() ? usualEmulated : gpu.isCpu() ? cpuSize : gpuSize;
    std::uint64_t size = wanted;
    while (size > 1 && size > largestInOneBinding(gpu)) size /= 2;  // a power of two, as in the assignment
    return size;
}

TaskCommand::TaskCommand(const Options& options, DeviceChannel& channel)
    : options_(options),
      channel_(channel),
      terminal_(options.quiet, options.verbose,
                hasVerdicts(options)
                    ? [&channel](const char* what, const std::string& text) { channel.send(what, text); }
                    : Terminal::Forward())
{
    for (const TaskOutcome& row : channel.request().rows) tasks_.push_back(row.task);
    if (tasks_.empty()) tasks_ = selectTasks(options.tasks, options.all, *options.gpu.element);
    const auto start = Clock::now();
    gpu_ = openDevice(withHelpOf(terminal_, recorder(), channel, options));
    const double startMs = msSince(start);
    if (!options.recordingsFile.empty() && book_.size() > 0 && !book_.isFor(gpu_->facts()))
        throw UsageError(
            fmt::format("{} was recorded for another device or driver than {}: record it again for this one",
                        options.recordingsFile, std::as_const(*gpu_).properties.deviceName.data()));
    channel.send({{"is", "context"},
                  {"context", wireOf(describeContext(*gpu_, options.commandLine, options.evaluation.seed,
                                                     options.evaluation.timer, 0))}});
    announceDevice(*gpu_, terminal_, options.evaluation.timer);
    if (options.verbose && !gpu_->isEmulated())
        terminal_.note(fmt::format("start: {:.3f} s, of the driver and its device", startMs / 1000));
    if (options.gpu.element->isReal)
        terminal_.note(fmt::format("{}: whole numbers, whose sums do not round", options.gpu.element->name));

    EvaluationSettings settings = options.evaluation;
    settings.size = options.size.value_or(defaultSize(*gpu_));
    if (options.size) settings.onlySize = settings.size;
    // Bandwidths are compared with a property of the device, not of a short array, which may fit a cache.
    settings.peakSize = options.command->comparesBandwidths ? defaultSize(*gpu_) : settings.size;
    settings.copyPeakGBps = channel.request().copyPeakGBps;
    std::optional<Together> together = channel.together();
    if (together) {
        settings.size = together->meet({.size = settings.size}).size;
        settings.sharing = rankNumbers(together->own.ranks, options.scaling);
        noteSharedDevices(*gpu_, channel.request().ranksOnHost, terminal_);
    }
    const bool times =
        (options.command == &Subcommand::run || options.command == &Subcommand::bench) && !settings.sweepSizes;
    const bool smaller = !options.size && settings.size < gpuSize;
    if (times && gpu_->isEmulated())
        terminal_.note(fmt::format("note: an emulator has no times{}",
                                   options.size ? ""
                                                : fmt::format("; 2^{} elements instead of 2^27, -n chooses up to {}",
                                                              std::countr_zero(settings.size), longestEmulated)));
    else if (times && smaller && gpu_->isCpu())
        terminal_.note(
            fmt::format("note: 2^{} elements instead of 2^27, because a CPU device is slow: so the default run stays "
                        "under 15 s; -n chooses",
                        std::countr_zero(settings.size)));
    else if (times && smaller)
        terminal_.note(fmt::format("note: {} elements instead of 2^27, because no more fit this device; -n chooses",
                                   settings.size));
    if (settings.pattern && !settings.sweepSizes && settings.pattern->missesAll(settings.size))
        terminal_.note(fmt::format("note: the one of {} lies beyond the {} elements, which are all 0",
                                   settings.pattern->text(), settings.size));
    evaluator_ = std::make_unique<Evaluator>(
        *gpu_, settings, [this](const std::string& text) { terminal_.progress(progressHead_ + text); },
        [this, &channel](const Task& task, const CaseOutcome& one) {
            channel.send({{"is", "begin"}, {"row", task.id}, {"case", wireOf(one)}});
            gpu_->enter("preparing");
        });
    if (together) evaluator_->shareWith(std::move(*together));
    gpu_->enter(workingPhase);
}

void TaskCommand::workingOn(std::size_t tasksDone)
{
    if (tasks_.size() < 2) return;
    progressHead_ = fmt::format("task {} of {}", tasksDone + 1, tasks_.size());
    if (tasksDone > 0) {
        const auto done = static_cast<double>(tasksDone), left = static_cast<double>(tasks_.size()) - done;
        progressHead_ += fmt::format(", about {:.0f} s left", msSince(start_) / 1e3 / done * left);
    }
    progressHead_ += ": ";
}

RecordBy TaskCommand::recorder()
{
    if (!options_.recordingsFile.empty()) {
        book_ = readRecordings(options_.recordingsFile);
        return [this](const RecordRequest& request) {
            // The recording stopped because time or room ran out, so this is no pass.
            return book_.find(request).value_or(RecordFailure{
                RecordFailure::Kind::timeout, "",
                fmt::format("{} has no recording of n = {}: it was not made in time, found no room, or was "
                            "made with other options",
                            options_.recordingsFile, request.count),
                ""});
        };
    }
    if (options_.inProcess)
        return [programs = workerPrograms(options_.solutions)](const RecordRequest& request) {
            return recordHere(programs, request);
        };
    worker_ = openWorker(terminal_, options_);
    return [this](const RecordRequest& request) {
        RecordAnswer answer = worker_->record(request);
        if (!options_.recordOnly.empty()) book_.add(request, answer);
        return answer;
    };
}

std::unique_ptr<Worker> openWorker(Terminal& terminal, const Options& options)
{
    WorkerPrograms programs = workerPrograms(options.solutions);
    programs.jail = options.gpu.jail;
    return std::make_unique<Worker>(std::move(programs), [&terminal, lines = 0](const std::string& line) mutable {
        constexpr int most = 200;  // one line for each of a matrix's recordings would bury the verdicts
        if (++lines <= most) terminal.note("the solution prints: " + printableText(line));
        if (lines == most)
            terminal.note(
                fmt::format("the solution has printed {} lines: what it prints from here on is left out; one "
                            "row and one length (-n) print less",
                            most));
    });
}

GpuOptions withHelpOf(Terminal& terminal, RecordBy record, DeviceChannel& channel, const Options& chosen)
{
    GpuOptions options = chosen.gpu;
    options.record = std::move(record);
    // Users who installed a package may have no driver, and no right to install one.
    options.mayEmulate =
        installation() && !(chosen.command->refusesEmulator && chosen.command->refusesEmulator(chosen));
    options.rankHere = channel.request().rankHere;
    options.note = [&terminal](const std::string& text) { terminal.note(text); };
    options.phase = [&channel](const std::string& text) { channel.send("phase", text); };
    if (!chosen.deviceOf.empty()) options.standsFor = readDevice(chosen.deviceOf);
    return options;
}

void announceDevice(Device& gpu, Terminal& terminal, Timer timer)
{
    const Device& state = gpu;
    for (const std::string& reason : state.choice.reasons) terminal.note(reason);
    if (!state.instance.note().empty()) terminal.note("warning: " + state.instance.note());
    if (state.instance.validation() != Validation::off) proveValidation(gpu);
    if (timer == Timer::gpu && state.timestampBits == 0 && !state.isEmulated())
        terminal.note("note: this device has no timestamps; times are the host's (--timer host)");
}

ConsoleStyle consoleStyle(const Options& options)
{
    constexpr std::size_t columns = 80;
    const bool terminal = stdoutIsTerminal();
    return {options.verbose, options.colour && terminal, terminal ? columns : 0, 0,
            options.verbose || options.command == &Subcommand::check};
}

void noteClock(Terminal& terminal, const std::string& what, Timer asked, Timer used)
{
    if (used != asked) terminal.note(fmt::format("note: {}: {}", what, noTimestamps));
}

void noteSharedDevices(const Device& gpu, unsigned ranksOnHost, Terminal& terminal)
{
    const std::size_t devices = gpu.choice.alike;
    if (ranksOnHost <= devices) return;
    terminal.note(fmt::format(
        "note: {} ranks share {} of this machine: their kernels take turns, so that times and speed-ups mean nothing",
        ranksOnHost, devices == 1 ? "the one device" : fmt::format("{} devices", devices)));
}

double TaskCommand::copyPeakGBps()
{
    if (channel_.request().part) return 0;  // the copy kernel of one device says nothing about several
    const double peak = evaluator_->copyPeakGBps();
    if (evaluator_->deviceFailed() || std::exchange(peakTold_, true)) return peak;
    const std::string& remark = evaluator_->copyRemark();
    if (!remark.empty()) terminal_.note("note: " + remark);
    channel_.send({{"is", "peak"}, {"GBps", peak}});
    return peak;
}

void TaskCommand::tell(const Task& task, const CaseOutcome& one)
{
    channel_.send({{"is", "case"}, {"row", task.id}, {"case", wireOf(one)}});
}

void TaskCommand::tell(const TaskOutcome& outcome) { channel_.send({{"is", "outcome"}, {"outcome", wireOf(outcome)}}); }

}  // namespace a2
