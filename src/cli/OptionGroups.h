// Options that several commands share, added to the commands that take them.
#pragma once

#include "cli/Options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace a2 {

// What the user typed, before it is checked.
struct Raw {
    std::string size = "auto", upTo, workGroup, elements, pattern, seed, repeat = "10", maxTime, timeout = "60";
    std::string device, validation = "off", timer = "gpu", batch, inFlight, processors, matrix, maxDistance = "9";
    std::string dispatchLimit, group;
    std::vector<std::string> sweeps;
    std::string element = "float", maxRand;
    bool noColour = false, exclusive = false, inclusive = false;
};

// Breaks what is said about an option, so that no line of a help text is longer than 80 columns.
class HelpText : public CLI::Formatter {
public:
    std::string make_option_desc(const CLI::Option* option) const override;
};
std::string helpColumn(const std::string& description);
// A help text without blanks at the ends of lines and without more than one empty line at a time, which CLI11 has from
// 2.5 on.
std::string tidyHelp(const std::string& text);

// An option with a value; an empty one is a mistake (an unset shell variable, mostly), not a wish for the default.
CLI::Option* addText(CLI::App& app, const std::string& names, std::string& variable, const std::string& description);

// Device, validation, how much is said: of every command that opens a device.
void addDeviceOptions(CLI::App& app, Options& options, Raw& raw);
// Which tasks, and in what shape: for the commands that take many, and those that take a small run of one.
void addManyTasks(CLI::App& app, Options& options, Raw& raw);
void addOneTask(CLI::App& app, Options& options, Raw& raw);
// Input, reports and the device. usual: the pattern of an input where none is named.
void addTaskOptions(CLI::App& app, Options& options, Raw& raw, const std::string& usual);
void addTimingOptions(CLI::App& app, Raw& raw);
void addCourseOption(CLI::App& app, Options& options);
void addStrictOption(CLI::App& app, Options& options);
// How something that is no task is run and timed, and on what.
void addRunOptions(CLI::App& app, Options& options, Raw& raw);

}  // namespace a2
