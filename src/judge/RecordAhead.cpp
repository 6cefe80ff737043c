#include "judge/RecordAhead.h"

#include "judge/CheckPlan.h"
#include "judge/Diagnosis.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/PromisedLimits.h"
#include "judge/RealSums.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"

#include <set>
#include <tuple>

namespace a2 {

namespace {

// One task's recordings, each once.
class TaskAhead {
public:
    TaskAhead(Device& gpu, const Task& task, const EvaluationSettings& settings, const RecordAhead::Room& room)
        : gpu_(gpu), task_(task), settings_(settings), room_(room)
    {
    }

    // The recordings for judging a run: its own, and those of other lengths that are looked at as well. Returns whether
    // to go on.
    bool judged(std::uint64_t n, const KernelShape& shape, const std::optional<LowerLimits>& limit)
    {
        if (n == 0) return true;  // no solution is asked
        if (!goesOn()) return false;
        over_ = !record(n, shape, limit);
        also(n <= largestOnHost ? lengthOfMoreGroups(n, shape) : largestOnHost, shape, limit);
        if (n > longestApart) also(longestApart, shape, limit);
        also(lengthOfManyTiles(n, shape), shape, limit);
        const KernelShape other = shapeOfOtherGroups(shape);
        also(lengthOfManyTiles(1, other), other, limit);
        also(lengthOfFewTiles(other), other, limit);
        return goesOn();
    }

    // Host code that does not keep to lowered limits is not asked for more.
    void judged(const std::vector<WalkedRun>& runs, const std::optional<LowerLimits>& limit)
    {
        for (const WalkedRun& one : runs) {
            if (!goesOn()) return;
            if (!one.limit || record(one.n, one.shape, one.limit))
                judged(one.n, one.shape, one.limit ? one.limit : limit);
        }
    }

    // Runs that are only walked on the host, or only recorded.
    void walked(const std::vector<WalkedRun>& runs, const std::optional<LowerLimits>& limit)
    {
        for (const WalkedRun& one : runs) {
            if (!goesOn()) return;
            if (!one.limit) {
                if (!record(one.n, one.shape, limit)) return;
                recordAligned(one);
            } else if (record(one.n, one.shape, one.limit)) {
                recordToWalk(one);
                recordAligned(one);
            }
        }
    }

    // The recordings for judging other orders of work-groups.
    void scheduled(std::uint64_t n, const KernelShape& shape) { also(n, shape, settings_.lowerLimits); }

    // The recordings for a device of no more than what Vulkan promises.
    void promised()
    {
        if (!goesOn() || !besides_) return;
        try {
            beyondPromisedLimits(gpu_, task_);
        } catch (const LimitError&) {
        } catch (const KernelError&) {
            besides_ = false;
        }
    }

    // The recordings for explaining a failure of one of these.
    void explained()
    {
        std::set<KernelShape> shapes;
        std::uint64_t longest = 0;
        for (const auto& [n, shape, limit] : asked_) {
            longest = std::max(longest, n);
            for (const KernelShape& smaller : smallerShapes(task_, shape, settings_.course)) {
                shapes.insert(smaller);  // the smallest is first
                break;
            }
        }
        for (const KernelShape& shape : shapes)
            for (const std::uint64_t n : smallLengths(longest))
                if (!judged(n, shape, settings_.lowerLimits)) return;
        if (settings_.course || !task_.byDefault) return;
        for (const std::uint64_t n : courseLengths)
            if (!judged(n, courseShape, {})) return;
    }

private:
    bool goesOn() const { return !over_ && !deadline_.passed() && room_(task_); }

    void also(std::uint64_t n, const KernelShape& shape, const std::optional<LowerLimits>& limit)
    {
        // A failure of an additional recording is no failure of the task, and is not asked for again: it may have taken
        // long.
        if (goesOn() && besides_) besides_ = record(n, shape, limit);
    }

    // For a device that asks for the largest alignment, if this one's lets buffers be bound elsewhere.
    void recordAligned(const WalkedRun& run)
    {
        const WithLowerLimits limited(gpu_, run.limit);
        try {
            beyondLargestAlignment(gpu_, task_, recordingOf(gpu_, task_, run.shape, run.n), run);
        } catch (const LimitError&) {
        } catch (const KernelError&) {
        }
    }

    // The recordings for deciding how a run is walked.
    void recordToWalk(const WalkedRun& run)
    {
        try {
            runToWalk(gpu_, task_, run);
        } catch (const LimitError&) {
        } catch (const KernelError&) {
        }
    }

    // False: the solution failed.
    bool record(std::uint64_t n, const KernelShape& shape, const std::optional<LowerLimits>& limit)
    {
        if (!asked_.insert({n, shape, limit}).second) return true;
        const WithLowerLimits limited(gpu_, limit);
        try {
            recordingOf(gpu_, task_, shape, n);
        } catch (const LimitError&) {  // it is skipped when it is judged, too
        } catch (const KernelError&) {
            return false;
        }
        return true;
    }

    Device& gpu_;
    const Task& task_;
    const EvaluationSettings& settings_;
    const RecordAhead::Room& room_;
    Deadline deadline_{RecordAhead::mostSeconds};
    bool over_ = false, besides_ = true;
    std::set<std::tuple<std::uint64_t, KernelShape, std::optional<LowerLimits>>> asked_;
};

}  // namespace

void RecordAhead::forCheck(const std::vector<Task>& tasks, const Room& room)
{
    const std::vector<CheckRound> rounds = planCheck(cases_, tasks);
    const std::uint64_t longest = longestChecked(settings_);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        cases_.progress("recording " + tasks[i].id);
        TaskAhead ahead(gpu_, tasks[i], settings_, room);
        bool goesOn = true;
        for (const CheckRound& round : rounds)
            for (const CaseOutcome& one : round.cases[i]) {
                if (one.status == Status::skipped) continue;
                goesOn = goesOn && one.status == Status::passed && ahead.judged(one.n, one.shape, one.limit);
            }
        if (!goesOn) continue;
        walks_.eachRun(tasks[i], longest, true,
                       [&](const auto& runs, const auto& limit) { ahead.walked(runs, limit); });
        ahead.judged(checked_.smallShapes(tasks[i], longest), settings_.lowerLimits);
        const KernelShape own = cases_.shapeOfRun(tasks[i]);
        for (auto [n, shape] : {orders_.scheduled(tasks[i], own), orders_.ofLosses(tasks[i], own)}) {
            ahead.scheduled(n, shape);
            if (settings_.course || !tasks[i].taskClass->hasExclusive) continue;
            shape.exclusive = true;
            ahead.scheduled(n, shape);
        }
        if (!settings_.course) ahead.promised();
        ahead.judged(checked_.runsOfReals(tasks[i], cases_.shapeOfRun(tasks[i]), std::min(longest, longestRounded)),
                     settings_.lowerLimits);
        ahead.judged(checked_.lengthOfEqualElements(tasks[i], longestInMatrix(gpu_, settings_)),
                     cases_.shapeOfRun(tasks[i]), settings_.lowerLimits);
        ahead.explained();
    }
}

void RecordAhead::forRun(const std::vector<Task>& tasks, const Room& room)
{
    for (const Task& task : tasks) {
        cases_.progress("recording " + task.id);
        TaskAhead ahead(gpu_, task, settings_, room);
        const KernelShape shape = cases_.shapeOfRun(task);
        bool goesOn = true;
        for (const std::uint64_t n : quickSizes(settings_.size, settings_.course))
            goesOn = goesOn && ahead.judged(n, shape, settings_.lowerLimits);
        if (!goesOn) continue;
        walks_.eachRun(task, settings_.size, false,
                       [&](const auto& runs, const auto& limit) { ahead.walked(runs, limit); });
        ahead.judged(checked_.smallShapes(task, settings_.size), settings_.lowerLimits);
        for (const auto& [length, small] : {orders_.scheduled(task, shape), orders_.ofLosses(task, shape)})
            ahead.scheduled(length, small);
        if (!ahead.judged(settings_.size, shape, settings_.lowerLimits)) continue;
        ahead.judged(checked_.runsOfReals(task, shape, settings_.size), settings_.lowerLimits);
        ahead.judged(checked_.lengthOfEqualElements(task, settings_.size), shape, settings_.lowerLimits);
        ahead.explained();
    }
}

}  // namespace a2
