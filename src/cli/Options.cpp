#include "cli/Options.h"

#include "FloatText.h"
#include "ShellWord.h"
#include "a2/Error.h"
#include "cli/LabOptions.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace a2 {

namespace {

constexpr const char* exitStatusText =
    "Exit status: 0 all passed, 1 a task failed, 2 wrong usage, 3 something is missing here,\n"
    "4 time-out or device lost, 5 internal error.";

double parseSeconds(const std::string& name, const std::string& text)
{
    const char* const end = text.data() + text.size();
    double seconds = 0;
    const auto [stop, error] = parseFloat(text.data(), end, seconds);
    constexpr double most = 1e6;
    if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds <= 0 || seconds > most)
        throw UsageError(fmt::format("{} '{}': must be a number of seconds over 0, at most {:.0f}", name, text, most));
    return seconds;
}

void interpretBench(const Raw& raw, Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    const auto swept = [&](const char* what) {
        return std::find(raw.sweeps.begin(), raw.sweeps.end(), what) != raw.sweeps.end();
    };
    evaluation.sweepSizes = swept("size");
    evaluation.sweepWorkGroups = swept("workgroup");
    if (!raw.batch.empty()) evaluation.batch = static_cast<unsigned>(parseNumber("--batch", raw.batch, 1, 65536));
    if (!raw.inFlight.empty()) {
        evaluation.inFlight = static_cast<unsigned>(parseNumber("--in-flight", raw.inFlight, 1, 64));
        if (raw.batch.empty())
            throw UsageError("--in-flight is about the runs of a batch: add --batch N, with N several times as large");
    }
    if (evaluation.sweepSizes && raw.size != "auto")
        throw UsageError("--size with --sweep size: name one length or sweep them; --up-to N ends the sweep");
    if (!evaluation.sweepSizes && !raw.upTo.empty())
        throw UsageError("--up-to ends a sweep of lengths: add --sweep size, or name one length with --size");
    if (evaluation.sweepSizes && evaluation.upTo == 0)
        throw UsageError("--up-to 0: no length is left to sweep; name 1 or more");
    if (evaluation.sweepWorkGroups && evaluation.workGroup)
        throw UsageError("--workgroup with --sweep workgroup: name one work-group size or sweep them");
}

// A file gives the length, and is the longest that can be asked for.
void limitToFile(const Raw& raw, std::uint64_t fileLength, Options& options)
{
    if (options.evaluation.sweepSizes) {
        options.evaluation.upTo = std::min(options.evaluation.upTo, fileLength);
        return;
    }
    if (!options.size) options.size = fileLength;
    if (*options.size > fileLength)
        throw UsageError(fmt::format("--size {}: {} holds only {} numbers", *options.size, raw.pattern, fileLength));
}

// What another command needs to meet the same kernels on the same device. (A2_DEVICE is still there.)
std::string sameEnvironment(const Raw& raw, const Options& options)
{
    std::string text;
    if (!options.gpu.shaderDir.empty()) text += " --shader-dir " + shellWord(options.gpu.shaderDir);
    if (!raw.device.empty()) text += " -d " + shellWord(raw.device);
    if (raw.validation != "off") text += " --validation " + raw.validation;
    return text;
}

void interpret(const Raw& raw, Options& options)
{
    if (raw.size != "auto") options.size = parseSize("--size", raw.size);
    if (!raw.upTo.empty()) options.evaluation.upTo = parseSize("--up-to", raw.upTo);
    if (!raw.workGroup.empty())
        options.evaluation.workGroup =
            static_cast<std::uint32_t>(parseNumber("--workgroup", raw.workGroup, 1, UINT32_MAX));
    if (!raw.elements.empty()) {
        options.evaluation.elements = static_cast<std::uint32_t>(parseNumber("--elements", raw.elements, 2, 64));
        if (*options.evaluation.elements % 2)
            throw UsageError(fmt::format(
                "--elements '{}': must be even (a work-efficient scan has two leaves per invocation)", raw.elements));
    }
    if (!raw.pattern.empty()) options.evaluation.pattern = Pattern::parse(raw.pattern);
    options.evaluation.seed = parseNumber("--seed", raw.seed, 0, UINT64_MAX);
    options.evaluation.repeat = static_cast<unsigned>(parseNumber("--repeat", raw.repeat, 1, 1000000));
    if (!raw.maxTime.empty()) options.evaluation.maxSeconds = parseSeconds("--max-time", raw.maxTime);
    options.gpu.timeout = std::chrono::duration<double>(parseSeconds("--timeout", raw.timeout));
    options.evaluation.timer = raw.timer == "gpu" ? Timer::gpu : Timer::host;
    options.gpu.validation = raw.validation == "on"         ? Validation::on
                             : raw.validation == "gpu"      ? Validation::gpu
                             : raw.validation == "required" ? Validation::required
                                                            : Validation::off;
    const char* device = std::getenv("A2_DEVICE");
    options.gpu.device = raw.device.empty() && device ? device : raw.device;
    options.evaluation.moreOptions = sameEnvironment(raw, options);
    options.colour = !raw.noColour && !std::getenv("NO_COLOR");
    if (options.command == "bench") interpretBench(raw, options);
    if (options.command == "prescan") interpretPrescan(raw, options);
    if (options.command == "obstacles") interpretObstacles(raw, options);
    const std::uint64_t fileLength = options.evaluation.pattern ? options.evaluation.pattern->fileLength() : 0;
    if (fileLength > 0) limitToFile(raw, fileLength, options);
    if (options.command == "theory") interpretTheory(raw, options);
    if (options.rotation) return;
    // So that a wrong id is told before a device is opened.
    const std::vector<Task> chosen = selectTasks(options.tasks, options.all);
    if (options.command == "steps" || options.command == "capture" || options.command == "record" ||
        options.command == "theory") {
        if (options.tasks.empty() || chosen.size() != 1)
            throw UsageError(
                fmt::format("a2 {0} takes one task: a2 {0} reduce/sequential; `a2 list` shows them", options.command));
        if (options.command == "theory") return;
        // So small that a whole tree fits on the screen, unless the user wants it otherwise.
        constexpr std::uint64_t smallSize = 32;
        if (!options.size) options.size = smallSize;
        if (!options.evaluation.workGroup) options.evaluation.workGroup = 4;
        if (!options.evaluation.elements) options.evaluation.elements = chosen.front().elementsUnit;
    }
}

void addCommands(CLI::App& app, Options& options, Raw& raw)
{
    CLI::App* run = app.add_subcommand("run", "check and time the tasks");
    addManyTasks(*run, options, raw);
    addTaskOptions(*run, options, raw);
    addTimingOptions(*run, raw);
    addText(*run, "--recording", options.recordingFile, "judge what `a2 record` wrote, instead of a solution");
    CLI::App* bench = app.add_subcommand("bench", "timing only, in a table: one length and shape, or a sweep of them");
    addManyTasks(*bench, options, raw);
    addTaskOptions(*bench, options, raw);
    addTimingOptions(*bench, raw);
    addBenchOptions(*bench, raw);
    CLI::App* check = app.add_subcommand("check", "correctness matrix: sizes x patterns x work-group sizes; no timing");
    addManyTasks(*check, options, raw);
    addTaskOptions(*check, options, raw);
    addText(*check, "--up-to", raw.upTo, "only lengths up to this one");
    CLI::App* steps =
        app.add_subcommand("steps", "one small run of one task: each dispatch, what it left, the first wrong one");
    addOneTask(*steps, options, raw);
    addTaskOptions(*steps, options, raw);
    addText(*steps, "--timer", raw.timer, "clock: gpu (timestamps) or host")->check(CLI::IsMember({"gpu", "host"}));
    addText(*steps, "--dump", options.dumpFolder,
            "write each buffer after each dispatch into this new folder, as .npy");
    CLI::App* capture = app.add_subcommand("capture", "one RenderDoc capture of one small run of one task");
    addOneTask(*capture, options, raw);
    addTaskOptions(*capture, options, raw);
    addText(*capture, "-o,--output", options.outputFile, "the capture file; default: a2-GROUP-NAME-nN.rdc");
    CLI::App* record =
        app.add_subcommand("record", "what one task's solution records, as a file to be judged anywhere");
    addOneTask(*record, options, raw);
    addTaskOptions(*record, options, raw);
    addText(*record, "-o,--output", options.outputFile, "the recording; default: a2-GROUP-NAME-nN.a2r");
    CLI::App* prescan = app.add_subcommand("prescan", "the prescan lab: floats, four modes with files, a report");
    addPrescanOptions(*prescan, options, raw);
    CLI::App* obstacles =
        app.add_subcommand("obstacles", "counts and finds the obstacles in a LiDAR sweep, by three scans side by side");
    addObstaclesOptions(*obstacles, options, raw);
    CLI::App* theory = app.add_subcommand(
        "theory", "parallel time, cost and work, memory accesses and bank conflicts of one task, counted");
    addTheoryOptions(*theory, options, raw);
    CLI::App* doctor = app.add_subcommand("doctor", "what this machine has for a2, and what it lacks");
    addDeviceOptions(*doctor, options, raw);
    app.add_subcommand("list", "task ids, labels, points, files to edit");
}

// `a2 reduce/atomic -n 1024` and `a2 -n 1024` mean `a2 run ...`.
std::vector<std::string> withCommand(const CLI::App& app, std::vector<std::string> arguments)
{
    static constexpr std::array aboutAll = {"-h", "--help", "--version"};
    const auto isFirst = [&](const CLI::App* command) { return command->get_name() == arguments[0]; };
    const bool isRun =
        arguments.empty() || (app.get_subcommands(isFirst).empty() &&
                              std::find(aboutAll.begin(), aboutAll.end(), arguments[0]) == aboutAll.end());
    if (isRun) arguments.insert(arguments.begin(), "run");
    return arguments;
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments)
{
    Options options;
    Raw raw;
    CLI::App app("a2: parallel reduction and prefix sum in Vulkan compute, checked and timed", "a2");
    app.set_version_flag("--version", A2_VERSION);
    app.require_subcommand(1);
    app.footer(std::string("Without a command: run. `a2 COMMAND --help` lists a command's options.\n") +
               exitStatusText);

    addCommands(app, options, raw);
    std::vector<std::string> words = withCommand(app, arguments);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app.parse(words);
    } catch (const CLI::CallForHelp&) {
        for (CLI::App* one : app.get_subcommands()) options.finished = one->help("a2");
        if (options.finished.empty()) options.finished = app.help();
        return options;
    } catch (const CLI::CallForVersion&) {
        options.finished = fmt::format("a2 {}\n", A2_VERSION);
        return options;
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
        throw UsageError(fmt::format("{}; `a2{} --help` lists the options", error.what(), command));
    }
    options.command = app.get_subcommands().front()->get_name();
    interpret(raw, options);
    return options;
}

}  // namespace a2
