// a2 run and a2 check.

#include "cli/Commands.h"
#include "cli/TaskCommand.h"

namespace a2 {

ExitStatus runCommand(const Options& options, DeviceChannel& channel)
{
    TaskCommand command(options, channel);
    if (options.verbose || !options.jsonFile.empty()) command.copyPeakGBps();
    for (const Task& task : command.tasks())
        if (!command.evaluator().deviceFailed()) command.tell(command.evaluator().run(task));
    return ExitStatus::passed;
}

ExitStatus checkCommand(const Options& options, DeviceChannel& channel)
{
    TaskCommand command(options, channel);
    command.evaluator().check(command.tasks(), [&](const TaskOutcome& outcome) { command.tell(outcome); });
    return ExitStatus::passed;
}

}  // namespace a2
