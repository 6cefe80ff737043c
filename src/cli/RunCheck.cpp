// a2 run and a2 check.

#include "cli/Commands.h"
#include "cli/TaskCommand.h"

namespace a2 {

ExitStatus runCommand(const Options& options)
{
    TaskCommand command(options);
    std::vector<TaskOutcome> outcomes;
    for (const Task& task : command.tasks()) {
        outcomes.push_back(command.evaluator().run(task));
        command.print(outcomes.back());
    }
    return command.finish(outcomes);
}

ExitStatus checkCommand(const Options& options)
{
    TaskCommand command(options);
    const std::vector<TaskOutcome> outcomes = command.evaluator().check(command.tasks());
    for (const TaskOutcome& outcome : outcomes) command.print(outcome);
    return command.finish(outcomes);
}

}  // namespace a2
