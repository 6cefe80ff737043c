// What the commands that take tasks have in common in the process that works the device: it, what is said about it, and
// the evaluator.
#pragma once

#include "a2/Error.h"
#include "base/Clock.h"
#include "cli/DeviceChannel.h"
#include "cli/Options.h"
#include "cli/Terminal.h"
#include "recording/RecordingBook.h"
#include "report/Console.h"
#include "report/Report.h"
#include "worker/Worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace a2 {

// Says so where the time of `what` is not of the clock that was asked for.
void noteClock(Terminal& terminal, const std::string& what, Timer asked, Timer used);

// As the user wants it, for the stdout at hand.
ConsoleStyle consoleStyle(const Options& options);

// Somebody who answers requests for recordings.
using RecordBy = std::function<RecordAnswer(const RecordRequest&)>;

class TaskCommand {
public:
    // Opens the device; tells the user which, and why. Throws Error.
    TaskCommand(const Options& options, DeviceChannel& channel);

    Device& gpu() { return *gpu_; }
    Terminal& terminal() { return terminal_; }
    // Of --record-only, those made so far; of --recordings, those that are judged.
    const RecordingBook& recordings() const { return book_; }
    // Those that have no verdict yet.
    const std::vector<Task>& tasks() const { return tasks_; }
    Evaluator& evaluator() { return *evaluator_; }

    ConsoleStyle style() const { return consoleStyle(options_); }
    // Says so where the time of `what` is not of the clock that was asked for.
    void noteClock(const std::string& what, Timer used) { a2::noteClock(terminal_, what, asked(), used); }
    // The evaluator's copyPeakGBps(), for the reports, too; says so where there is something to say about it.
    double copyPeakGBps();

    // For the line of progress, from here on: so many of the tasks are done.
    void workingOn(std::size_t tasksDone);

    // Prints text at once, after whatever stands on stderr.
    void printText(const std::string& text) { terminal_.print(text); }
    // A case of a2 bench, and a row's outcome, for who shows and reports them.
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
    std::unique_ptr<Worker> worker_;  // whom the device asks; null with --in-process and --recordings
    OpenDevice gpu_;
    std::unique_ptr<Evaluator> evaluator_;
    bool peakTold_ = false;
    std::string progressHead_;  // "task 3 of 9, about 12 s left: "
    Clock::time_point start_ = Clock::now();
};

// The process that the solutions' code runs in, of the library and in the jail that the options name; what they print
// becomes notes of the terminal, which must outlive it.
std::unique_ptr<Worker> openWorker(Terminal& terminal, const Options& options);
// The same options; recordings come from `record`, and what the kernels' sources have to say becomes notes of the
// terminal. It and the channel must outlive the device.
GpuOptions withHelpOf(Terminal& terminal, RecordBy record, DeviceChannel& channel, const Options& options);

// Tells which device was chosen, and why, and what is missing on it; proves that validation is on where it was asked
// for.
void announceDevice(Device& gpu, Terminal& terminal, Timer timer);

// Says so where so many ranks of this machine have fewer devices.
void noteSharedDevices(const Device& gpu, unsigned ranksOnHost, Terminal& terminal);

// What --output names; else, of reduce/sequential and "rdc", a2-reduce-sequential-n16.rdc.
std::string outputFileOf(const Options& options, const Task& task, const char* extension);

// Elements of a run for which the user named no number: 2^27, less on a CPU, and few where it is emulated.
std::uint64_t defaultSize(const Device& gpu);

}  // namespace a2
