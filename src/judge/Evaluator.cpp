#include "judge/Evaluator.h"

#include "judge/Unwritten.h"

namespace a2 {

TaskOutcome Evaluator::run(const Task& task)
{
    TaskOutcome outcome;
    outcome.task = task;
    const KernelShape shape = cases_.shapeOfRun(task);
    orders_.walkOrders(outcome, shape, settings_.size);
    if (orders_.matter(task)) walks_.walkPatterns(outcome, settings_.size);
    if (!outcome.isOver()) checked_.checkQuickSizes(outcome, shape);
    const bool toHere = outcome.cases.empty() || outcome.cases.back().elsewhere == Halt::none;
    if (toHere && settings_.size > 0) {
        walks_.walkShapes(outcome, settings_.size, false);
        walks_.walkPatterns(outcome, settings_.size);
        checked_.checkSmallShapes(outcome, settings_.size);
        walks_.lookAtLongArrays(outcome, settings_.size, false);
    }
    checked_.checkSchedules(outcome, shape, settings_.size);
    const bool goesOn = outcome.cases.empty() ||
                        (outcome.cases.back().status == Status::passed && outcome.cases.back().elsewhere == Halt::none);
    if (goesOn) timed_.checkAndTime(task, shape, outcome);
    if (goesOn) checked_.checkReals(outcome, shape, settings_.size);
    if (goesOn) checked_.checkEqualElements(outcome, shape, settings_.size);
    finish(outcome, true);
    single_.lookAtPrints(outcome, shape);
    lookAtMethod(outcome);
    return outcome;
}

TaskOutcome Evaluator::runOne(const Task& task, const KernelShape& shape)
{
    TaskOutcome outcome;
    outcome.task = task;
    timed_.checkAndTime(task, shape, outcome);
    finish(outcome, true);
    lookAtMethod(outcome);
    return outcome;
}

TaskOutcome Evaluator::steps(const Task& task, const Walk& walk, StepsOutcome& steps)
{
    TaskOutcome outcome = single_.steps(task, walk, steps);
    if (outcome.single) return outcome;
    checked_.checkQuickSizes(outcome, outcome.cases.front().shape);
    finish(outcome, true);
    return outcome;
}

std::vector<TaskOutcome> Evaluator::bench(const std::vector<Task>& tasks, const ShowCase& show,
                                          const std::vector<std::vector<CaseOutcome>>& known)
{
    std::vector<TaskOutcome> outcomes = blankOutcomes(tasks);
    for (std::size_t i = 0; i < known.size() && !cases_.together(); ++i) outcomes[i].cases = known[i];
    timed_.bench(outcomes, show);
    if (cases_.deviceFailed()) std::erase_if(outcomes, [](const TaskOutcome& one) { return !one.deviceFailed(); });
    for (TaskOutcome& outcome : outcomes) finish(outcome, false);
    return outcomes;
}

void Evaluator::finish(TaskOutcome& outcome, bool skipOne)
{
    outcome.status = statusOf(outcome, skipOne);
    if (!findUnwritten(gpu_, outcome) && outcome.status != Status::skipped && outcome.status != Status::passed)
        explainer_.explain(outcome);
}

}  // namespace a2
