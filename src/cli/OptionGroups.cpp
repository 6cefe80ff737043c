#include "cli/OptionGroups.h"

#include "report/Formats.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace a2 {

namespace {

constexpr std::size_t nameColumns = 30;  // CLI11's own width of the names

constexpr const char* forGraders = "";  // in no help text: docs/jails.md has them

constexpr std::array groupOrder = {whatIsRun, howItIsTimed, onWhat, whatIsShown, aboutA2};

std::vector<const CLI::Option*> positionals(const CLI::App* app)
{
    return app->get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const
{
    std::string text = make_description(app) + make_usage(app, std::move(name));
    if (!positionals(app).empty()) text += make_group("Arguments", true, positionals(app));
    for (const std::string group : groupOrder) {
        const auto options = app->get_options(
            [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
        if (!options.empty()) text += make_group(group, false, options);
    }
    return text + make_subcommands(app, mode) + '\n' + make_footer(app);
}

// CLI11's text before and after it differs from release to release.
std::string HelpText::make_usage(const CLI::App* app, std::string name) const
{
    std::string text = fmt::format("Usage: {} [OPTIONS]", name);
    for (const CLI::Option* one : positionals(app)) text += " " + make_option_usage(one);
    if (!app->get_subcommands({}).empty()) text += " COMMAND";
    return text + "\n";
}

// "--course,--no-course", where CLI11 says "--course,--no-course{false}".
std::string HelpText::make_option_name(const CLI::Option* option, bool isPositional) const
{
    const std::string name = CLI::Formatter::make_option_name(option, isPositional);
    return name.substr(0, name.find('{'));
}

// The name of the value, without types, needs and excludes: the descriptions give those.
std::string HelpText::make_option_opts(const CLI::Option* option) const
{
    const std::string& value = option->get_option_text();
    return value.empty() || option->get_positional() ? "" : " " + value;
}

std::string HelpText::make_option_desc(const CLI::Option* option) const
{
    std::string text = wrapped(CLI::Formatter::make_option_desc(option), 0, lineColumns - nameColumns);
    text.pop_back();  // the last line's end
    return text;
}

std::string HelpText::make_option_usage(const CLI::Option* option) const
{
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
}

std::string tidyHelp(const std::string& text)
{
    std::string tidy;
    for (const char c : text) {
        if (c == '\n')
            while (tidy.ends_with(' ')) tidy.pop_back();
        if (c == '\n' && tidy.ends_with("\n\n")) continue;
        tidy += c;
    }
    return tidy;
}

void inGroup(CLI::App& app, const char* group) { app.option_defaults()->group(group); }

CLI::Option* addText(CLI::App& app, const std::string& names, const std::string& value, std::string& variable,
                     const std::string& description, const std::string& usual)
{
    return app.add_option(names, variable, fmt::format("{}; default: {}", description, usual))
        ->option_text(value)
        ->check([](const std::string& text) { return text.empty() ? std::string("the value is empty") : ""; });
}

void addDeviceOptions(CLI::App& app, Options& options, Raw& raw)
{
    inGroup(app, onWhat);
    addText(app, "-d,--device", "DEVICE", raw.device,
            "an index, a part of its name, cpu, or emulator, which needs no driver and has no times (also: A2_DEVICE)",
            "the first discrete GPU, else integrated, virtual, CPU");
    addText(app, "--validation", "MODE", raw.validation,
            "Vulkan validation layer: off, on, gpu (GPU-assisted), required", raw.validation)
        ->check(CLI::IsMember({"off", "on", "gpu", "required"}));
    inGroup(app, whatIsShown);
    app.add_flag("--verbose", options.verbose, "more on stdout: spread, shape, times");
    app.add_flag("--quiet", options.quiet, "no notes and no progress on stderr");
    app.add_flag("--no-color", raw.noColour, "no colours on a terminal (also: NO_COLOR)");
}

void addManyTasks(CLI::App& app, Options& options, Raw& raw, const std::string& usualSize,
                  const std::string& usualShape)
{
    inGroup(app, whatIsRun);
    app.add_option("TASK", options.tasks, "ids or globs such as 'reduce/*'; none: the default set (see a2 list)");
    app.add_flag("--all", options.all, "also the tasks beyond the default set");
    addText(app, "-n,--size", "N", raw.size, "elements: 1000000, 2^20, 128Mi, auto", usualSize);
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group", usualShape);
    addText(app, "--elements", "N", raw.elements, "elements per invocation, even, 2 to 64; the assignment's shape is 2",
            usualShape);
}

void addOneTask(CLI::App& app, Options& options, Raw& raw)
{
    inGroup(app, whatIsRun);
    app.add_option("TASK", options.tasks, "one id, such as reduce/sequential (see a2 list)")->expected(1)->required();
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
    app.add_flag("--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
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
    app.add_flag("--in-process", options.inProcess,
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
    addText(app, "--timer", "CLOCK", raw.timer, "gpu (timestamps) or host", raw.timer)
        ->check(CLI::IsMember({"gpu", "host"}));
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
    app.add_flag(
        "--course,!--no-course", options.evaluation.course,
        "what the assignment asks: lengths that are powers of two, work-groups of 256 with 2 elements for each "
        "invocation, inclusive scans; course.ini in the project's folder may make it the default");
}

void addStrictOption(CLI::App& app, Options& options)
{
    inGroup(app, whatIsRun);
    app.add_flag(
        "--strict", options.evaluation.strict,
        "a right result by another method than the task's, or by a kernel that could not be walked on the host, fails; "
        "without it, that is a note");
}

void addPrintOptions(CLI::App& app, Options& options, Raw& raw, const std::string& when)
{
    inGroup(app, whatIsShown);
    app.add_flag("--printf", options.evaluation.print.always,
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
