// a2 check: the correctness matrix.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"

namespace a2 {

namespace {

void addCheckOptions(CLI::App& app, Options& options, Raw& raw)
{
    addManyTasks(app, options, raw, "auto, many lengths one after the other", "several, and the task's own");
    addCourseOption(app, options);
    addStrictOption(app, options);
    addTaskOptions(app, options, raw, "several, one after the other");
    inGroup(app, whatIsRun);
    addRecordings(app, options);
    addText(app, "--up-to", "N", raw.upTo, "no longer lengths than this one, which is among them unless --course is on",
            "the largest that one binding takes; with --course, the largest that 65535 work-groups of 256 take");
}

ExitStatus checkRows(const Options& options, DeviceChannel& channel)
{
    if (!options.recordOnly.empty()) return recordAhead(options, channel, &Evaluator::recordForCheck);
    TaskCommand command(options, channel);
    command.evaluator().check(command.tasks(), [&](const TaskOutcome& outcome) { command.tell(outcome); });
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::check = {.name = "check",
                                                .description = "right results at many lengths, in many shapes",
                                                .place = 30,
                                                .addOptions = addCheckOptions,
                                                .work = checkRows,
                                                .hasRows = true,
                                                .sharesArrays = true};

}  // namespace a2
