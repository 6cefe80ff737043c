// Options that several commands share, added to the commands that take them.
#pragma once

#include "a2/Error.h"
#include "cli/Options.h"

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

namespace a2 {

// What the user typed, before it is checked.
struct Raw {
    std::string size = "auto", upTo, workGroup, elements, pattern, type = "uint32", seed, repeat = "10", maxTime,
                timeout = "60";
    std::string device, validation = "off", timer = "gpu", batch, inFlight;
    std::string dispatchLimit, bindingLimit, schedule, group, invocation, printed, scaling;
    std::vector<std::string> sweeps;
    bool noColour = false;
};

// All commands with their options, into an app that has none; options and raw outlive it.
void declareCommands(CLI::App& app, Options& options, Raw& raw);

// In words, in the order of their numbers.
struct ExitMeaning {
    ExitStatus status;
    const char* meaning;
};
std::span<const ExitMeaning> exitStatuses();

// How a2 shows its options: groups in one order everywhere, the name of each value, no line over 80 columns.
class HelpText : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option_name(const CLI::Option* option, bool isPositional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_option_usage(const CLI::Option* option) const override;
};
// A help text without blanks at the ends of lines and without more than one empty line at a time, which CLI11 has from
// 2.5 on.
std::string tidyHelp(const std::string& text);

// The groups of options.
constexpr const char *whatIsRun = "What is run", *howItIsTimed = "How it is timed", *onWhat = "What it runs on",
                     *whatIsShown = "What is shown and written", *aboutA2 = "About a2";
// Options that are added from now on belong to this group.
void inGroup(CLI::App& app, const char* group);

// An option with a value; an empty one is a mistake (an unset shell variable, mostly), not a wish for the default.
// value: what it is called, such as N; usual: what holds where the option is not given.
CLI::Option* addText(CLI::App& app, const std::string& names, const std::string& value, std::string& variable,
                     const std::string& description, const std::string& usual);

// Device, validation, how much is said: of every command that opens a device.
void addDeviceOptions(CLI::App& app, Options& options, Raw& raw);
// Of a run and a measurement, where no length is named.
constexpr const char* usualLength = "auto, 2^27 on a GPU, 2^22 on a CPU, less where that does not fit";
// Which tasks, and in what shape: for the commands that take many, and those that take a small run of one.
void addManyTasks(CLI::App& app, Options& options, Raw& raw, const std::string& usualSize,
                  const std::string& usualShape);
void addOneTask(CLI::App& app, Options& options, Raw& raw);
// Input and solutions; usual: the pattern of an input where none is named. The same, reports and the device.
void addInputOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual);
void addTaskOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual);
void addJsonOption(CLI::App& app, Options& options);
void addElementType(CLI::App& app, Raw& raw);
void addShaderFolder(CLI::App& app, Options& options);
void addTimeout(CLI::App& app, Raw& raw);
void addTimer(CLI::App& app, Raw& raw);
// How often and how long something is timed, and by which clock.
void addTimingOptions(CLI::App& app, Raw& raw);
// Recordings made ahead, and judged without the solutions.
void addRecordings(CLI::App& app, Options& options);
// The latter alone. use: for what.
void addRecordingsOf(CLI::App& app, Options& options, const std::string& use);
void addCourseOption(CLI::App& app, Options& options);
void addStrictOption(CLI::App& app, Options& options);
// What kernels print with debugPrintfEXT(), and how much of it; --group, which is steps' as well, is added by the
// command.
void addPrintOptions(CLI::App& app, Options& options, Raw& raw, const std::string& when);
void interpretPrints(const Raw& raw, Options& options);
// How something that is no task is run and timed, and on what.
void addRunOptions(CLI::App& app, Options& options, Raw& raw);

}  // namespace a2
