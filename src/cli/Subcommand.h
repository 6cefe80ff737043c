// The commands of a2: each is one value, in a file of its own, with its options and what it does. That of an annex is
// NAMECommand, in src/annexes/NAME/, and found because it is there.
#pragma once

#include "a2/Error.h"

#include <functional>
#include <span>
#include <vector>

namespace CLI {
class App;
}

namespace a2 {

class DeviceChannel;
class Evaluator;
struct Task;
struct Options;
struct Raw;

struct Subcommand {
    const char* name;
    const char* description;  // of 50 columns at most, for the list of commands
    unsigned place = 0;       // in that list: those with less stand before it
    // Tells the command line what may be typed. Null: no options.
    void (*addOptions)(CLI::App& app, Options& options, Raw& raw) = nullptr;
    // What was typed, checked; after the options that commands share. Throws UsageError. Null: nothing more.
    void (*interpret)(const Raw& raw, Options& options) = nullptr;
    // In the process that works the device. What has rows tells `channel` of them, and the exit status is that of the
    // others.
    ExitStatus (*work)(const Options& options, DeviceChannel& channel) = nullptr;
    // Instead, of a command that needs no device.
    ExitStatus (*workHere)(const Options& options) = nullptr;

    bool hasRows = false;             // has a verdict for each row
    bool takesOneTask = false;        // and no globs
    bool smallRun = false;            // unless a length and a shape are named: so small that a tree fits the screen
    bool usualSeed = false;           // its input is the same each time, unless a seed is named
    bool comparesBandwidths = false;  // of arrays of many lengths, with one copy kernel's
    bool sharesArrays = false;        // between ranks, where a launcher of MPI has started several
    bool unconfined = false;          // the device's process may do what the user may
    // Why it makes no sense on an emulated device as these options have it; null where it does. Null: it always does.
    const char* (*refusesEmulator)(const Options& options) = nullptr;

    static const Subcommand run, check, bench, steps, record, doctor, list, explain;
};

// In the order of the help text.
const std::vector<const Subcommand*>& allSubcommands();
// Those of src/annexes/, which CMake lists.
std::span<const Subcommand* const> annexCommands();

// What `a2 run --recording` does (RecordCommand.cpp).
ExitStatus judgeRecording(const Options& options, DeviceChannel& channel);
// What --record-only does (RecordCommand.cpp), with Evaluator::recordForCheck or recordForRun.
using RecordAll = void (Evaluator::*)(const std::vector<Task>& tasks, const std::function<bool(const Task&)>& room);
ExitStatus recordAhead(const Options& options, DeviceChannel& channel, RecordAll recordAll);

}  // namespace a2
