// a2 bench.

#include "cli/Commands.h"
#include "cli/TaskCommand.h"

namespace a2 {

ExitStatus benchCommand(const Options& options, DeviceChannel& channel)
{
    TaskCommand command(options, channel);
    Evaluator& evaluator = command.evaluator();
    command.copyPeakGBps();  // before inputs fill the memory
    if (evaluator.deviceFailed()) return ExitStatus::device;
    std::vector<std::vector<CaseOutcome>> known;
    for (const TaskOutcome& row : channel.request().rows) known.push_back(row.cases);
    const auto show = [&](const Task& task, const CaseOutcome& one) { command.tell(task, one); };
    for (const TaskOutcome& outcome : evaluator.bench(command.tasks(), show, known)) command.tell(outcome);
    return ExitStatus::passed;
}

}  // namespace a2
