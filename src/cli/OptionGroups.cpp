#include "cli/OptionGroups.h"

#include "judge/Matrix.h"
#include "report/Text.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr std::size_t nameColumns = 30, helpColumns = 80;  // CLI11's own width of the names, and a terminal's

}  // namespace

std::string helpColumn(const std::string& description)
{
    std::string text = wrapped(description, 0, helpColumns - nameColumns);
    text.pop_back();  // the last line's end
    return text;
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

std::string HelpText::make_option_desc(const CLI::Option* option) const
{
    return helpColumn(CLI::Formatter::make_option_desc(option));
}

CLI::Option* addText(CLI::App& app, const std::string& names, std::string& variable, const std::string& description)
{
    return app.add_option(names, variable, description)->check([](const std::string& text) {
        return text.empty() ? std::string("the value is empty") : std::string();
    });
}

void addDeviceOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(
        app, "-d,--device", raw.device,
        fmt::format("device: an index, a part of its name, cpu, or emulator (also: A2_DEVICE). The emulator needs no "
                    "driver and tells no times; run: {} elements if none are named, at most {}; check: up to {}",
                    usualEmulated, longestEmulated, longestInEmulatedMatrix));
    addText(app, "--validation", raw.validation, "Vulkan validation layer: off, on, gpu (GPU-assisted), required")
        ->check(CLI::IsMember({"off", "on", "gpu", "required"}));
    app.add_flag("--verbose", options.verbose, "more on stdout: spread, shape, times");
    app.add_flag("--quiet", options.quiet, "no notes and no progress on stderr");
    app.add_flag("--no-color", raw.noColour, "no colours on a terminal (also: NO_COLOR)");
}

void addManyTasks(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "ids or globs such as 'reduce/*'; none: the default set (see a2 list)");
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi, auto (the default)");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group, instead of each task's default");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; the assignment's shape is 2");
}

void addOneTask(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "one id, such as reduce/sequential (see a2 list)")->expected(1)->required();
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi; default: 32");
    addText(app, "-w,--workgroup", raw.workGroup,
            "invocations per work-group; default: 4, so that a tree fits the screen");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; default: the fewest");
}

void addTaskOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual)
{
    addText(app, "-p,--pattern", raw.pattern,
            fmt::format("input: mod97, ones, iota, random, onehot:K, max, file:PATH; default: {}", usual));
    addText(app, "-s,--seed", raw.seed, "seed of the random pattern; default: another one each time");
    app.add_flag("--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addText(app, "--timeout", raw.timeout, "seconds one submit may take; default: 60");
    addText(app, "--dispatch-limit", raw.dispatchLimit,
            "XxY: as if the device started no more work-groups in a dispatch than X along x and Y along y");
    app.add_flag("--in-process", options.inProcess,
                 "for a debugger: all in one process, the solution's code too; such a verdict counts for nothing");
    addText(app, "--shader-dir", options.gpu.shaderDir,
            "kernels from this folder, compiled now; what it lacks is the project's");
    addText(app, "--solutions", options.solutions, "the library of solutions; default: the one beside a2");
    addText(app, "--jail", options.gpu.jail,
            "start with this program what runs or compiles the solutions: it is given the command as its arguments");
    addText(app, "--json", options.jsonFile, "write results to this file as JSON");
    addText(app, "--csv", options.csvFile, "write results to this file as CSV");
    addText(app, "--junit", options.junitFile, "write results to this file as JUnit XML");
    app.add_flag("--all", options.all, "also the tasks beyond the default set");
    addDeviceOptions(app, options, raw);
}

void addTimingOptions(CLI::App& app, Raw& raw)
{
    addText(app, "-r,--repeat", raw.repeat, "timed repetitions; default: 10");
    addText(app, "--max-time", raw.maxTime, "stop repeating a task after so many seconds");
    addText(app, "--timer", raw.timer, "clock: gpu (timestamps, the default) or host")
        ->check(CLI::IsMember({"gpu", "host"}));
}

void addCourseOption(CLI::App& app, Options& options)
{
    app.add_flag(
        "--course,!--no-course", options.evaluation.course,
        "what the assignment asks: lengths that are powers of two, work-groups of 256 with 2 elements for each "
        "invocation, inclusive scans; course.ini in the project's folder may make it the default");
}

void addStrictOption(CLI::App& app, Options& options)
{
    app.add_flag("--strict", options.evaluation.strict,
                 "a right result by another method than the task's fails; without it, that is a note");
}

// How something is run and timed, and on what.
void addRunOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(app, "--timeout", raw.timeout, "seconds one submit may take; default: 60");
    addText(app, "--shader-dir", options.gpu.shaderDir,
            "kernels from this folder, compiled now; what it lacks is the project's");
    addTimingOptions(app, raw);
    addDeviceOptions(app, options, raw);
}

}  // namespace a2
