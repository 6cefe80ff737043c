// Why a task fails: the smallest run that fails, what is wrong there, and what the failure depends on.
#pragma once

#include "judge/SingleRuns.h"
#include "judge/TimedCases.h"

namespace a2 {

class Explainer {
public:
    // timed: its input makes room for the runs of an explanation.
    Explainer(Cases& cases, SingleRuns& single, TimedCases& timed) : cases_(cases), single_(single), timed_(timed) {}

    // Explains the first failure of a task, if the device still works.
    void explain(TaskOutcome& outcome);

private:
    // Judges a case as it stands, by one run or by three.
    void judgeAgain(const Task& task, CaseOutcome& one, bool threeRuns = false);
    bool showsAgain(const Task& task, const CaseOutcome& failure, CaseOutcome& tried);
    CaseOutcome searchSmallest(const Task& task, const CaseOutcome& failure);
    bool passesAlone(const Task& task, const CaseOutcome& failure);
    std::uint32_t rightSubgroups(const Task& task, const CaseOutcome& failure);
    bool passesCourse(const Task& task);
    std::optional<Contributions> searchContributions(const Task& task, const CaseOutcome& failure);

    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    SingleRuns& single_;
    TimedCases& timed_;
};

}  // namespace a2
