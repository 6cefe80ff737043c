#include "cli/OptionGroups.h"

#include "report/Formats.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace a2 {

namespace {

constexpr const char* forGraders = "";  // in no help text: docs/jails.md has them

}  // namespace

void inGroup(CLI::App& app, const char* group) { app.option_defaults()->group(group); }

void addText(CLI::App& app, const std::string& names, const std::string& value, std::string& variable,
             const std::string& description, const std::string& usual, const Choices& choices)
{
    CLI::Option* const option =
        app.add_option(names, variable, fmt::format("{}; default: {}", description, usual))
            ->option_text(value)
            ->check([](const std::string& text) { return text.empty() ? std::string("the value is empty") : ""; });
    if (!choices.empty()) option->check(CLI::IsMember(choices));
}

void addTexts(CLI::App& app, const std::string& names, const std::string& value, std::vector<std::string>& variable,
              const std::string& description, const Choices& choices)
{
    CLI::Option* const option = app.add_option(names, variable, description)->option_text(value);
    if (!choices.empty()) option->delimiter(',')->allow_extra_args(false)->check(CLI::IsMember(choices));
}

void addFlag(CLI::App& app, const std::string& names, bool& variable, const std::string& description,
             const std::string& without)
{
    CLI::Option* const option = app.add_flag(names, variable, description);
    if (!without.empty()) option->excludes(app.get_option(without));
}

void addArgument(CLI::App& app, const std::string& name, std::string& variable, const std::string& description,
                 const Choices& choices)
{
    CLI::Option* const option = app.add_option(name, variable, description);
    if (!choices.empty()) option->check(CLI::IsMember(choices));
}

void addArguments(CLI::App& app, const std::string& name, std::vector<std::string>& variable,
                  const std::string& description, int most)
{
    app.add_option(name, variable, description)->expected(0, most);
}

void addTaskNames(CLI::App& app, Options& options)
{
    app.add_option("TASK", options.tasks, "ids or globs such as 'reduce/*'; none: the default set (see a2 list)");
}

void addTaskName(CLI::App& app, Options& options, const std::string& description, bool required)
{
    app.add_option("TASK", options.tasks, description)->expected(1)->required(required);
}

void addDeviceOptions(CLI::App& app, Options& options, Raw& raw)
{
    inGroup(app, onWhat);
    addText(app, "-d,--device", "DEVICE", raw.device,
            "an index, a part of its name, cpu, or emulator, which needs no driver and has no times (also: A2_DEVICE)",
            "the first discrete GPU, else integrated, virtual, CPU");
    addText(app, "--validation", "MODE", raw.validation,
            "Vulkan validation layer: off, on, gpu (GPU-assisted), required", raw.validation,
            Choices{"off", "on", "gpu", "required"});
    inGroup(app, whatIsShown);
    addFlag(app, "--verbose", options.verbose, "more on stdout: spread, shape, times");
    addFlag(app, "--quiet", options.quiet, "no notes and no progress on stderr");
    addFlag(app, "--no-color", raw.noColour, "no colours on a terminal (also: NO_COLOR)");
}

void addManyTasks(CLI::App& app, Options& options, Raw& raw, const std::string& usualSize,
                  const std::string& usualShape)
{
    inGroup(app, whatIsRun);
    addTaskNames(app, options);
    addFlag(app, "--all", options.all, "also the tasks beyond the default set");
    addText(app, "-n,--size", "N", raw.size, "elements: 1000000, 2^20, 128Mi, auto", usualSize);
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group", usualShape);
    addText(app, "--elements", "N", raw.elements, "elements per invocation, even, 2 to 64; the assignment's shape is 2",
            usualShape);
}

void addOneTask(CLI::App& app, Options& options, Raw& raw, bool required)
{
    inGroup(app, whatIsRun);
    addTaskName(app, options, "one id, such as reduce/sequential (see a2 list)", required);
    addText(app, "-n,--size", "N", raw.size, "elements: 1000000, 2^20, 128Mi", "32");
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group",
            "4, so that a tree fits the screen");
    addText(app, "--elements", "N", raw.elements, "elements per invocation, even, 2 to 64", "the fewest");
}

static void addReportOption(CLI::App& app, Options& options, const ReportFormat& format)
{
    addText(app, format.option, "FILE", options.reports[format.option],
            fmt::format("write results to this file as {}", format.name), "none");
}

void addInputOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual)
{
    inGroup(app, whatIsRun);
    addText(app, "-p,--pattern", "P", raw.pattern,
            "input: mod97, ones, iota, random, onehot:K, max, shuffled, edges, file:PATH", usual);
    addElementType(app, raw);
    addText(app, "-s,--seed", "S", raw.seed, "seed of the random pattern", "another one each time");
    addFlag(app, "--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addShaderFolder(app, options);
    inGroup(app, onWhat);
    addTimeout(app, raw);
    addText(app, "--dispatch-limit", "XxY", raw.dispatchLimit,
            "as if the device started no more work-groups in a dispatch than X along x and Y along y",
            "the device's own");
    addText(app, "--binding-limit", "BYTES", raw.bindingLimit, "as if a binding took no more of a buffer than that",
            "the device's own");
    addText(app, "--schedule", "S", raw.schedule,
            "walk the kernels on the host in this order of work-groups, which a finding has named", "many orders");
    addFlag(app, "--in-process", options.inProcess,
            "for a debugger: all in one process, the solution's code too; such a verdict counts for nothing");
    addText(app, "--solutions", "FILE", options.solutions, "the library of solutions", "the one beside a2");
    inGroup(app, forGraders);
    addText(app, "--jail", "PROGRAM", options.gpu.jail,
            "start with this program what runs or compiles the solutions: it is given the command as its arguments",
            "none");
}

void addTaskOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual)
{
    addInputOptions(app, options, raw, usual);
    inGroup(app, forGraders);
    addText(app, "--device-jail", "PROGRAM", options.deviceJail,
            "start with this program the process that works the device: it is given the command as its arguments, and "
            "leaves descriptor 3 open",
            "none");
    inGroup(app, whatIsShown);
    for (const ReportFormat& one : reportFormats()) addReportOption(app, options, one);
    addDeviceOptions(app, options, raw);
}

void addJsonOption(CLI::App& app, Options& options)
{
    inGroup(app, whatIsShown);
    addReportOption(app, options, reportFormats().front());
}

void addElementType(CLI::App& app, Raw& raw)
{
    inGroup(app, whatIsRun);
    addText(app, "--type", "T", raw.type, "type of the elements: uint32, int32, float32", "uint32");
}

void addShaderFolder(CLI::App& app, Options& options)
{
    inGroup(app, whatIsRun);
    addText(app, "--shader-dir", "DIR", options.gpu.shaderDir,
            "kernels from this folder, compiled now; what it lacks is the project's", "none");
}

void addTimeout(CLI::App& app, Raw& raw)
{
    inGroup(app, onWhat);
    addText(app, "--timeout", "SECONDS", raw.timeout,
            "how long a call of the driver (5 s at least) and one submit may take", raw.timeout);
}

void addTimer(CLI::App& app, Raw& raw)
{
    inGroup(app, howItIsTimed);
    addText(app, "--timer", "CLOCK", raw.timer, "gpu (timestamps) or host", raw.timer, {"gpu", "host"});
}

void addRecordings(CLI::App& app, Options& options)
{
    inGroup(app, forGraders);
    addText(app, "--record-only", "FILE", options.recordOnly,
            "have recorded all that this command may ask the solutions for, into this file; run and judge nothing",
            "none");
    addText(app, "--device-of", "FILE", options.deviceOf,
            "with --record-only: for the device that this file of recordings was made for, which need not be here; "
            "none is opened",
            "the device that is chosen");
    addRecordingsOf(app, options, "judge what --record-only wrote with the same options");
}

void addRecordingsOf(CLI::App& app, Options& options, const std::string& use)
{
    inGroup(app, forGraders);
    addText(app, "--recordings", "FILE", options.recordingsFile, use, "the solutions");
    inGroup(app, whatIsRun);  // what comes next
}

void addTimingOptions(CLI::App& app, Raw& raw)
{
    inGroup(app, howItIsTimed);
    addText(app, "-r,--repeat", "N", raw.repeat, "timed repetitions", raw.repeat);
    addText(app, "--max-time", "SECONDS", raw.maxTime, "stop repeating a task after so long", "no limit");
    addTimer(app, raw);
}

void addCourseOption(CLI::App& app, Options& options)
{
    inGroup(app, whatIsRun);
    addFlag(app, "--course,!--no-course", options.evaluation.course,
            "what the assignment asks: lengths that are powers of two, work-groups of 256 with 2 elements for each "
            "invocation, inclusive scans; course.ini in the project's folder may make it the default");
}

void addStrictOption(CLI::App& app, Options& options)
{
    inGroup(app, whatIsRun);
    addFlag(
        app, "--strict", options.evaluation.strict,
        "a right result by another method than the task's, or by a kernel that could not be walked on the host, fails; "
        "without it, that is a note");
}

void addPrintOptions(CLI::App& app, Options& options, Raw& raw, const std::string& when)
{
    inGroup(app, whatIsShown);
    addFlag(app, "--printf", options.evaluation.print.always,
            "what the kernels print with debugPrintfEXT() in one run, walked on the host: " + when);
    addText(app, "--invocation", "I", raw.invocation, "only what this invocation of a work-group prints", "all");
    addText(app, "--limit", "N", raw.printed, "so many lines of what kernels print",
            std::to_string(options.evaluation.print.most));
}

void interpretPrints(const Raw& raw, Options& options)
{
    PrintSettings& print = options.evaluation.print;
    if (!raw.group.empty()) print.group = parseNumber("--group", raw.group, 0, UINT32_MAX);
    if (!raw.invocation.empty())
        print.invocation = static_cast<std::uint32_t>(parseNumber("--invocation", raw.invocation, 0, UINT32_MAX));
    if (!raw.printed.empty()) print.most = parseNumber("--limit", raw.printed, 1, 100000);
}

void addRunOptions(CLI::App& app, Options& options, Raw& raw)
{
    addShaderFolder(app, options);
    addTimeout(app, raw);
    addTimingOptions(app, raw);
    addDeviceOptions(app, options, raw);
}

}  // namespace a2
