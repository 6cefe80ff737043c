// Evaluator::lookAtMethod: looks at one of a task's cases for the method; and what --strict does with cases that were
// not walked.

#include "a2/Error.h"
#include "judge/EmulatedLook.h"
#include "judge/Evaluator.h"
#include "judge/StudentSolution.h"
#include "recording/RecordedText.h"

#include <fmt/format.h>

#include <tuple>

namespace a2 {

namespace {

// The assignment's shape shows most: its tiles are small, so that there are several levels, and its trees are deep
// enough.
constexpr KernelShape tellingShape{256, 2};
constexpr std::size_t mostLines = 64;  // of a recording, in the report

bool canBeLookedAt(const CaseOutcome& one)
{
    return one.status == Status::passed && one.n >= shortestForMethod && one.n <= largestOnHost;
}

std::string methodText(const MethodCriterion& unmet)
{
    const std::string place = unmet.line > 0 ? fmt::format("{}:{}", unmet.file, unmet.line) : unmet.file;
    return fmt::format("{}: {}{}", unmet.criterion, unmet.evidence, place.empty() ? "" : " (" + place + ")");
}

// Once per task, at its first case: the others would say the same.
void failUnwalked(TaskOutcome& outcome)
{
    if (outcome.status != Status::passed) return;
    for (CaseOutcome& one : outcome.cases) {
        if (outcome.status == Status::failed) {
            std::erase_if(one.findings, [](const Finding& finding) { return finding.rule == notWalkedRule; });
            continue;
        }
        for (Finding& finding : one.findings) {
            if (one.status == Status::skipped || finding.rule != notWalkedRule) continue;
            finding.severity = Severity::failure;
            if (one.place.file.empty()) {
                one.place.file = finding.file;
                if (finding.line > 0) one.place.line = finding.line;
            }
            one.status = Status::failed;
        }
        if (one.status == Status::failed) outcome.status = Status::failed;
    }
}

}  // namespace

void Evaluator::lookAtMethod(TaskOutcome& outcome)
{
    if (settings_.strict) failUnwalked(outcome);
    CaseOutcome* chosen = nullptr;
    const auto worth = [&](const CaseOutcome& one) {
        return std::tuple(!one.limit || one.limit == settings_.lowerLimits, one.n, one.shape == tellingShape,
                          cases_.hasOwnWorkGroup(outcome.task, one.shape));
    };
    for (CaseOutcome& one : outcome.cases)
        if (canBeLookedAt(one) && (!chosen || worth(one) > worth(*chosen))) chosen = &one;
    if (!chosen || outcome.status != Status::passed) return;
    try {
        const WithLowerLimits limited(gpu_, chosen->limit);
        const Recording recording = recordingOf(gpu_, outcome.task, chosen->shape, chosen->n);
        outcome.method = methodOf(gpu_, outcome.task, chosen->shape, chosen->n, chosen->seed, recording);
        outcome.recorded = recordedLines(recording, mostLines);
    } catch (const KernelError&) {  // it has recorded the same before: its method stays unknown
    } catch (const LimitError&) {
    }
    const Severity severity = settings_.strict ? Severity::failure : Severity::note;
    for (const MethodCriterion& one : outcome.method) {
        if (one.met) continue;
        chosen->findings.push_back({"method", methodText(one), {}, severity, one.criterion});
        if (!settings_.strict) continue;
        if (chosen->place.file.empty()) {
            chosen->place.file = one.file;
            if (one.line > 0) chosen->place.line = one.line;
        }
        chosen->status = outcome.status = Status::failed;
    }
}

}  // namespace a2
