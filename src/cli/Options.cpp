#include "cli/Options.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "base/FloatText.h"
#include "base/ShellWord.h"
#include "cli/CourseFile.h"
#include "cli/HelpText.h"
#include "cli/OptionGroups.h"
#include "cli/VersionText.h"
#include "files/FileWords.h"
#include "gpu/DeviceChoice.h"
#include "report/Formats.h"
#include "report/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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

constexpr std::array exitMeanings = {
    ExitMeaning{ExitStatus::passed, "all passed"},
    ExitMeaning{ExitStatus::failed, "a task failed"},
    ExitMeaning{ExitStatus::usage, "wrong usage"},
    ExitMeaning{ExitStatus::environment, "something is missing here"},
    ExitMeaning{ExitStatus::device, "time-out or device lost, or its driver crashed"},
    ExitMeaning{ExitStatus::internal, "internal error"},
};

// No line over 80 columns, and no break inside a meaning.
std::string exitStatusText()
{
    std::string text = "Exit status:";
    std::size_t begin = 0;
    for (const auto& [status, meaning] : exitMeanings) {
        const std::string one =
            fmt::format("{} {}{}", static_cast<int>(status), meaning, status == exitMeanings.back().status ? "." : ",");
        const bool fits = text.size() - begin + 1 + one.size() <= lineColumns;
        if (!fits) begin = text.size() + 1;
        text += (fits ? " " : "\n") + one;
    }
    return text;
}

std::vector<std::string> commandNames()
{
    std::vector<std::string> names;
    for (const Subcommand* command : allSubcommands()) names.emplace_back(command->name);
    return names;
}

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

// A file sets the length, and no longer one can be asked for.
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
LowerLimits parseDispatchLimit(const std::string& text)
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

// The assignment's lengths and shape; another shape if the user names one.
void interpretCourse(Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    if (evaluation.exclusive)
        throw UsageError(
            "--exclusive with --course: the course asks for inclusive scans; leave it out, or add --no-course");
    if (options.size && !std::has_single_bit(*options.size))
        throw UsageError(
            fmt::format("--size {} with --course: the course asks for powers of two, such as {}; --no-course "
                        "takes any length",
                        *options.size, std::bit_ceil(std::min(*options.size, std::uint64_t{1} << 62))));
    if (!evaluation.workGroup && !evaluation.sweepWorkGroups) evaluation.workGroup = 256;
    if (!evaluation.elements) evaluation.elements = 2;
}

UsageError takesOneTask(const std::string& command)
{
    return UsageError(fmt::format("a2 {0} takes one task: a2 {0} reduce/sequential; `a2 list` shows them", command));
}

// "--json, --csv and --junit"
std::string reportOptions(std::vector<std::string> more = {})
{
    std::vector<std::string> all;
    for (const ReportFormat& one : reportFormats()) all.emplace_back(one.option);
    all.insert(all.end(), more.begin(), more.end());
    const std::string last = all.back();
    all.pop_back();
    return fmt::format("{} and {}", fmt::join(all, ", "), last);
}

// Options with which another command uses the same kernels on the same device. (A2_DEVICE is still set.)
std::string sameEnvironment(const Raw& raw, const Options& options)
{
    std::string text;
    if (!options.gpu.shaderDir.empty()) text += " --shader-dir " + shellWord(options.gpu.shaderDir);
    if (!options.solutions.empty()) text += " --solutions " + shellWord(options.solutions);
    if (!raw.device.empty()) text += " -d " + shellWord(raw.device);
    text += typeOption(options);
    if (raw.validation != "off") text += " --validation " + raw.validation;
    return text;
}

const ElementType* elementNamed(const std::string& name)
{
    if (const ElementType* const named = elementTypeNamed(name)) return named;
    std::vector<std::string> known;
    for (const ElementType* one : allElementTypes()) known.emplace_back(one->name);
    throw UsageError(fmt::format("--type {}: there are {}", quotedWord(name), fmt::join(known, ", ")));
}

// A seed without a pattern means random values; the matrix adds its own patterns.
void interpretInput(const Raw& raw, std::vector<std::uint32_t> fileValues, Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    options.gpu.element = elementNamed(raw.type);
    if (!raw.pattern.empty())
        evaluation.pattern = fileValues.empty() ? Pattern::parse(raw.pattern, *options.gpu.element)
                                                : Pattern::ofFile(raw.pattern, std::move(fileValues));
    if (!raw.seed.empty()) {
        evaluation.seed = parseNumber("--seed", raw.seed, 0, UINT64_MAX);
        const bool patterned = options.command->usualSeed || options.command == &Subcommand::check;
        if (raw.pattern.empty() && !patterned) evaluation.pattern = Pattern::parse("random");
    } else if (!options.command->usualSeed) {
        evaluation.seed = freshSeed();
    }
}

const char* refusalOf(const Options& options)
{
    const bool refuses = wantsEmulator(options.gpu.device) && options.command->refusesEmulator;
    return refuses ? options.command->refusesEmulator(options) : nullptr;
}

void interpret(const Raw& raw, std::vector<std::uint32_t> fileValues, Options& options)
{
    if (raw.size != "auto") options.size = parseSize("--size", raw.size);
    if (!raw.upTo.empty()) options.evaluation.upTo = parseSize("--up-to", raw.upTo);
    if (!raw.workGroup.empty())
        options.evaluation.workGroup =
            static_cast<std::uint32_t>(parseNumber("--workgroup", raw.workGroup, 1, UINT32_MAX));
    if (!raw.elements.empty()) {
        options.evaluation.elements =
            static_cast<std::uint32_t>(parseNumber("--elements", raw.elements, 2, mostPerInvocation));
        if (*options.evaluation.elements % 2)
            throw UsageError(fmt::format(
                "--elements '{}': must be even (a work-efficient scan has two leaves per invocation)", raw.elements));
    }
    if (!raw.dispatchLimit.empty()) options.evaluation.lowerLimits = parseDispatchLimit(raw.dispatchLimit);
    if (!raw.bindingLimit.empty()) {
        std::optional<LowerLimits>& limits = options.evaluation.lowerLimits;
        if (!limits) limits.emplace();
        limits->bindingBytes =
            static_cast<std::uint32_t>(parseNumber("--binding-limit", raw.bindingLimit, 1, UINT32_MAX));
    }
    if (!raw.schedule.empty()) options.evaluation.schedule = parseSchedule(raw.schedule);
    interpretInput(raw, std::move(fileValues), options);
    options.evaluation.repeat = static_cast<unsigned>(parseNumber("--repeat", raw.repeat, 1, 1000000));
    if (!raw.maxTime.empty()) options.evaluation.maxSeconds = parseSeconds("--max-time", raw.maxTime);
    options.gpu.timeout = std::chrono::duration<double>(parseSeconds("--timeout", raw.timeout));
    options.evaluation.timer = raw.timer == "gpu" ? Timer::gpu : Timer::host;
    options.gpu.validation = raw.validation == "on" ? Validation::on
                             : raw.validation == "gpu"
                                 ? options.evaluation.print.always ? Validation::prints : Validation::gpu
                             : raw.validation == "required" ? Validation::required
                                                            : Validation::off;
    const char* device = std::getenv("A2_DEVICE");
    options.gpu.device = raw.device.empty() && device ? device : raw.device;
    options.evaluation.moreOptions = sameEnvironment(raw, options);
    options.colour = !raw.noColour && !std::getenv("NO_COLOR");
    const Subcommand& command = *options.command;
    if (command.interpret) command.interpret(raw, options);
    if (const char* why = refusalOf(options))
        throw UsageError(fmt::format("a2 {} with -d emulator: {}; choose a device (-d, A2_DEVICE)", command.name, why));
    const std::uint64_t fileLength = options.evaluation.pattern ? options.evaluation.pattern->fileLength() : 0;
    if (fileLength > 0) limitToFile(raw, fileLength, options);
    if (options.evaluation.course) interpretCourse(options);
    const bool reports = std::any_of(options.reports.begin(), options.reports.end(),
                                     [](const auto& one) { return !one.second.empty(); });
    if (options.inProcess && reports)
        throw UsageError(fmt::format(
            "--in-process: its verdict counts for nothing, so no report is written; leave out {}", reportOptions()));
    if (!options.recordOnly.empty() && (reports || !options.recordingsFile.empty()))
        throw UsageError(fmt::format("--record-only judges nothing: leave out {}", reportOptions({"--recordings"})));
    if (!options.deviceOf.empty() && options.recordOnly.empty())
        throw UsageError("--device-of is for --record-only alone: what is judged needs the device itself");
    // A recording does not contain the length of the longest array.
    if (!options.deviceOf.empty() && !options.size && raw.upTo.empty())
        throw UsageError("--device-of: which lengths fit that device is not known here; name them with -n or --up-to");
    const bool recordings = !options.recordOnly.empty() || !options.recordingsFile.empty();
    if (options.inProcess && recordings)
        throw UsageError("--in-process is for a debugger: leave it out with --record-only and --recordings");
    if (recordings && !options.recordingFile.empty())
        throw UsageError("--recording judges the file of `a2 record`: leave out --record-only and --recordings");
    if (options.noTask) return;
    // Reports a wrong id before a device is opened.
    const std::vector<Task> chosen = selectTasks(options.tasks, options.all, *options.gpu.element);
    if (command.takesOneTask && chosen.size() != 1) throw takesOneTask(command.name);
    if (!command.smallRun) return;
    constexpr std::uint64_t smallSize = 32;
    if (!options.size) options.size = smallSize;
    options.smallShape = !options.evaluation.workGroup;
    if (options.smallShape) options.evaluation.workGroup = 4;
    if (!options.evaluation.elements) options.evaluation.elements = chosen.front().elementsUnit;
}

// `a2 help COMMAND` is `a2 COMMAND --help`, and `a2 help` is `a2 --help`.
std::vector<std::string> withoutWords(std::vector<std::string> arguments)
{
    if (arguments.empty() || arguments[0] != "help") return arguments;
    if (arguments.size() == 1) return {"--help"};
    const std::vector<std::string> commands = commandNames();
    if (arguments.size() > 2 || std::find(commands.begin(), commands.end(), arguments[1]) == commands.end())
        throw UsageError(fmt::format("a2 help takes one command: {}", fmt::join(commands, ", ")));
    return {arguments[1], "--help"};
}

// `a2 reduce/atomic -n 1024` and `a2 -n 1024` mean `a2 run ...`. Throws UsageError if a first word is neither a command
// nor a task.
std::vector<std::string> withCommand(std::vector<std::string> arguments)
{
    static constexpr std::array aboutAll = {"-h", "--help", "--version"};
    const std::vector<std::string> commands = commandNames();
    const auto isFirst = [&](const std::string& word) { return !arguments.empty() && word == arguments[0]; };
    if (std::any_of(commands.begin(), commands.end(), isFirst)) return arguments;
    if (std::any_of(aboutAll.begin(), aboutAll.end(), isFirst)) return arguments;
    // Reports this first: the options of `run` may be meant for another command.
    if (!arguments.empty() && !arguments[0].starts_with('-')) selectTasks({arguments[0]}, false, commands);
    arguments.insert(arguments.begin(), "run");
    return arguments;
}

}  // namespace

const std::vector<const Subcommand*>& allSubcommands()
{
    static const std::vector<const Subcommand*> all = [] {
        std::vector<const Subcommand*> found = {&Subcommand::run,   &Subcommand::bench,  &Subcommand::check,
                                                &Subcommand::steps, &Subcommand::record, &Subcommand::doctor,
                                                &Subcommand::list,  &Subcommand::explain};
        found.insert(found.end(), annexCommands().begin(), annexCommands().end());
        std::ranges::stable_sort(found, {}, &Subcommand::place);
        return found;
    }();
    return all;
}

std::span<const ExitMeaning> exitStatuses() { return exitMeanings; }

void declareCommands(CLI::App& app, Options& options, Raw& raw)
{
    app.name("a2");
    app.description("a2: parallel reduction and prefix sum in Vulkan compute, checked and timed");
    app.set_help_flag("-h,--help", "show this")->group(aboutA2);
    app.set_version_flag("--version", buildFacts.version, "show the version, and those of files")->group(aboutA2);
    app.require_subcommand(1);
    app.formatter(std::make_shared<HelpText>());  // before the commands, which copy it and the footer
    app.footer(exitStatusText());
    for (const Subcommand* command : allSubcommands()) {
        CLI::App* const one = app.add_subcommand(command->name, command->description)->group("Commands");
        one->get_help_ptr()->group(aboutA2);
        if (command->addOptions) command->addOptions(*one, options, raw);
    }
    app.footer("Without a command: run. `a2 COMMAND --help` or `a2 help COMMAND`: its options.\n" + exitStatusText());
}

std::string typeOption(const Options& options)
{
    const ElementType& element = *options.gpu.element;
    return &element == &ElementType::uint32 ? "" : fmt::format(" --type {}", element.name);
}

Options parseOptions(const std::vector<std::string>& arguments, std::vector<std::uint32_t> fileValues)
{
    Options options;
    if (arguments == std::vector<std::string>{"version"}) {
        options.finished = versionText();
        return options;
    }
    Raw raw;
    CLI::App app;
    declareCommands(app, options, raw);
    std::vector<std::string> words = withCommand(withoutWords(arguments));
    std::reverse(words.begin(), words.end());  // CLI11 reads them from the back
    std::vector<std::string> ofCourse;
    try {
        app.parse(words);
        ofCourse = applyCourseFile(*app.get_subcommands().front());
    } catch (const CLI::CallForHelp&) {
        for (CLI::App* one : app.get_subcommands()) options.finished = tidyHelp(one->help("a2"));
        if (options.finished.empty()) options.finished = tidyHelp(app.help());
        return options;
    } catch (const CLI::CallForVersion&) {
        options.finished = versionLine();
        return options;
    } catch (const CLI::RequiredError&) {  // only the task is required
        throw takesOneTask(app.get_subcommands().front()->get_name());
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
        if (!chosen.empty() && std::string_view(error.what()).starts_with("TASK: "))  // more than one
            throw takesOneTask(chosen.front()->get_name());
        throw UsageError(fmt::format("{}; `a2{} --help` lists the options", error.what(), command));
    }
    const std::string name = app.get_subcommands().front()->get_name();
    for (const Subcommand* command : allSubcommands())
        if (command->name == name) options.command = command;
    const std::vector<std::string> typed = withCommand(arguments);
    std::copy_if(typed.begin() + 1, typed.end(), std::back_inserter(options.passedOn), [&](const std::string& word) {
        return std::find(options.tasks.begin(), options.tasks.end(), word) == options.tasks.end();
    });
    try {
        interpret(raw, std::move(fileValues), options);
    } catch (const UsageError& error) {
        const std::string text = error.what();
        for (const std::string& value : ofCourse)
            if (text.find(fmt::format("'{}'", value)) != std::string::npos)
                throw UsageError(text + " (course.ini asks for it)");
        throw;
    }
    return options;
}

}  // namespace a2
