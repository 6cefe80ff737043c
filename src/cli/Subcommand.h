// The commands of a2: each is one value, in its own file, with its options and its work. That of an annex is
// NAMECommand, in src/annexes/NAME/, and CMake finds it there.
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
    unsigned place = 0;       // in that list: smaller numbers come first
    // Declares the command's options. Null: it has none.
    void (*addOptions)(CLI::App& app, Options& options, Raw& raw) = nullptr;
    // Checks what was typed, after the options that commands share. Throws UsageError. Null: nothing more to check.
    void (*interpret)(const Raw& raw, Options& options) = nullptr;
    // Runs in the process that works the device. A command with rows reports them to `channel`; the exit status is that
    // of commands without rows.
    ExitStatus (*work)(const Options& options, DeviceChannel& channel) = nullptr;
    // Used instead by a command that needs no device.
    ExitStatus (*workHere)(const Options& options) = nullptr;

    bool hasRows = false;             // has a verdict for each row
    bool takesOneTask = false;        // and no globs
    bool smallRun = false;            // without a given length and shape: so small that a tree fits the screen
    bool usualSeed = false;           // its input is always the same, unless a seed is given
    bool comparesBandwidths = false;  // of arrays of many lengths, with that of one copy kernel
    bool sharesArrays = false;        // between ranks, if a launcher of MPI has started several
    bool unconfined = false;          // the device's process may do all that the user may
    // Why it makes no sense on an emulated device with these options; null if it does. Null: it always does.
    const char* (*refusesEmulator)(const Options& options) = nullptr;

    static const Subcommand run, check, bench, steps, record, doctor, list, explain;
};

// In the order of the help text.
const std::vector<const Subcommand*>& allSubcommands();
// Those of src/annexes/, which CMake lists.
std::span<const Subcommand* const> annexCommands();

// Implements `a2 run --recording` (RecordCommand.cpp).
ExitStatus judgeRecording(const Options& options, DeviceChannel& channel);
// Implements --record-only (RecordCommand.cpp), with Evaluator::recordForCheck or recordForRun.
using RecordAll = void (Evaluator::*)(const std::vector<Task>& tasks, const std::function<bool(const Task&)>& room);
ExitStatus recordAhead(const Options& options, DeviceChannel& channel, RecordAll recordAll);

}  // namespace a2
