// a2 run: checks and times the tasks.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"

namespace a2 {

namespace {

void addRunCommandOptions(CLI::App& app, Options& options, Raw& raw)
{
    addManyTasks(app, options, raw, usualLength, "the task's own");
    addCourseOption(app, options);
    addStrictOption(app, options);
    addTaskOptions(app, options, raw, "random");
    addTimingOptions(app, raw);
    addPrintOptions(app, options, raw, "of a task that fails in any case, with this option of one that passes, too");
    addText(app, "--group", "G", raw.group, "only what this work-group prints, along x, then y, then z", "all");
    inGroup(app, whatIsRun);
    addRecordings(app, options);
    addFlag(app, "--no-page", options.noPage, "on a terminal, draw no page of what fails first");
    addText(app, "--recording", "FILE", options.recordingFile,
            "judge what `a2 record` wrote, at its length and in its shape", "the solutions");
}

ExitStatus runRows(const Options& options, DeviceChannel& channel)
{
    if (!options.recordingFile.empty()) return judgeRecording(options, channel);
    if (!options.recordOnly.empty()) return recordAhead(options, channel, &Evaluator::recordForRun);
    TaskCommand command(options, channel);
    if (options.verbose || !options.jsonFile().empty()) command.copyPeakGBps();
    std::size_t done = 0;
    for (const Task& task : command.tasks()) {
        if (command.evaluator().deviceFailed()) break;
        command.workingOn(done++);
        command.tell(command.evaluator().run(task));
    }
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::run = {.name = "run",
                                              .description = "check and time the tasks",
                                              .place = 10,
                                              .addOptions = addRunCommandOptions,
                                              .interpret = interpretPrints,
                                              .work = runRows,
                                              .hasRows = true,
                                              .sharesArrays = true};

}  // namespace a2
