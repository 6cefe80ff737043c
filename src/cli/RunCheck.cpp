// a2 run and a2 check.

#include "cli/Commands.h"
#include "cli/Session.h"

namespace a2 {

ExitStatus runCommand(const Options& options)
{
    Session session(options);
    std::vector<TaskOutcome> outcomes;
    for (const Task& task : session.tasks()) {
        if (session.evaluator().deviceFailed()) {
            outcomes.push_back({task, Status::skipped, {}, {}, {"not run: the device failed before"}});
        } else {
            outcomes.push_back(session.evaluator().run(task));
        }
        session.print(outcomes.back());
    }
    return session.finish(outcomes);
}

ExitStatus checkCommand(const Options& options)
{
    Session session(options);
    const std::vector<TaskOutcome> outcomes = session.evaluator().check(session.tasks());
    for (const TaskOutcome& outcome : outcomes) session.print(outcome);
    return session.finish(outcomes);
}

}  // namespace a2
