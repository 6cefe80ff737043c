#include "cli/Options.h"

#include "base/FloatText.h"
#include "base/ShellWord.h"
#include "a2/Error.h"
#include "cli/LabOptions.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace a2 {

namespace {

constexpr const char* exitStatusText =
    "Exit status: 0 all passed, 1 a task failed, 2 wrong usage,\n"
    "3 something is missing here, 4 time-out or device lost, or its driver crashed,\n"
    "5 internal error.";

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

// "7x4096"
DispatchLimit parseDispatchLimit(const std::string& text)
{
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos)
        throw UsageError(fmt::format(
            "--dispatch-limit '{}': must be work-groups along x, an x, and work-groups along y, such as 7x4096", text));
    const auto number = [](const std::string& part) {
        return static_cast<std::uint32_t>(parseNumber("--dispatch-limit", part, 1, UINT32_MAX));
    };
    return {number(text.substr(0, cross)), number(text.substr(cross + 1))};
}

// The assignment's lengths and shape; another shape where the user names one.
void interpretCourse(Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    if (evaluation.exclusive)
        throw UsageError("--exclusive with --course: the course asks for inclusive scans; leave out one of them");
    if (options.size && !std::has_single_bit(*options.size))
        throw UsageError(
            fmt::format("--size {} with --course: the course asks for powers of two, such as {}; leave out "
                        "--course for any length",
                        *options.size, std::bit_ceil(std::min(*options.size, std::uint64_t{1} << 62))));
    if (!evaluation.workGroup && !evaluation.sweepWorkGroups) evaluation.workGroup = 256;
    if (!evaluation.elements) evaluation.elements = 2;
}

UsageError takesOneTask(const std::string& command)
{
    return UsageError(fmt::format("a2 {0} takes one task: a2 {0} reduce/sequential; `a2 list` shows them", command));
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

// Who names a seed and no pattern wants random values; the matrix has patterns of its own beside them.
void interpretInput(const Raw& raw, std::vector<std::uint32_t> fileValues, Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    const bool ofTasks = options.command != "prescan" && options.command != "obstacles";  // which have a usual seed
    if (!raw.pattern.empty())
        evaluation.pattern =
            fileValues.empty() ? Pattern::parse(raw.pattern) : Pattern::ofFile(raw.pattern, std::move(fileValues));
    if (!raw.seed.empty()) {
        evaluation.seed = parseNumber("--seed", raw.seed, 0, UINT64_MAX);
        if (ofTasks && raw.pattern.empty() && options.command != "check") evaluation.pattern = Pattern::parse("random");
    } else if (ofTasks) {
        evaluation.seed = freshSeed();
    }
}

void interpret(const Raw& raw, std::vector<std::uint32_t> fileValues, Options& options)
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
    if (!raw.dispatchLimit.empty()) options.evaluation.dispatchLimit = parseDispatchLimit(raw.dispatchLimit);
    interpretInput(raw, std::move(fileValues), options);
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
    if (options.evaluation.course) interpretCourse(options);
    const bool reports = !options.jsonFile.empty() || !options.csvFile.empty() || !options.junitFile.empty();
    if (options.inProcess && reports)
        throw UsageError("--in-process: its verdict counts for nothing, so no report is written; leave out --json, --csv "
                         "and --junit");
    if (options.command == "theory") interpretTheory(raw, options);
    if (options.rotation) return;
    // So that a wrong id is told before a device is opened.
    const std::vector<Task> chosen = selectTasks(options.tasks, options.all);
    if (options.command == "steps" || options.command == "capture" || options.command == "record" ||
        options.command == "theory") {
        if (chosen.size() != 1) throw takesOneTask(options.command);
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
    const auto addCommand = [&](const char* name, const char* description) {
        return app.add_subcommand(name, helpColumn(description));
    };
    CLI::App* run = addCommand("run", "check and time the tasks");
    addManyTasks(*run, options, raw);
    addCourseOption(*run, options);
    addTaskOptions(*run, options, raw, "random");
    addTimingOptions(*run, raw);
    addText(*run, "--recording", options.recordingFile, "judge what `a2 record` wrote, instead of a solution");
    CLI::App* bench = addCommand("bench", "timing only, in a table: one length and shape, or a sweep of them");
    addManyTasks(*bench, options, raw);
    addCourseOption(*bench, options);
    addTaskOptions(*bench, options, raw, "random");
    addTimingOptions(*bench, raw);
    addBenchOptions(*bench, raw);
    CLI::App* check = addCommand("check", "correctness matrix: sizes x patterns x work-group sizes; no timing");
    addManyTasks(*check, options, raw);
    addCourseOption(*check, options);
    addTaskOptions(*check, options, raw, "several, one after the other");
    addText(*check, "--up-to", raw.upTo, "only lengths up to this one");
    CLI::App* steps =
        addCommand("steps", "one small run of one task: each dispatch, what it left, the first wrong one");
    addOneTask(*steps, options, raw);
    addCourseOption(*steps, options);
    addTaskOptions(*steps, options, raw, "mod97, easy to read; random where -s names a seed");
    addText(*steps, "--timer", raw.timer, "clock: gpu (timestamps) or host")->check(CLI::IsMember({"gpu", "host"}));
    addText(*steps, "--dump", options.dumpFolder,
            "write each buffer after each dispatch into this new folder, as .npy");
    CLI::App* capture = addCommand("capture", "one RenderDoc capture of one small run of one task");
    addOneTask(*capture, options, raw);
    addTaskOptions(*capture, options, raw, "mod97, easy to read; random where -s names a seed");
    addText(*capture, "-o,--output", options.outputFile, "the capture file; default: a2-GROUP-NAME-nN.rdc");
    CLI::App* record = addCommand("record", "what one task's solution records, as a file to be judged anywhere");
    addOneTask(*record, options, raw);
    addTaskOptions(*record, options, raw, "none, for nothing runs");
    addText(*record, "-o,--output", options.outputFile, "the recording; default: a2-GROUP-NAME-nN.a2r");
    CLI::App* prescan = addCommand("prescan", "the prescan lab: floats, four modes with files, a report");
    addPrescanOptions(*prescan, options, raw);
    CLI::App* obstacles =
        addCommand("obstacles", "counts and finds the obstacles in a LiDAR sweep, by three scans side by side");
    addObstaclesOptions(*obstacles, options, raw);
    CLI::App* theory =
        addCommand("theory", "parallel time, cost and work, memory accesses and bank conflicts of one task, counted");
    addTheoryOptions(*theory, options, raw);
    CLI::App* doctor = addCommand("doctor", "what this machine has for a2, and what it lacks");
    addDeviceOptions(*doctor, options, raw);
    addCommand("list", "task ids, labels, points, files to edit");
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

Options parseOptions(const std::vector<std::string>& arguments, std::vector<std::uint32_t> fileValues)
{
    Options options;
    Raw raw;
    CLI::App app("a2: parallel reduction and prefix sum in Vulkan compute, checked and timed", "a2");
    app.set_version_flag("--version", A2_VERSION);
    app.require_subcommand(1);
    app.footer(std::string("Without a command: run. `a2 COMMAND --help` lists a command's options.\n") +
               exitStatusText);

    app.formatter(std::make_shared<HelpText>());  // before the commands, which take it from here
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
    } catch (const CLI::RequiredError&) {  // nothing else is
        throw takesOneTask(app.get_subcommands().front()->get_name());
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
        if (!chosen.empty() && std::string_view(error.what()).starts_with("TASK: "))  // more than one
            throw takesOneTask(chosen.front()->get_name());
        throw UsageError(fmt::format("{}; `a2{} --help` lists the options", error.what(), command));
    }
    options.command = app.get_subcommands().front()->get_name();
    interpret(raw, std::move(fileValues), options);
    return options;
}

}  // namespace a2
