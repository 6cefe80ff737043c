// What the commands that take tasks have in common: output files, the device and what is said about it, reports, exit
// status.
#pragma once

#include "a2/Error.h"
#include "cli/Options.h"
#include "cli/Terminal.h"
#include "report/Console.h"
#include "report/OutputFile.h"
#include "report/Report.h"
#include "worker/Worker.h"

#include <memory>
#include <optional>
#include <vector>

namespace a2 {

// Says so where the time of `what` is not of the clock that was asked for.
void noteClock(Terminal& terminal, const std::string& what, Timer asked, Timer used);

class TaskCommand {
public:
    // Opens output files and the device; tells the user which, and why. Throws Error.
    explicit TaskCommand(const Options& options);

    Device& gpu() { return *gpu_; }
    Terminal& terminal() { return terminal_; }
    const std::vector<Task>& tasks() const { return tasks_; }
    Evaluator& evaluator() { return *evaluator_; }

    ConsoleStyle style() const;
    // Says so where the time of `what` is not of the clock that was asked for.
    void noteClock(const std::string& what, Timer used) { a2::noteClock(terminal_, what, asked(), used); }
    // The evaluator's copyPeakGBps(); says so where there is something to say about it.
    double copyPeakGBps();

    // Prints one task's lines.
    void print(const TaskOutcome& outcome);
    // Prints only why it did not pass, and the verdict.
    void printVerdict(const TaskOutcome& outcome);
    // Prints text at once, behind whatever stands on stderr.
    void printText(const std::string& text);
    // Writes the reports and returns the exit status.
    ExitStatus finish(const std::vector<TaskOutcome>& outcomes, const StepsOutcome* steps = nullptr);

private:
    void openOutputs();
    Timer asked() const { return options_.evaluation.timer; }

    const Options& options_;
    Terminal terminal_;
    std::vector<Task> tasks_;
    std::optional<OutputFile> json_, csv_, junit_;
    std::unique_ptr<Worker> worker_;  // whom the device asks
    OpenDevice gpu_;
    std::unique_ptr<Evaluator> evaluator_;
    bool copyRemarked_ = false;
};

// The process that the solutions' code runs in; what they print becomes notes of the terminal, which must outlive it.
std::unique_ptr<Worker> openWorker(Terminal& terminal);
// The same options; recordings come from the worker, and what the kernels' sources have to say becomes notes of the
// terminal. Both must outlive the device.
GpuOptions withHelpOf(Terminal& terminal, Worker& worker, GpuOptions options);

// Tells which device was chosen, and why, and what is missing on it; proves that validation is on where it was asked
// for.
void announceDevice(Device& gpu, Terminal& terminal, Timer timer);

// The exit status that outcomes add up to.
ExitStatus exitStatus(const std::vector<TaskOutcome>& outcomes);

// Elements of a run for which the user named no number: 2^27, less on a CPU.
std::uint64_t defaultSize(const Device& gpu);

}  // namespace a2
