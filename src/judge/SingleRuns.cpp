#include "judge/SingleRuns.h"

#include "base/PrintableText.h"
#include "judge/Matrix.h"
#include "judge/PrintWalk.h"
#include "judge/Unwritten.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

bool failed(const CaseOutcome& outcome) { return outcome.status != Status::passed; }

// Adds nothing if nothing was printed.
void takePrints(TaskOutcome& outcome, const CaseOutcome& of, PrintedRun printed)
{
    if (printed.lines.empty() && printed.more == 0) return;
    printed.n = of.n;
    printed.shape = of.shape;
    printed.pattern = of.pattern;
    outcome.printed = std::move(printed);
}

// The output as the validation layer reports it, without invocation or place.
PrintedRun printedOnDevice(Device& gpu, Trial& trial, const PrintSettings& wanted)
{
    PrintedRun printed;
    printed.onDevice = true;
    gpu.instance.messages().takePrinted();  // of other runs
    trial.judgedRun();
    for (const std::string& text : gpu.instance.messages().takePrinted())
        if (printed.lines.size() < wanted.most)
            printed.lines.emplace_back().text = printableText(text);
        else
            ++printed.more;
    return printed;
}

}  // namespace

// Not for long runs: they would need as much time again for every dispatch.
void SingleRuns::explainSteps(TaskOutcome& outcome, const CaseOutcome& failure)
{
    if (failure.n > largestWalk) return;
    const Pattern pattern = outcome.task.patternOf(failure.pattern);
    CaseOutcome again = cases_.blank(pattern, failure.n, failure.shape);
    again.limit = failure.limit;
    StepsOutcome steps;
    walkCase(outcome.task, pattern, {}, again, steps);
    outcome.diagnosis->firstWrong = steps.wrongStep();
    outcome.diagnosis->remark = steps.remark;
    takePrints(outcome, failure, std::move(steps.printed));
}

// For the first run that was asked for, or for a shorter one if that is too long to be walked.
void SingleRuns::lookAtPrints(TaskOutcome& outcome, const KernelShape& shape)
{
    if (!settings_.print.always || outcome.printed || outcome.status != Status::passed || cases_.deviceFailed()) return;
    CaseOutcome one = cases_.blank(cases_.timedPattern(), std::min(settings_.size, largestWalk), shape);
    cases_.limited(outcome.task, one, [&] {
        OwnTrial own(gpu_, outcome.task, outcome.task.patternOf(one.pattern), one.n, one.seed, one.shape);
        takePrints(outcome, one,
                   gpu_.instance.validation() == Validation::prints
                       ? printedOnDevice(gpu_, own.trial, settings_.print)
                       : printedBy(gpu_, own.trial.solution(), givenWords(own.expectation), settings_.print,
                                   PoisonWords().next()));
    });
}

void SingleRuns::walkCase(const Task& task, const Pattern& pattern, const Walk& walk, CaseOutcome& outcome,
                          StepsOutcome& steps)
{
    cases_.onDevice(task, outcome, [&] {
        OwnTrial own(gpu_, task, pattern, outcome.n, outcome.seed, outcome.shape);
        Trial& trial = own.trial;
        cases_.keepWalk(trial, task, outcome);
        trial.runLint().walkLonger();
        const Verdict verdict = trial.judgeThreeRuns();

        StepsSettings settings;
        settings.timer = settings_.timer;
        settings.resultRight = !verdict.mismatches;
        settings.caused = std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& one) {
            return one.rule == "stale-state" || one.rule == "unset-memory";
        });
        settings.print = settings_.print;
        settings.watchedGroup = walk.watchedGroup;
        settings.traces = walk.traces;
        if (walk.begin) walk.begin(outcome, givenValues(own.expectation));
        steps = walkSteps(gpu_, trial, task, own.expectation, settings, walk.show);

        outcome.mismatches = verdict.mismatches;
        outcome.findings = verdict.findings;
        for (const Finding& finding : steps.findings) {
            // Replace what was found for the run as a whole: now the dispatch is known.
            std::erase_if(outcome.findings, [&](const Finding& one) { return one.message == finding.message; });
            outcome.findings.push_back(finding);
        }
        if (const Step* wrong = steps.firstWrong())
            for (Finding& finding : outcome.findings)
                if (finding.rule == "unwritten-output") finding.dispatch = wrong->dispatch.index;
        if (outcome.mismatches || anyFails(outcome.findings)) outcome.status = Status::failed;
        orders_.lookElsewhere(task, trial, outcome);
    });
}

TaskOutcome SingleRuns::steps(const Task& task, const Walk& walk, StepsOutcome& steps)
{
    TaskOutcome outcome;
    outcome.task = task;
    const auto run = [&](const Pattern& pattern, const Walk& shown) {
        CaseOutcome one = cases_.blank(pattern, settings_.size, task.shape);
        steps = {};
        cases_.guarded(one, [&] { one.shape = cases_.shapeOf(task, settings_.size, settings_.workGroup); });
        if (one.n > 0 && !failed(one)) walkCase(task, pattern, shown, one, steps);
        return one;
    };
    Pattern pattern = cases_.easyPattern(task);
    CaseOutcome one;
    if (!settings_.pattern) {
        const Pattern random = Pattern::parse("random");
        one = run(pattern, {});
        if (!failed(one)) one = run(random, {});
        if (failed(one)) pattern = task.patternOf(one.pattern);
    }
    outcome.cases.push_back(cases_.deviceFailed() ? one : run(pattern, walk));
    if (settings_.size == 0 && !failed(outcome.cases.front())) return outcome;
    const CaseOutcome& shown = outcome.cases.front();
    outcome.status = shown.status;
    outcome.single = true;
    if (findUnwritten(gpu_, outcome) || outcome.status == Status::passed) return outcome;
    Diagnosis& diagnosis = outcome.diagnosis.emplace();
    diagnosis.firstWrong = steps.wrongStep();
    diagnosis.remark = steps.remark;
    return outcome;
}

TaskOutcome SingleRuns::once(const Task& task, const std::function<void(const OneRun&)>& around)
{
    TaskOutcome outcome;
    outcome.task = task;
    CaseOutcome& one = outcome.cases.emplace_back(cases_.blank(cases_.easyPattern(task), settings_.size, task.shape));
    cases_.guarded(one, [&] {
        one.shape = cases_.shapeOf(task, settings_.size, settings_.workGroup);
        cases_.begin(task, one);
        checkSize(gpu_, task, one.n);
        const WithLowerLimits limited(gpu_, one.limit);
        OwnTrial own(gpu_, task, cases_.easyPattern(task), one.n, one.seed, one.shape);
        cases_.keepWalk(own.trial, task, one);
        Verdict verdict;
        around({one, own.trial.solution(), own.expectation,
                [&]() -> const Verdict& { return verdict = own.trial.judgedRun(); }});
        one.mismatches = verdict.mismatches;
        one.findings = verdict.findings;
        if (!verdict.passed()) one.status = Status::failed;
    });
    outcome.status = one.status;
    outcome.single = true;
    findUnwritten(gpu_, outcome);
    return outcome;
}

}  // namespace a2
