// Options that several commands share, added to the commands that take them.
#pragma once

#include "a2/Error.h"
#include "cli/Options.h"

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace a2 {

// The user's input, before it is checked.
struct Raw {
    std::string size = "auto", upTo, workGroup, elements, pattern, type = "uint32", seed, repeat = "10", maxTime,
                timeout = "60";
    std::string device, validation = "off", timer = "gpu", batch, inFlight;
    std::string dispatchLimit, bindingLimit, schedule, group, invocation, printed, scaling;
    std::vector<std::string> sweeps;
    bool noColour = false;
};

// All commands with their options, for an app that has none; options and raw must outlive it.
void declareCommands(CLI::App& app, Options& options, Raw& raw);

// In words, in the order of their numbers.
struct ExitMeaning {
    ExitStatus status;
    const char* meaning;
};
std::span<const ExitMeaning> exitStatuses();

// The groups of options.
constexpr const char *whatIsRun = "What is run", *howItIsTimed = "How it is timed", *onWhat = "What it runs on",
                     *whatIsShown = "What is shown and written", *aboutA2 = "About a2";
// Options that are added from now on belong to this group.
void inGroup(CLI::App& app, const char* group);

// An option with a value. An empty value is a mistake (mostly an unset shell variable), not a request for the default.
// value: its name, such as N; usual: what applies if the option is not given; choices: all values there are, if they
// can be listed.
using Choices = std::vector<std::string>;
void addText(CLI::App& app, const std::string& names, const std::string& value, std::string& variable,
             const std::string& description, const std::string& usual, const Choices& choices = {});
// An option with several values: separated by commas if there are choices, otherwise by spaces.
void addTexts(CLI::App& app, const std::string& names, const std::string& value, std::vector<std::string>& variable,
              const std::string& description, const Choices& choices = {});
// An option without a value. without: the name of another that excludes it; empty: none.
void addFlag(CLI::App& app, const std::string& names, bool& variable, const std::string& description,
             const std::string& without = "");
// Arguments that are no options: one, which may be missing; up to `most`.
void addArgument(CLI::App& app, const std::string& name, std::string& variable, const std::string& description,
                 const Choices& choices = {});
void addArguments(CLI::App& app, const std::string& name, std::vector<std::string>& variable,
                  const std::string& description, int most);
// The rows that a command is about: any number of ids and globs, or one id. required: the command needs it.
void addTaskNames(CLI::App& app, Options& options);
void addTaskName(CLI::App& app, Options& options, const std::string& description, bool required = true);

// Device, validation, verbosity: for every command that opens a device.
void addDeviceOptions(CLI::App& app, Options& options, Raw& raw);
// For a run and a measurement without a given length.
constexpr const char* usualLength = "auto, 2^27 on a GPU, 2^22 on a CPU, less where that does not fit";
// Which tasks, and in what shape: for commands that take many, and for those that take one small run.
void addManyTasks(CLI::App& app, Options& options, Raw& raw, const std::string& usualSize,
                  const std::string& usualShape);
void addOneTask(CLI::App& app, Options& options, Raw& raw, bool required = true);
// Input and solutions; usual: the pattern of an input if none is given. The same, reports and the device.
void addInputOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual);
void addTaskOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual);
void addJsonOption(CLI::App& app, Options& options);
void addElementType(CLI::App& app, Raw& raw);
void addShaderFolder(CLI::App& app, Options& options);
void addTimeout(CLI::App& app, Raw& raw);
void addTimer(CLI::App& app, Raw& raw);
// How often and how long to time, and by which clock.
void addTimingOptions(CLI::App& app, Raw& raw);
// Recordings that are made ahead, and judged without the solutions.
void addRecordings(CLI::App& app, Options& options);
// Only the latter. use: its purpose.
void addRecordingsOf(CLI::App& app, Options& options, const std::string& use);
void addCourseOption(CLI::App& app, Options& options);
void addStrictOption(CLI::App& app, Options& options);
// The output of kernels through debugPrintfEXT(), and its limits; --group, which steps has as well, is added by the
// command.
void addPrintOptions(CLI::App& app, Options& options, Raw& raw, const std::string& when);
void interpretPrints(const Raw& raw, Options& options);
// How something other than a task is run and timed, and on what.
void addRunOptions(CLI::App& app, Options& options, Raw& raw);

}  // namespace a2
