#include "judge/Explainer.h"

#include "gpu/Device.h"
#include "judge/Diagnosis.h"
#include "judge/Matrix.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"
#include "judge/StudentSolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace a2 {

namespace {

// Limits with which a failure is explained within two seconds if a run takes some milliseconds.
constexpr double smallSeconds = 0.8, searchSeconds = 0.5, probeSeconds = 0.4;

bool isOfCourse(const CaseOutcome& one) { return std::has_single_bit(one.n) && one.shape == courseShape && !one.limit; }

// Wrong elements, a broken rule, or a wrong dispatch: faults that a shorter run may show, too.
bool mayShowElsewhere(const CaseOutcome& failure)
{
    if (failure.mismatches) return true;
    const Finding* const first = firstThatFails(failure.findings);
    return first && (!first->rule.empty() || first->dispatch);
}

// Work-groups of the first dispatch of a run with many tiles; empty if none is known.
std::optional<std::array<std::uint32_t, 3>> groupsOfManyTiles(Device& gpu, const Task& task, const KernelShape& shape)
{
    try {
        const Recording recording = recordingOf(gpu, task, shape, lengthOfManyTiles(1, shape));
        for (const RecordedCommand& command : recording.runs.front().commands)
            if (const auto* dispatch = std::get_if<RecordedDispatch>(&command)) return dispatch->groups;
    } catch (const Error&) {  // it does not accept such a shape
    }
    return std::nullopt;
}

// If the course asks for one shape only, host code may have its numbers written in. In other shapes it starts too few
// work-groups or too many, and the fault there is not the one that failed.
bool keepsToShapes(Device& gpu, const Task& task, const KernelShape& own, const KernelShape& other)
{
    return groupsOfManyTiles(gpu, task, shapeOfOtherGroups(own)) == groupsOfManyTiles(gpu, task, other);
}

// Only if nothing else is known of the case: its input is the pattern's own.
void addHint(const Task& task, CaseOutcome& failure)
{
    if (!task.taskClass->hint || !failure.mismatches || !failure.findings.empty()) return;
    const Input input = task.inputOf(task.patternOf(failure.pattern), failure.n, failure.seed);
    const Expectation expectation(*task.taskClass, input, failure.shape);
    failure.findings.push_back(
        {"",
         task.taskClass->hint(expectation, failure.mismatches->firstIndex, failure.mismatches->got),
         {},
         Severity::note});
}

}  // namespace

void Explainer::explain(TaskOutcome& outcome)
{
    if (cases_.deviceFailed()) return;
    CaseOutcome failure = *outcome.firstFailure();
    if (const auto& together = cases_.together())  // one device shows it at that length, or it is not explained
        failure.n = together->own.length(failure.n, failure.sharing);
    if (failure.putTogether || failure.ofReals) return;  // no single run on one device shows it
    timed_.freeInput();                                  // frees memory for the probes
    cases_.begin(outcome.task, failure);                 // announced before the probes, which may crash
    const Cases::Probes probes = cases_.probes();
    Diagnosis& diagnosis = outcome.diagnosis.emplace();
    CaseOutcome shown = failure;
    // An order that the walk chose may lead kernels where the usual order does not. The device may take the same order
    // by chance, and crash: so nothing is run on it. Without a verdict there is no recording to go through.
    const bool runsAgain = failure.status == Status::failed && failure.schedule.empty();
    if (cases_.together() && runsAgain) {
        CaseOutcome again = cases_.blank(outcome.task.patternOf(failure.pattern), failure.n, failure.shape);
        again.limit = failure.limit;
        if (!showsAgain(outcome.task, failure, again)) return outcome.diagnosis.reset();
    }
    if (runsAgain) {
        if (mayShowElsewhere(failure)) {
            cases_.progress(fmt::format("{}: looking for the smallest run that fails", outcome.task.id));
            shown = searchSmallest(outcome.task, failure);
            diagnosis.smallest = shown;
        }
        addHint(outcome.task,
                outcome.cases.at(static_cast<std::size_t>(outcome.firstFailure() - outcome.cases.data())));
        if (failure.mismatches && outcome.task.taskClass->addsUp)
            diagnosis.contributions = searchContributions(outcome.task, shown);
        single_.explainSteps(outcome, shown);
        const bool ofFreedom = std::any_of(failure.findings.begin(), failure.findings.end(),
                                           [](const Finding& one) { return one.cause == leftOpen; });
        if (!hasRule(failure, "subgroup-size") && !ofFreedom)
            diagnosis.rightSubgroups = rightSubgroups(outcome.task, shown);
        diagnosis.ownSubgroups = gpu_.subgroupSize;
        diagnosis.passesAlone = passesAlone(outcome.task, shown);
    }
    if (runsAgain && mayShowElsewhere(failure) && !settings_.course && outcome.task.byDefault && !isOfCourse(failure))
        diagnosis.passesCourse = passesCourse(outcome.task);
    if (cases_.deviceFailed() || failure.place.compiling) return;
    if (diagnosis.passesAlone) return;  // the command makes one object, and would show a run that is right
    diagnosis.command = stepsCommand(outcome.task, shown, settings_);
    // Host code that did not return: a debugger shows where.
    if (failure.status != Status::failed) diagnosis.command = "gdb --args " + diagnosis.command + " --in-process";
}

// A failure that occurs only after other objects of the solution have run: a static variable may keep data between
// objects, and the command that shows the run makes one object only.
bool Explainer::passesAlone(const Task& task, const CaseOutcome& failure)
{
    if (failure.n > largestWalk || failure.place.compiling) return false;
    const auto passes = [&](bool alone) {
        CaseOutcome again = cases_.blank(task.patternOf(failure.pattern), failure.n, failure.shape);
        again.limit = failure.limit;
        gpu_.recordsAlone = alone;
        judgeAgain(task, again);
        gpu_.recordsAlone = false;
        return again.status == Status::passed;
    };
    return !cases_.deviceFailed() && !passes(false) && passes(true) && passes(true);
}

// A kernel may count on the subgroups of the machine that it was written on.
std::uint32_t Explainer::rightSubgroups(const Task& task, const CaseOutcome& failure)
{
    if (failure.n > largestOnHost || failure.place.compiling) return 0;
    std::uint32_t size = 0;
    CaseOutcome ignored;
    cases_.guarded(ignored, [&] {
        const WalkedRun run{.shape = failure.shape, .n = failure.n, .limit = failure.limit, .pattern = failure.pattern};
        size = subgroupsThatSuit(gpu_, task, run, failure.seed);
    });
    return size;
}

// As far as a few short runs show.
bool Explainer::passesCourse(const Task& task)
{
    for (const std::uint64_t n : courseLengths) {
        CaseOutcome one = cases_.blankRandom(n, courseShape);
        one.limit.reset();
        if (cases_.deviceFailed()) return false;
        judgeAgain(task, one, true);
        if (one.status != Status::passed) return false;
    }
    return true;
}

void Explainer::judgeAgain(const Task& task, CaseOutcome& one, bool threeRuns)
{
    cases_.onDevice(task, one, [&] {
        OwnTrial own(gpu_, task, task.patternOf(one.pattern), one.n, one.seed, one.shape);
        Trial& trial = own.trial;
        cases_.keepWalk(trial, task, one);
        trial.runLint().walkLonger();
        judge(one, threeRuns ? trial.judgeThreeRuns() : trial.judgedRun());
    });
}

// Runs `tried`, and fills in what came of it. Whether that is what failed in `failure`: wrong elements, or the same
// rule broken.
bool Explainer::showsAgain(const Task& task, const CaseOutcome& failure, CaseOutcome& tried)
{
    const bool wrong = failure.mismatches.has_value();
    const std::string rule = wrong ? "" : firstThatFails(failure.findings)->rule;
    if (!wrong && (rule.empty() || rule == "stale-state")) {  // one run does not show it
        cases_.begin(task, tried);
        StepsOutcome steps;
        single_.walkCase(task, task.patternOf(tried.pattern), {}, tried, steps);
    } else {
        judgeAgain(task, tried);
    }
    // A kernel with a fixed work-group size fails in every other shape, whatever else is wrong with it.
    if (hasRule(tried, "fixed-shape") && !hasRule(failure, "fixed-shape")) return false;
    if (tried.status != Status::failed) return false;
    // If the course asks for one shape only, host code may have its numbers written in. In another shape it goes past
    // its arrays.
    const auto isNew = [&](const char* one) { return hasRule(tried, one) && !hasRule(failure, one); };
    if (settings_.course && tried.shape != failure.shape && (isNew("unset-memory") || isNew("out-of-bounds")))
        return false;
    return wrong ? tried.mismatches.has_value() : hasRule(tried, rule);
}

CaseOutcome Explainer::searchSmallest(const Task& task, const CaseOutcome& failure)
{
    CaseOutcome found = failure;
    const auto shows = [&](std::uint64_t n, const KernelShape& shape, const std::string& pattern) {
        CaseOutcome tried = cases_.blank(task.patternOf(pattern), n, shape);
        tried.limit = failure.limit;
        if (cases_.deviceFailed() || !showsAgain(task, failure, tried)) return false;
        found = tried;
        return true;
    };
    // Random values first; where they do not show the fault, those it was found with.
    const auto fails = [&](std::uint64_t n, const KernelShape& shape) {
        return shows(n, shape, "random") || (failure.pattern != "random" && shows(n, shape, failure.pattern));
    };
    const auto inSmallShape = [&] {
        constexpr int always = 8;  // most faults show in the first few, however slow the machine is
        const Deadline deadline(smallSeconds);
        int tries = 0;
        for (const KernelShape& shape : smallerShapes(task, failure.shape, settings_.course)) {
            if (settings_.course && !keepsToShapes(gpu_, task, failure.shape, shape)) return false;
            std::uint64_t passing = 0;
            for (const std::uint64_t n : smallLengths(failure.n)) {
                if (settings_.course && !std::has_single_bit(n)) continue;
                if (tries++ >= always && deadline.passed()) return false;
                if (!fails(n, shape)) {
                    passing = n;
                    continue;
                }
                for (std::uint64_t failing = n; failing - passing > 1 && !settings_.course && !deadline.passed();) {
                    const std::uint64_t middle = passing + (failing - passing) / 2;
                    (fails(middle, shape) ? failing : passing) = middle;
                }
                return true;
            }
        }
        return false;
    };
    const auto inItsShape = [&] {
        if (!settings_.course) {
            smallestFailing(failure.n, matrixSizes(gpu_, false), searchSeconds, [&](std::uint64_t n, auto, auto) {
                Probe probe;
                probe.passed = !fails(n, failure.shape);
                return probe;
            });
            return;
        }
        const Deadline deadline(searchSeconds);
        for (std::uint64_t n = 1; n < failure.n && !deadline.passed(); n *= 2)
            if (fails(n, failure.shape)) return;
    };
    if (!inSmallShape()) inItsShape();
    if (found.pattern != "random") return found;
    for (const char* easier : {task.taskClass->easyPattern, "iota"})  // numbers of two digits instead of ten
        if (shows(found.n, found.shape, easier)) break;
    return found;
}

// One-hot inputs, where `failure` has its first wrong element.
std::optional<Contributions> Explainer::searchContributions(const Task& task, const CaseOutcome& failure)
{
    if (cases_.deviceFailed() || failure.mismatches->firstIndex >= std::max<std::uint64_t>(1, failure.n))
        return std::nullopt;
    return contributions(failure.n, failure.mismatches->firstIndex, probeSeconds,
                         [&](std::uint64_t n, std::optional<std::uint64_t> position, std::uint64_t watch) {
                             Probe probe;
                             CaseOutcome ignored;
                             cases_.guarded(ignored, [&] {
                                 const WithLowerLimits limited(gpu_, failure.limit);
                                 OwnTrial own(gpu_, task, Pattern::oneHot(*position), n, failure.seed, failure.shape);
                                 own.trial.runResults().watch(watch);
                                 own.trial.judgedRun();
                                 probe.expected = own.expectation.result(watch);
                                 probe.got = own.trial.runResults().watched();
                             });
                             return probe;
                         });
}

}  // namespace a2
