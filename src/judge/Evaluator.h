// Runs tasks: checks and times them (run), takes them through the correctness matrix (check), or times them (bench).
#pragma once

#include "judge/Explainer.h"
#include "judge/RecordAhead.h"

#include <functional>
#include <optional>

namespace a2 {

class Evaluator {
public:
    Evaluator(Device& gpu, EvaluationSettings settings, Progress progress, Begin begin = {})
        : cases_(gpu, std::move(settings), std::move(progress), std::move(begin))
    {
    }

    // Checks and times one task; an emulated device is not timed. Never throws for faults of the task or for needs that
    // exceed the device. After a time-out or a lost device (deviceFailed()) neither this nor any function below may be
    // called.
    TaskOutcome run(const Task& task);
    // The same, only at the settings' length and in this shape.
    TaskOutcome runOne(const Task& task, const KernelShape& shape);
    // As in SingleRuns.h; a run of no elements is followed by short ones.
    using Walk = SingleRuns::Walk;
    TaskOutcome steps(const Task& task, const Walk& walk, StepsOutcome& steps);
    using OneRun = SingleRuns::OneRun;
    TaskOutcome once(const Task& task, const std::function<void(const OneRun&)>& around)
    {
        return single_.once(task, around);
    }
    // The correctness matrix, all tasks side by side, so that each input is made and uploaded once. A task ends at its
    // first failure. `show` is called as soon as a task's verdict is known. If the device fails, the tasks that have no
    // verdict yet are left out.
    using ShowOutcome = std::function<void(const TaskOutcome&)>;
    std::vector<TaskOutcome> check(const std::vector<Task>& tasks, const ShowOutcome& show = {});
    // Times each task at each length and work-group size of the settings, length by length, so that each input is made
    // and uploaded once. `show` is called after each case. If the device fails, returns only the outcome of the task
    // over which it failed. known: for each task the cases that an earlier call has shown; they are not run again.
    using ShowCase = TimedCases::ShowCase;
    std::vector<TaskOutcome> bench(const std::vector<Task>& tasks, const ShowCase& show,
                                   const std::vector<std::vector<CaseOutcome>>& known = {});

    // Records everything that check() or run() may need for these tasks, and runs nothing on the device
    // (RecordAhead.h).
    using Room = RecordAhead::Room;
    void recordForCheck(const std::vector<Task>& tasks, const Room& room) { ahead_.forCheck(tasks, room); }
    void recordForRun(const std::vector<Task>& tasks, const Room& room) { ahead_.forRun(tasks, room); }

    // From here on, a case covers this rank's part of the array, and all ranks run the same cases.
    void shareWith(Together others) { cases_.shareWith(std::move(others)); }

    bool deviceFailed() const { return cases_.deviceFailed(); }
    // The shape for a task: its default or the user's choice, with fewer elements if its tile would not fit.
    KernelShape shapeOf(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup) const
    {
        return cases_.shapeOf(task, n, workGroup);
    }
    // GB/s of the copy kernel, and a remark on it (TimedCases.h).
    double copyPeakGBps() { return timed_.copyPeakGBps(); }
    const std::string& copyRemark() const { return timed_.copyRemark(); }

private:
    // The task's status from its cases (statusOf), and the explanation of a failure.
    void finish(TaskOutcome& outcome, bool skipOne);
    // For a finished task that has passed: looks at one of its cases; unmet criteria are added to that case's findings.
    // With --strict they fail the task, as does a case that was not walked.
    void noteBeyondPromises(TaskOutcome& outcome);
    void lookAtMethod(TaskOutcome& outcome);

    Cases cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    Orders orders_{cases_};
    HostWalks walks_{cases_};
    PartCases parts_{cases_};
    CheckedCases checked_{cases_, orders_, walks_, parts_};
    TimedCases timed_{cases_, orders_, parts_, checked_};
    SingleRuns single_{cases_, orders_};
    Explainer explainer_{cases_, single_, timed_};
    RecordAhead ahead_{cases_, orders_, walks_, checked_};
};

}  // namespace a2
