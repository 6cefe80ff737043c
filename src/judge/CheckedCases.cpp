#include "judge/CheckedCases.h"

#include "gpu/Device.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/RealSums.h"
#include "judge/ShapeWalk.h"
#include "judge/Steps.h"

#include <fmt/format.h>

#include <set>

namespace a2 {

namespace {

// Instructions of a task's walks on the host. The course's own rows take less than a tenth of it in a check.
constexpr std::uint64_t mostWalkEffort = std::uint64_t{1} << 33;

// A solution may recognise an input by its first elements and know its sums: run it once more with some elements
// changed.
void judgeChanged(Trial& trial, CaseOutcome& outcome)
{
    const Verdict changed = trial.repetition(Timer::gpu).verdict;
    if (changed.passed()) return;
    judge(outcome, changed);
    outcome.findings.push_back(
        {"",
         fmt::format(
             "right for the pattern {} itself, and wrong after up to {} of its elements were changed at random, "
             "as `a2 check` does each time",
             outcome.pattern, InputChanges::most),
         {},
         Severity::note});
}

// Finds what only shows between dispatches. The input is random, so that every write changes something.
void lookAtSteps(Device& gpu, const Task& task, const Expectation& expectation, Trial& trial, CaseOutcome& outcome)
{
    for (Finding& finding : walkSteps(gpu, trial, task, expectation, {}).findings)
        outcome.findings.push_back(std::move(finding));
    if (anyFails(outcome.findings)) outcome.status = Status::failed;
}

}  // namespace

CaseOutcome CheckedCases::check(const Task& task, const Pattern& pattern, std::uint64_t n, const KernelShape& shape,
                                KeptInput& shared, const std::optional<LowerLimits>& limit)
{
    CaseOutcome outcome = cases_.blank(pattern, n, shape);
    outcome.limit = limit;
    if (n == 0) return outcome;  // the sum of nothing is 0, its scan is empty: no device runs, and nothing is shown
    const auto isThrice = [&] {
        return n <= mediumSize || (n <= longSize && pattern.text() == "random" && cases_.hasOwnWorkGroup(task, shape));
    };
    if (cases_.together())
        return parts_.run(task, outcome, pattern, cases_.allRanks(),
                          isThrice() ? PartCases::Work::checkThrice : PartCases::Work::checkOnce, shared);
    bool leftAlone = false, failsChanged = false;
    cases_.onDevice(task, outcome, [&] {
        const Expectation expectation(*task.taskClass, shared.of(task, pattern, n, settings_.seed), shape);
        Trial trial(gpu_, task, expectation, shared.onDevice(gpu_, expectation));
        cases_.keepWalk(trial, task, outcome);
        const bool random = pattern.text() == "random";
        // Random input is walked in the same shape. Faults that depend on values show in short arrays, too.
        const bool walks = cases_.hasOwnWorkGroup(task, shape) && (n <= longestEdges || n == valuesInTiles);
        const bool tooMuch = effort_[task.id] > mostWalkEffort;
        leftAlone = (!random && !settings_.pattern && !walks) || tooMuch;
        if (leftAlone) trial.runLint().leaveKernelsAlone();
        judge(outcome, isThrice() ? trial.judgeThreeRuns() : trial.judgedRun());
        if (outcome.status == Status::passed && !random) {
            judgeChanged(trial, outcome);
            failsChanged = outcome.status == Status::failed;
        }
        if (outcome.status == Status::passed && n <= largestWalk && random)
            lookAtSteps(gpu_, task, expectation, trial, outcome);
        if (outcome.status == Status::failed) orders_.lookForOrder(trial, outcome);
        orders_.lookFurther(task, trial, expectation.input(), outcome);
        effort_[task.id] += trial.runLint().effort();
        if (tooMuch && n <= largestOnHost)
            outcome.findings.push_back({"",
                                        "no longer walked on the host, where its kernels have taken half a minute: the "
                                        "result alone is judged",
                                        {},
                                        Severity::note});
    });
    if (failsChanged && n <= mediumSize)
        if (auto plain = failingRandom(task, outcome)) return *std::move(plain);
    if (leftAlone && outcome.mismatches && n <= largestOnHost) lookForRule(task, outcome);
    return outcome;
}

// A case on random numbers in the place of one that is wrong after a change of some elements: a command can repeat it.
std::optional<CaseOutcome> CheckedCases::failingRandom(const Task& task, const CaseOutcome& failure)
{
    constexpr std::uint64_t tries = 8;
    for (std::uint64_t i = 1; i <= tries && !cases_.deviceFailed(); ++i) {
        CaseOutcome one = cases_.blankRandom(failure.n, failure.shape);
        one.seed += i;
        one.limit = failure.limit;
        cases_.onDevice(task, one, [&] {
            judge(one, OwnTrial(gpu_, task, Pattern::parse("random"), one.n, one.seed, one.shape).trial.judgedRun());
        });
        if (one.status == Status::failed) return one;
    }
    return {};
}

// The failure shows only wrong values: the walk may find the reason.
void CheckedCases::lookForRule(const Task& task, CaseOutcome& outcome)
{
    bool complete = false;
    const WalkedRun same{outcome.shape, outcome.n, outcome.limit, {}, outcome.pattern};
    const CaseOutcome onHost = walks_.walkCaseOnHost(task, same, complete);
    const Finding* const first = firstThatFails(onHost.findings);
    if (!first || first->rule.empty()) return;
    outcome.findings.insert(outcome.findings.begin(), onHost.findings.begin(), onHost.findings.end());
    outcome.place = onHost.place;
}

void CheckedCases::checkQuickSizes(TaskOutcome& outcome, KernelShape shape)
{
    KeptInput quick;
    for (const std::uint64_t n : quickSizes(settings_.size, settings_.course)) {
        cases_.progress(fmt::format("{}: checking n = {}", outcome.task.id, n));
        outcome.cases.push_back(check(outcome.task, Pattern::parse("random"), n, shape, quick, settings_.lowerLimits));
        if (outcome.cases.back().status != Status::passed || outcome.cases.back().elsewhere != Halt::none) break;
    }
}

std::vector<WalkedRun> CheckedCases::smallShapes(const Task& task, std::uint64_t longest) const
{
    if (cases_.keepsToItsShape()) return {};
    std::vector<WalkedRun> runs = shortDeviceRuns(task, settings_.exclusive && task.taskClass->hasExclusive);
    std::erase_if(runs, [&](const WalkedRun& one) { return one.n > longest || (one.limit && settings_.lowerLimits); });
    return runs;
}

void CheckedCases::checkSmallShapes(TaskOutcome& outcome, std::uint64_t longest)
{
    KeptInput shared;
    for (const WalkedRun& run : smallShapes(outcome.task, longest)) {
        if (outcome.isOver() || cases_.deviceFailed()) return;
        CaseOutcome one = cases_.blankRandom(run.n, run.shape);
        bool keeps = false;
        cases_.begin(outcome.task, one);
        cases_.progress(fmt::format("{}: checking n = {}", outcome.task.id, run.n));
        cases_.guarded(one, [&] { keeps = keepsToLimits(gpu_, outcome.task, run); });
        if (keeps)
            outcome.addUnlessPassed(check(outcome.task, Pattern::parse("random"), run.n, run.shape, shared,
                                          run.limit ? run.limit : settings_.lowerLimits));
    }
}

void CheckedCases::checkSchedules(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    const auto [n, shape] = orders_.scheduled(outcome.task, own);
    if (settings_.schedule || cases_.together() || !orders_.talks(outcome.task) || outcome.isOver()) return;
    if (n > longest) return;
    KeptInput shared;
    cases_.progress(fmt::format("{}: other orders of work-groups, n = {}", outcome.task.id, n));
    outcome.addUnlessPassed(check(outcome.task, Pattern::parse("random"), n, shape, shared, settings_.lowerLimits));
}

std::uint64_t CheckedCases::lengthOfEqualElements(const Task& task, std::uint64_t longest) const
{
    constexpr std::uint64_t enough = std::uint64_t{1} << 27;
    const bool asked = task.taskClass->valuesArePlaces && !settings_.pattern && !cases_.together();
    return asked && longest > largestOnHost ? std::min(longest, enough) : 0;
}

void CheckedCases::checkEqualElements(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    const std::uint64_t n = lengthOfEqualElements(outcome.task, longest);
    if (n == 0 || outcome.isOver() || cases_.deviceFailed()) return;
    KeptInput shared;
    cases_.progress(fmt::format("{}: equal elements, n = {}", outcome.task.id, n));
    outcome.addUnlessPassed(check(outcome.task, Pattern::parse("ones"), n, own, shared, settings_.lowerLimits));
}

// In the task's own shape, and with few elements in many tiles, whose sums round so little that a lost bit shows.
std::vector<WalkedRun> CheckedCases::runsOfReals(const Task& task, const KernelShape& own, std::uint64_t longest) const
{
    if (!task.element->isReal) return {};
    std::vector<WalkedRun> runs;
    for (const std::uint64_t n : quickSizes(longest, settings_.course)) runs.push_back({own, n});
    if (longest > 0 && longest <= longestRounded) runs.push_back({own, longest});
    std::set<KernelShape> shapes;
    for (const WalkedRun& run : smallShapes(task, longest))
        if (!run.limit && shapes.insert(run.shape).second)
            runs.push_back({run.shape, 2 * run.shape.tile() + run.shape.tile() / 2 + 1});
    return runs;
}

void CheckedCases::checkReals(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    std::optional<Finding> note;
    for (const WalkedRun& run : runsOfReals(outcome.task, own, longest)) {
        if (outcome.isOver() || cases_.deviceFailed()) return;
        if (!outcome.cases.empty() && outcome.cases.back().status != Status::passed) return;
        CaseOutcome one = cases_.blankRandom(run.n, run.shape);
        one.ofReals = true;
        cases_.onDevice(outcome.task, one, [&] {
            Finding found = addReals(gpu_, outcome.task, run.shape, run.n, settings_.seed);
            if (found.severity != Severity::note) {
                one.status = Status::failed;
                one.findings.push_back(std::move(found));
            } else if (run.shape == own) {
                note = std::move(found);
            }
        });
        if (one.status == Status::passed) continue;
        outcome.cases.push_back(std::move(one));
        return;
    }
    if (note && !outcome.cases.empty()) outcome.cases.back().findings.push_back(*note);
}

}  // namespace a2
