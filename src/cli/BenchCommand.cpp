// a2 bench.

#include "cli/Commands.h"
#include "cli/TaskCommand.h"
#include "report/BenchTable.h"

#include <fmt/format.h>

namespace a2 {

ExitStatus benchCommand(const Options& options)
{
    TaskCommand command(options);
    const double peak = command.copyPeakGBps();  // before inputs fill the memory
    if (peak > 0) command.terminal().note(fmt::format("% copy: of the copy kernel's {:.4g} GB/s on this device", peak));
    const unsigned inFlight = options.evaluation.inFlight;
    if (const auto note = chainNote(command.tasks(), inFlight)) command.terminal().note(*note);
    const BenchTable table(command.tasks(), peak, inFlight);
    command.printText(table.head());
    std::string details = table.detailHead(), wholes = table.wholeHead();
    std::vector<std::string> notes;  // told behind the table, which would be hard to read with notes between its rows
    const std::vector<TaskOutcome> outcomes =
        command.evaluator().bench(command.tasks(), [&](const Task& task, const CaseOutcome& one) {
            command.printText(table.row(task, one));
            if (!one.benchmark) return;
            details += table.detailRow(task, *one.benchmark);
            wholes += table.wholeRow(task, *one.benchmark);
            command.noteClock(task.id, one.benchmark->timer);
            if (auto note = fewerNote(task, *one.benchmark, inFlight)) notes.push_back(std::move(*note));
            if (auto note = spreadNote(task, *one.benchmark)) notes.push_back(std::move(*note));
        });
    for (const std::string& note : notes) command.terminal().note(note);
    if (options.verbose) command.printText(fmt::format("\n{}\n{}", details, wholes));
    for (const TaskOutcome& outcome : outcomes)
        if (outcome.status != Status::passed && outcome.status != Status::skipped)
            command.printText(fmt::format("\n{}", outcomeText(outcome, command.style())));
    return command.finish(outcomes);
}

}  // namespace a2
