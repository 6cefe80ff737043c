#include "cli/Program.h"
#include "base/Confinement.h"
#include "base/ShellWord.h"
#include "cli/DeviceChannel.h"
#include "cli/DeviceConfinement.h"
#include "cli/Options.h"
#include "cli/Oversee.h"
#include "cli/Ranks.h"
#include "cli/StudentFolder.h"
#include "cli/Subcommand.h"
#include "cli/Terminal.h"
#include "files/Leftover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#ifndef _WIN32
#include <sys/resource.h>
#endif

namespace a2 {

namespace {

// The result of a command: its exit status, and the text for stderr; empty for none.
struct Result {
    ExitStatus status;
    std::string message;
};

const Result stdoutFailed{ExitStatus::usage, "standard output could not be written: is the disk full?"};

Result resultOf(const std::function<ExitStatus()>& command)
{
    try {
        const ExitStatus status = command();
        if (deviceGivenUp()) return {deviceGivenUp()->status(), deviceGivenUp()->what()};
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return stdoutFailed;
        return {status, ""};
    } catch (const Error& error) {
        return {error.status(), error.what()};
    } catch (const vk::DeviceLostError&) {
        return {ExitStatus::device, deviceLost().what()};
    } catch (const vk::SystemError& error) {
        const bool memory = error.code() == vk::make_error_code(vk::Result::eErrorOutOfHostMemory) ||
                            error.code() == vk::make_error_code(vk::Result::eErrorOutOfDeviceMemory);
        return {ExitStatus::environment, fmt::format("a Vulkan call failed ({}): {}", error.what(),
                                                     memory ? "is there memory left? Choose a smaller --size"
                                                            : "`a2 doctor` shows the devices and drivers")};
    } catch (const std::bad_alloc&) {
        return {ExitStatus::environment, "this machine's main memory is too small for that; choose a smaller --size"};
    } catch (const std::system_error& error) {
        if (std::ferror(stdout)) return stdoutFailed;
        if (error.code() != std::errc::resource_unavailable_try_again && error.code() != std::errc::not_enough_memory)
            return {ExitStatus::internal, fmt::format("{} (this is a fault of a2)", error.what())};
        return {ExitStatus::environment,
                "this machine lets a2 start no more threads or processes: end some, or allow more (ulimit -u)"};
    } catch (const std::exception& error) {
        if (std::ferror(stdout)) return stdoutFailed;  // {fmt} threw this when it printed
        return {ExitStatus::internal, fmt::format("{} (this is a fault of a2)", error.what())};
    }
}

// For a debugger: runs in this process what otherwise has its own.
RunDevice runHere(const Options& options)
{
    printError("a2: note: --in-process: the solution's code runs inside a2, so its verdict counts for nothing");
    return [&options](const Call&, const DeviceRequest& request, const HearDevice& hear) {
        DeviceChannel channel(request, hear);
        const Result result = resultOf([&] { return options.command->work(options, channel); });
        channel.send({{"is", "done"}, {"status", static_cast<int>(result.status)}, {"message", result.message}});
        return DeviceProcessEnd();
    };
}

// In the jail that the options name. What a jailed process leaves behind belongs to another user: this process removes
// nothing that it names.
RunDevice runApart(const Options& options)
{
    return [&options](const Call& call, const DeviceRequest& request, const HearDevice& hear) {
        const bool jailed = !options.deviceJail.empty();
        return runDeviceProcess({call.calledAs, call.arguments, options.deviceJail, options.gpu.timeout}, request,
                                [&hear, jailed](const nlohmann::json& message) {
                                    const bool passed = !jailed || message.at("is") != "leftover";
                                    return passed ? hear(message) : nlohmann::json();
                                });
    };
}

// This process opens no driver, unless the user wants a single process.
ExitStatus withoutDevice(const Options& options, const Call& call)
{
    const RunDevice runDevice = options.inProcess ? runHere(options) : runApart(options);
    if (!options.finished.empty()) {
        fmt::print("{}", options.finished);
        return ExitStatus::passed;
    }
    readyFolder(options);
    if (options.command->workHere) return options.command->workHere(options);
    return hasVerdicts(options) ? overseeRows(options, call, runDevice) : overseeCommand(options, call, runDevice);
}

Options optionsOf(const Call& call, std::vector<std::uint32_t> fileValues = {})
{
    Options options = parseOptions(call.arguments, std::move(fileValues));
    options.evaluation.program = programWord(call.calledAs);
    options.commandLine = options.evaluation.program;
    for (const std::string& argument : call.arguments) options.commandLine += ' ' + shellWord(argument);
    return options;
}

// Limits of this shell that are too small for a2 and a driver: "ulimit -u 3, ulimit -v 200000"; empty for none.
std::string smallLimits()
{
    std::vector<std::string> small;
#ifndef _WIN32
    constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
    const auto look = [&small](auto resource, const char* option, std::uint64_t unit, std::uint64_t enough) {
        rlimit limit{};
        if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < enough)
            small.push_back(fmt::format("ulimit {} {}", option, limit.rlim_cur / unit));
    };
    look(RLIMIT_NOFILE, "-n", 1, 64);
    look(RLIMIT_CPU, "-t", 1, 600);
    look(RLIMIT_STACK, "-s", 1024, 2 * MiB);
    look(RLIMIT_DATA, "-d", 1024, 4096 * MiB);
    look(RLIMIT_AS, "-v", 1024, 4096 * MiB);
#ifdef RLIMIT_NPROC
    look(RLIMIT_NPROC, "-u", 1, 64);
#endif
#endif
    return fmt::format("{}", fmt::join(small, ", "));
}

int showResult(const Result& result)
{
    std::string message = result.message;
    if (result.status >= ExitStatus::environment && !message.empty())
        if (const std::string small = smallLimits(); !small.empty())
            message += fmt::format("; this shell sets narrow limits: {}", small);
    if (!message.empty()) printError("a2: error: " + message);
    return static_cast<int>(result.status);
}

// Those of the chosen tasks whose arrays can be shared: whole sums and whole scans. Throws UsageError for others that
// the user named, and if none is left.
void chooseShared(Options& options)
{
    const std::vector<std::string> named = std::exchange(options.tasks, {});
    for (const Task& task : selectTasks(named, std::exchange(options.all, false))) {
        const bool whole = task.taskClass->addsUp && !task.taskClass->perTile;
        if (whole) options.tasks.push_back(task.id);
        if (!whole && std::find(named.begin(), named.end(), task.id) != named.end())
            throw UsageError(fmt::format(
                "{} {}, so that there is nothing to share: leave out "
                "mpirun, or choose a sum or a scan of the whole array",
                task.id, task.taskClass->addsUp ? "works on tiles of its own" : "adds up no elements in order"));
    }
    if (options.tasks.empty())
        throw UsageError("no task of these is a sum or a scan of a whole array, which several ranks can share");
}

// Throws UsageError for what ranks cannot do together.
void refuseAlone(const Options& options)
{
    const Subcommand* const command = options.command;
    if (!command->sharesArrays) {
        std::vector<std::string> sharing;
        for (const Subcommand* one : allSubcommands())
            if (one->sharesArrays) sharing.emplace_back(one->name);
        throw UsageError(fmt::format("a2 {} is for one device: leave out mpirun ({} share an array)", command->name,
                                     fmt::join(sharing, ", ")));
    }
    const EvaluationSettings& evaluation = options.evaluation;
    const char* what = options.inProcess                                     ? "--in-process"
                       : !options.recordingFile.empty()                      ? "--recording"
                       : !options.recordOnly.empty()                         ? "--record-only"
                       : !options.recordingsFile.empty()                     ? "--recordings"
                       : evaluation.sweepSizes || evaluation.sweepWorkGroups ? "--sweep"
                       : evaluation.batch > 1                                ? "--batch"
                                                                             : nullptr;
    if (what) throw UsageError(fmt::format("{} is for one device: leave it out, or leave out mpirun", what));
}

// One of several ranks: only rank 0 shows the result.
int overseeTogether(const Call& call, Ranks& ranks)
{
    const bool first = ranks.part().rank == 0;
    Result mine = resultOf([&] {
        Options options = optionsOf(call);
        if (!options.finished.empty()) return first ? withoutDevice(options, call) : ExitStatus::passed;
        refuseAlone(options);
        options.colour = false;  // a launcher's terminal is not the user's
        if (hasVerdicts(options)) chooseShared(options);
        constexpr double patience = 10;
        ranks.waitFor(patience * options.gpu.timeout);
        try {
            options.evaluation.seed = ranks.ofFirst(options.evaluation.seed);
            return hasVerdicts(options) ? overseeRows(options, call, runApart(options), &ranks)
                                        : overseeCommand(options, call, runApart(options), &ranks);
        } catch (const Ranks::Ended&) {  // the reason is reported below
            return ExitStatus::passed;
        }
    });
    if (!ranks.over()) {
        const std::vector<RankEnd> all = troubles(ranks.end({mine.status, mine.message}));
        if (!all.empty()) mine = {all.front().status, all.front().message};
    }
    return first ? showResult(mine) : static_cast<int>(mine.status);
}

int overseeDevice(const Call& call)
{
    std::unique_ptr<Ranks> ranks;
    const Result met = resultOf([&] {
        ranks = Ranks::ofLauncher(printError);
        return ExitStatus::passed;
    });
    if (met.status != ExitStatus::passed) return showResult(met);
    if (ranks) return overseeTogether(call, *ranks);  // ranks may read each other's memory for messages
    return showResult(resultOf([&] {
        const Options options = optionsOf(call);
        if (!options.inProcess) hideProcess();
        if (options.scaling != Scaling::none)
            throw UsageError("--scaling is about several ranks: start it as `mpirun -n 4 a2 bench ...`");
        return withoutDevice(options, call);
    }));
}

int workDevice(const Call& call)
{
    std::unique_ptr<DeviceChannel> channel;
    const Result opened = resultOf([&] {
        channel = std::make_unique<DeviceChannel>();
        return ExitStatus::passed;
    });
    if (!channel) return showResult(opened);
    const Result result = resultOf([&] {
        channel->listen();
        Options options = optionsOf(call, channel->request().fileValues);
        options.evaluation.seed = channel->request().seed;
        hideProcess();
        confineDevice(options);
        return options.command->work(options, *channel);
    });
    channel->send({{"is", "done"}, {"status", static_cast<int>(result.status)}, {"message", result.message}});
    return static_cast<int>(result.status);
}

}  // namespace

int runProgram(const std::string& calledAs, const std::vector<std::string>& arguments)
{
    prepareStreams();
#ifndef _WIN32
    constexpr rlim_t leastStack = rlim_t{128} << 10;  // bytes: with less it would crash at some point
    // With fewer, libuv ends the program without a word.
    constexpr rlim_t leastFiles = 16;
    rlimit stack{}, files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < leastFiles)
        return showResult({ExitStatus::environment, fmt::format("a2 needs {} open files at a time", leastFiles)});
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < leastStack)
        return showResult({ExitStatus::environment, "the stack of this shell's programs is too small for a2"});
#endif
    removeLeftoversOnSignals();
    const bool oversees = arguments.empty() || arguments.front() != deviceProcessWord;
    const int status = oversees ? overseeDevice({calledAs, arguments})
                                : workDevice({calledAs, {arguments.begin() + 1, arguments.end()}});
    if (!deviceGivenUp()) return status;
    // The device may still be at work: anything destroyed or unloaded now, or at exit, may be in use.
    std::fflush(nullptr);
    removeLeftovers();
    std::_Exit(static_cast<int>(ExitStatus::device));
}

}  // namespace a2
