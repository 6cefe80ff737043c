// Single runs that are looked at: dispatch by dispatch, by the caller, or for what their kernels print.
#pragma once

#include "judge/Orders.h"
#include "judge/Steps.h"

namespace a2 {

class SingleRuns {
public:
    SingleRuns(Cases& cases, Orders& orders) : cases_(cases), orders_(orders) {}

    // One small run, shown dispatch by dispatch. If no pattern was asked for and the easy one shows no fault, random
    // values are tried too, and shown if they show one.
    struct Walk {
        std::function<void(const CaseOutcome&, const std::vector<NamedValues>&)> begin;  // with the input
        std::function<void(const StepView&)> show;
        std::optional<std::uint64_t> watchedGroup = {};  // the group whose phases are wanted (StepsSettings)
        bool traces = false;
    };
    // One that passes without elements has started no kernel, and tested nothing: its status is left open, and it is
    // not `single`.
    TaskOutcome steps(const Task& task, const Walk& walk, StepsOutcome& steps);
    // One run. It is passed to `around`, which may have judged it.
    struct OneRun {
        const CaseOutcome& asked;
        const StudentSolution& solution;
        const Expectation& expectation;
        std::function<const Verdict&()> judge;
    };
    TaskOutcome once(const Task& task, const std::function<void(const OneRun&)>& around);
    // Judges a case as it stands by three runs, and walks through one.
    void walkCase(const Task& task, const Pattern& pattern, const Walk& walk, CaseOutcome& outcome,
                  StepsOutcome& steps);
    // Adds to the task's diagnosis, and to what was printed, what a walk through this failure shows.
    void explainSteps(TaskOutcome& outcome, const CaseOutcome& failure);
    // What the kernels of a task that has passed print, if the user asked for that.
    void lookAtPrints(TaskOutcome& outcome, const KernelShape& shape);

private:
    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    Orders& orders_;
};

}  // namespace a2
