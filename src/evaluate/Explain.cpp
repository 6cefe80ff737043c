// Evaluator::finish and explainFailure: a task's status from its cases, and the sentences a student reads.

#include "ShellWord.h"
#include "evaluate/Diagnosis.h"
#include "evaluate/Evaluator.h"
#include "evaluate/Matrix.h"
#include "gpu/Device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr double searchSeconds = 4, probeSeconds = 3;

void explainMismatch(const Task& task, const CaseOutcome& failure, std::vector<std::string>& lines)
{
    const Mismatches& wrong = *failure.mismatches;
    if (task.kind == TaskKind::reduce) {
        lines.push_back(fmt::format("expected sum {}, got {} (modulo 2^32)", wrong.expected, wrong.got));
    } else {
        const std::uint64_t tile = failure.shape.tile(), inTile = wrong.firstIndex % tile;
        lines.push_back(
            fmt::format("at index {}: expected {}, got {} (modulo 2^32)", wrong.firstIndex, wrong.expected, wrong.got));
        lines.push_back(fmt::format("that is block {} (of {} elements), element {} in it, invocation {} of {}",
                                    wrong.firstIndex / tile, tile, inTile, inTile % failure.shape.workGroup,
                                    failure.shape.workGroup));
        lines.push_back(fmt::format("{} of {} elements wrong", wrong.count, failure.n));
    }
}

void explainContributions(const Contributions& found, bool reduce, std::vector<std::string>& lines)
{
    const std::string where =
        reduce ? fmt::format("n = {}", found.n) : fmt::format("n = {}, index {}", found.n, found.index);
    const std::string how = found.sampled ? " (a sample of the elements)" : "";
    if (found.never.empty() && found.repeated.empty() && found.foreign.empty() && found.garbage.empty()) {
        lines.push_back(
            fmt::format("one-hot inputs at {}{}: each element alone is added once, so the fault depends on the "
                        "values or on timing",
                        where, how));
        return;
    }
    lines.push_back(fmt::format("one-hot inputs at {}{}:", where, how));
    lines.push_back("  never added: " + rangesText(found.never));
    lines.push_back("  added more than once: " + rangesText(found.repeated));
    if (!found.foreign.empty()) lines.push_back("  added though they lie behind it: " + rangesText(found.foreign));
    if (!found.garbage.empty()) lines.push_back("  result holds memory nobody wrote: for " + rangesText(found.garbage));
}

}  // namespace

std::string optionsText(const CaseOutcome& one)
{
    std::string text = fmt::format("-n {} -p {}", one.n, shellWord(one.pattern));
    if (one.pattern == "random" && one.seed != 1) text += fmt::format(" -s {}", one.seed);
    text += fmt::format(" -w {} --elements {}", one.shape.workGroup, one.shape.elements);
    if (one.shape.exclusive) text += " --exclusive";
    return text;
}

std::string stepsCommand(const Task& task, const CaseOutcome& one, const EvaluationSettings& settings)
{
    return fmt::format("{} steps {} {}{}", settings.program, task.id, optionsText(one), settings.moreOptions);
}

void describeCase(const Task& task, const CaseOutcome& failure, std::vector<std::string>& lines)
{
    if (failure.mismatches) explainMismatch(task, failure, lines);
    for (const Finding& finding : failure.findings) lines.push_back(finding.text());
}

void Evaluator::finish(TaskOutcome& outcome, bool skipOne)
{
    const auto any = [&](Status status) {
        return std::any_of(outcome.cases.begin(), outcome.cases.end(),
                           [&](const CaseOutcome& one) { return one.status == status; });
    };
    const bool worked = std::any_of(outcome.cases.begin(), outcome.cases.end(),
                                    [](const CaseOutcome& one) { return one.n > 0 && one.status == Status::passed; });
    outcome.status = Status::passed;
    if ((skipOne && any(Status::skipped)) || !worked || outcome.cutShort) outcome.status = Status::skipped;
    for (const Status worse : {Status::failed, Status::crashed, Status::timeout})
        if (any(worse)) outcome.status = worse;

    if (outcome.status == Status::skipped) {
        const auto skipped = std::find_if(outcome.cases.begin(), outcome.cases.end(),
                                          [](const CaseOutcome& one) { return one.status == Status::skipped; });
        if (outcome.cutShort)
            outcome.explanation = {worked ? "not run to its end: the device failed before"
                                          : "not run: the device failed before"};
        else if (skipped != outcome.cases.end())
            for (const Finding& finding : skipped->findings) outcome.explanation.push_back(finding.text());
        else if (outcome.cases.empty())
            outcome.explanation = {"no length is left: choose a longer --up-to"};
        else
            outcome.explanation = {"no kernel was started, for n = 0 needs none: choose a longer --size or --up-to"};
    } else if (outcome.status != Status::passed) {
        explainFailure(outcome);
    }
}

void Evaluator::explainFailure(TaskOutcome& outcome)
{
    const CaseOutcome failure = *outcome.firstFailure();
    std::vector<std::string>& lines = outcome.explanation;
    lines.push_back(fmt::format("failed with {}", optionsText(failure)));
    describeCase(outcome.task, failure, lines);
    if (deviceFailed()) return;
    main_ = {};  // room for the probes
    CaseOutcome again = failure;
    if (failure.mismatches) again = searchSmallest(outcome, failure, lines);
    if (std::string why = explainSteps(outcome.task, again); !why.empty()) lines.push_back(std::move(why));
    if (deviceFailed()) return;
    outcome.stepsCommand = stepsCommand(outcome.task, again, settings_);
}

// The smallest length that fails, and what becomes of single elements there.
CaseOutcome Evaluator::searchSmallest(const TaskOutcome& outcome, const CaseOutcome& failure,
                                      std::vector<std::string>& lines)
{
    progress_(fmt::format("{}: looking for the smallest failing length", outcome.task.id));
    const auto probeWith = [&](const Pattern& pattern, std::uint64_t n, std::uint64_t watch) {
        Probe result;
        CaseOutcome ignored;
        guarded(ignored, [&] {
            const Input input(pattern, n, settings_.seed);
            const Expectation expectation(outcome.task.kind, input, failure.shape);
            const DeviceInput onDevice(gpu_, expectation);
            Trial trial(gpu_, outcome.task, expectation, onDevice);
            trial.watch(watch);
            const Verdict verdict = trial.judgedRun(Trial::poison(0));
            result.passed = !verdict.mismatches;
            if (verdict.mismatches) result.firstWrong = verdict.mismatches->firstIndex;
            result.expected = expectation.result(watch);
            result.got = trial.watched();
        });
        return result;
    };
    // Random values first; where they do not show the fault, those it was found with.
    const Pattern random = Pattern::parse("random"), own = Pattern::parse(failure.pattern);
    const ProbeRun probe = [&](std::uint64_t n, std::optional<std::uint64_t> oneHot, std::uint64_t watch) {
        if (oneHot) return probeWith(Pattern::oneHot(*oneHot), n, watch);
        const Probe first = probeWith(random, n, watch);
        return first.passed && own.text() != random.text() ? probeWith(own, n, watch) : first;
    };
    const std::uint64_t smallest = smallestFailing(failure.n, matrixSizes(gpu_), searchSeconds, probe);
    lines.push_back(fmt::format("smallest failing size: {}", smallest));
    const Probe first = probe(smallest, {}, 0);
    const std::uint64_t index = first.passed ? failure.mismatches->firstIndex : first.firstWrong;
    if (index < smallest)
        explainContributions(contributions(smallest, index, probeSeconds, probe), outcome.task.kind == TaskKind::reduce,
                             lines);
    CaseOutcome again = failure;
    again.n = smallest;
    if (!probeWith(random, smallest, 0).passed) again.pattern = random.text();
    return again;
}

}  // namespace a2
