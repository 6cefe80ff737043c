// a2 check: the correctness matrix.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"

namespace a2 {

namespace {

void addCheckOptions(CLI::App& app, Options& options, Raw& raw)
{
    addManyTasks(app, options, raw);
    addCourseOption(app, options);
    addStrictOption(app, options);
    addTaskOptions(app, options, raw, "several, one after the other");
    addText(app, "--up-to", raw.upTo, "only lengths up to this one");
}

ExitStatus checkRows(const Options& options, DeviceChannel& channel)
{
    TaskCommand command(options, channel);
    command.evaluator().check(command.tasks(), [&](const TaskOutcome& outcome) { command.tell(outcome); });
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::check = {
    .name = "check",
    .description = "correctness matrix: sizes x patterns x work-group sizes; no timing",
    .addOptions = addCheckOptions,
    .work = checkRows,
    .hasRows = true};

}  // namespace a2
