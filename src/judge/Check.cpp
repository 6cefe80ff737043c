// Evaluator::check: the correctness matrix.

#include "judge/CheckPlan.h"
#include "judge/Evaluator.h"
#include "judge/PromisedLimits.h"
#include "judge/RealSums.h"
#include "judge/WorkProgress.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

// Of a whole check only, and not of a course's own: all its devices may have more.
void Evaluator::noteBeyondPromises(TaskOutcome& outcome)
{
    const bool chosen = settings_.onlySize || settings_.pattern || settings_.workGroup || settings_.elements;
    if (chosen || settings_.course || outcome.isOver() || outcome.cases.empty()) return;
    CaseOutcome ignored;
    cases_.guarded(ignored, [&] {
        for (Finding& one : beyondPromisedLimits(gpu_, outcome.task))
            outcome.cases.back().findings.push_back(std::move(one));
    });
}

std::vector<TaskOutcome> Evaluator::check(const std::vector<Task>& tasks, const ShowOutcome& show)
{
    const std::vector<CheckRound> rounds = planCheck(cases_, tasks);
    std::vector<TaskOutcome> outcomes = blankOutcomes(tasks);
    const std::uint64_t longest = longestChecked(settings_);
    WorkProgress progress;
    for (const CheckRound& round : rounds)
        for (const auto& ofRow : round.cases) progress.expect(round.n, ofRow.size());
    std::size_t rowsDone = 0;
    const auto conclude = [&](TaskOutcome& outcome) {
        finish(outcome, false);
        lookAtMethod(outcome);
        ++rowsDone;
        if (show) show(outcome);
    };
    const auto checkRow = [&](TaskOutcome& outcome, const Pattern& pattern, const std::vector<CaseOutcome>& cases,
                              KeptInput& shared) {
        for (const CaseOutcome& one : cases) {
            if (cases_.deviceFailed()) return;
            if (!outcome.isOver()) {
                cases_.progress(
                    fmt::format("checking: {} of {} rows done, {}", rowsDone, tasks.size(), progress.text()));
                outcome.cases.push_back(one.status == Status::passed
                                            ? checked_.check(outcome.task, pattern, one.n, one.shape, shared, one.limit)
                                            : one);
            }
            progress.done(one.n, 1);
        }
    };
    for (TaskOutcome& outcome : outcomes) {
        KernelShape shape = cases_.shapeOfRun(outcome.task);
        orders_.walkOrders(outcome, shape, longest);
        // What a work-group does for another one may be wrong in exclusive scans alone.
        if (outcome.task.taskClass->hasExclusive && !settings_.course && !std::exchange(shape.exclusive, true) &&
            orders_.matter(outcome.task) && !outcome.isOver())
            orders_.walkOrders(outcome, shape, longest);
        // An invocation that waits without an end takes very long on the device.
        if (orders_.matter(outcome.task)) walks_.walkPatterns(outcome, longest);
        if (outcome.isOver()) conclude(outcome);
    }
    for (const CheckRound& round : rounds) {
        std::vector<TaskOutcome*> failedNow;
        {
            KeptInput shared;  // one input and one upload for all tasks and work-groups
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                const bool over = outcomes[i].isOver();
                checkRow(outcomes[i], round.pattern, round.cases[i], shared);
                if (!over && outcomes[i].isOver()) failedNow.push_back(&outcomes[i]);
            }
        }
        for (TaskOutcome* outcome : failedNow) conclude(*outcome);
    }
    if (cases_.deviceFailed()) std::erase_if(outcomes, [](const TaskOutcome& one) { return !one.isOver(); });
    for (TaskOutcome& outcome : outcomes) {
        if (outcome.isOver()) continue;
        walks_.walkShapes(outcome, longest, true);
        walks_.walkPatterns(outcome, longest);
        checked_.checkSmallShapes(outcome, longest);
        walks_.lookAtLongArrays(outcome, longest, true);
        checked_.checkSchedules(outcome, cases_.shapeOfRun(outcome.task), longest);
        checked_.checkReals(outcome, cases_.shapeOfRun(outcome.task), std::min(longest, longestRounded));
        checked_.checkEqualElements(outcome, cases_.shapeOfRun(outcome.task), longestInMatrix(gpu_, settings_));
        noteBeyondPromises(outcome);
        if (!cases_.deviceFailed()) conclude(outcome);
    }
    return outcomes;
}

}  // namespace a2
