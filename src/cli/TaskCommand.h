// The common part of the commands that take tasks, in the process that works the device: the device, the notes on it,
// and the evaluator.
#pragma once

#include "a2/Error.h"
#include "base/Clock.h"
#include "cli/DeviceChannel.h"
#include "cli/Options.h"
#include "cli/Terminal.h"
#include "judge/Evaluator.h"
#include "recording/RecordingBook.h"
#include "report/Console.h"
#include "report/Report.h"
#include "worker/Worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace a2 {

// Adds a note if the time of `what` is not by the clock that was asked for.
void noteClock(Terminal& terminal, const std::string& what, Timer asked, Timer used);

// The user's choice, adapted to the stdout at hand.
ConsoleStyle consoleStyle(const Options& options);

// Answers requests for recordings.
using RecordBy = std::function<RecordAnswer(const RecordRequest&)>;

class TaskCommand {
public:
    // Opens the device; tells the user which one, and why. Throws Error.
    TaskCommand(const Options& options, DeviceChannel& channel);

    Device& gpu() { return *gpu_; }
    Terminal& terminal() { return terminal_; }
    // With --record-only, those made so far; with --recordings, those that are judged.
    const RecordingBook& recordings() const { return book_; }
    // Tasks that have no verdict yet.
    const std::vector<Task>& tasks() const { return tasks_; }
    Evaluator& evaluator() { return *evaluator_; }

    ConsoleStyle style() const { return consoleStyle(options_); }
    // Adds a note if the time of `what` is not by the clock that was asked for.
    void noteClock(const std::string& what, Timer used) { a2::noteClock(terminal_, what, asked(), used); }
    // The evaluator's copyPeakGBps(), also sent to the reports; adds a note if there is a remark on it.
    double copyPeakGBps();

    // For the progress line from now on: how many of the tasks are done.
    void workingOn(std::size_t tasksDone);

    // Prints text at once, after the text that is on stderr.
    void printText(const std::string& text) { terminal_.print(text); }
    // Sends a case of a2 bench, and a row's outcome, to be shown and reported.
    void tell(const Task& task, const CaseOutcome& one);
    void tell(const TaskOutcome& outcome);

private:
    Timer asked() const { return options_.evaluation.timer; }

    const Options& options_;
    DeviceChannel& channel_;
    Terminal terminal_;
    std::vector<Task> tasks_;
    RecordBy recorder();

    RecordingBook book_;
    std::unique_ptr<Worker> worker_;  // the device asks it; null with --in-process and --recordings
    OpenDevice gpu_;
    std::unique_ptr<Evaluator> evaluator_;
    bool peakTold_ = false;
    std::string progressHead_;  // "task 3 of 9, about 12 s left: "
    Clock::time_point start_ = Clock::now();
};

// The process in which the solutions' code runs, with the library and in the jail that the options name. Its output
// becomes notes of the terminal, which must outlive it.
std::unique_ptr<Worker> openWorker(Terminal& terminal, const Options& options);
// The same options; recordings come from `record`, and remarks on the kernels' sources become notes of the terminal.
// The terminal and the channel must outlive the device.
GpuOptions withHelpOf(Terminal& terminal, RecordBy record, DeviceChannel& channel, const Options& options);

// Reports which device was chosen, and why, and what it lacks; proves that validation is on if it was asked for.
void announceDevice(Device& gpu, Terminal& terminal, Timer timer);

// Adds a note if this many ranks of this machine have fewer devices.
void noteSharedDevices(const Device& gpu, unsigned ranksOnHost, Terminal& terminal);

// The file that --output names; otherwise, for reduce/sequential and "rdc", a2-reduce-sequential-n16.rdc.
std::string outputFileOf(const Options& options, const Task& task, const char* extension);

// Elements of a run for which the user gave no number: 2^27, less on a CPU, and few on an emulated device.
std::uint64_t defaultSize(const Device& gpu);

}  // namespace a2
