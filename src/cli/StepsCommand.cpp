// a2 steps.

#include "cli/Commands.h"
#include "cli/TaskCommand.h"
#include "report/StepsDump.h"
#include "report/StepsText.h"

#include <fmt/format.h>

#include <cstdio>

namespace a2 {

namespace {

// A print that appears at once, behind whatever stands on stderr.
void show(Terminal& terminal, const std::string& text)
{
    terminal.clearProgress();
    fmt::print("{}", text);
    std::fflush(stdout);
}

}  // namespace

ExitStatus stepsCommand(const Options& options)
{
    std::optional<StepsDump> dump;
    if (!options.dumpFolder.empty()) dump.emplace(options.dumpFolder);
    TaskCommand command(options);
    const Task& task = command.tasks().front();
    const ConsoleStyle style = command.style();

    StepsOutcome steps;
    const TaskOutcome outcome =
        command.evaluator().steps(task,
                                  {[&](const CaseOutcome& run, const std::vector<NamedValues>& given) {
                                       show(command.terminal(), stepsHead(task, run, given, style));
                                       if (dump) dump->begin(given);
                                   },
                                   [&](const StepView& view) {
                                       show(command.terminal(), stepText(view, style));
                                       if (dump) dump->add(view);
                                   }},
                                  steps);
    if (options.size == 0) show(command.terminal(), "n = 0: nothing to do, so there is no dispatch\n");
    show(command.terminal(), stepsTail(outcome, steps, style));
    if (dump) dump->commit();
    return command.finish({outcome}, &steps);
}

}  // namespace a2
