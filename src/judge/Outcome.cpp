#include "judge/Outcome.h"

#include "base/ShellWord.h"
#include "lint/Rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace a2 {

const char* statusText(Status status)
{
    static constexpr std::array<const char*, 6> texts = {"passed",  "failed",  "skipped",
                                                         "timeout", "crashed", "not-written"};
    return texts[static_cast<std::size_t>(status)];
}

std::string shapeSuffix(const KernelShape& shape)
{
    return fmt::format("/wg:{}/elements:{}{}", shape.workGroup, shape.elements, shape.exclusive ? "/exclusive" : "");
}

void judge(CaseOutcome& outcome, const Verdict& verdict)
{
    outcome.status = verdict.passed() ? Status::passed : Status::failed;
    outcome.mismatches = verdict.mismatches;
    outcome.findings.insert(outcome.findings.end(), verdict.findings.begin(), verdict.findings.end());
    if (!verdict.passed() && verdict.line > 0) outcome.place = {verdict.file, verdict.line, {}, false};
    outcome.schedule = verdict.schedule;
}

std::string optionsText(const CaseOutcome& one)
{
    std::string text = fmt::format("-n {} -p {}", one.n, shellWord(one.pattern));
    if (one.pattern == "random") text += fmt::format(" -s {}", one.seed);
    text += fmt::format(" -w {} --elements {}", one.shape.workGroup, one.shape.elements);
    if (one.shape.exclusive) text += " --exclusive";
    if (one.limit && one.limit->x > 0) text += fmt::format(" --dispatch-limit {}x{}", one.limit->x, one.limit->y);
    if (one.limit && one.limit->bindingBytes > 0) text += fmt::format(" --binding-limit {}", one.limit->bindingBytes);
    if (!one.schedule.empty()) text += " --schedule " + one.schedule;
    return text;
}

std::vector<TaskOutcome> blankOutcomes(const std::vector<Task>& tasks)
{
    std::vector<TaskOutcome> outcomes(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) outcomes[i].task = tasks[i];
    return outcomes;
}

void TaskOutcome::addUnlessPassed(CaseOutcome one)
{
    if (one.status != Status::passed) cases.push_back(std::move(one));
}

bool TaskOutcome::worked() const
{
    return std::any_of(cases.begin(), cases.end(),
                       [](const CaseOutcome& one) { return one.n > 0 && one.status == Status::passed; });
}

const CaseOutcome* TaskOutcome::firstFailure() const
{
    const auto found = std::find_if(cases.begin(), cases.end(), [](const CaseOutcome& one) {
        return one.status != Status::passed && one.status != Status::skipped;
    });
    return found == cases.end() ? nullptr : &*found;
}

bool TaskOutcome::isOver() const
{
    return firstFailure() || std::any_of(cases.begin(), cases.end(),
                                         [](const CaseOutcome& one) { return one.elsewhere == Halt::failed; });
}

bool TaskOutcome::deviceFailed() const
{
    return std::any_of(cases.begin(), cases.end(), [](const CaseOutcome& one) { return one.deviceFailed; });
}

const Benchmark* TaskOutcome::benchmark() const
{
    const auto found =
        std::find_if(cases.rbegin(), cases.rend(), [](const CaseOutcome& one) { return one.benchmark.has_value(); });
    return found == cases.rend() ? nullptr : &*found->benchmark;
}

bool isUnknown(const CaseOutcome& one)
{
    return one.status == Status::skipped && std::any_of(one.findings.begin(), one.findings.end(),
                                                        [](const auto& found) { return found.rule == notWalkedRule; });
}

Status statusOf(const TaskOutcome& outcome, bool skipOne)
{
    const auto any = [&](Status sought) {
        return std::any_of(outcome.cases.begin(), outcome.cases.end(),
                           [&](const CaseOutcome& one) { return one.status == sought; });
    };
    Status status = Status::passed;
    // Other shapes and lengths may not have this limit; what the emulator does not support is no fault of the kernel.
    const bool unknown = std::any_of(outcome.cases.begin(), outcome.cases.end(), isUnknown);
    if (unknown || (skipOne && any(Status::skipped)) || !outcome.worked()) status = Status::skipped;
    for (const Status worse : {Status::failed, Status::crashed, Status::timeout})
        if (any(worse)) status = worse;
    return status;
}

std::vector<Finding> lintFindings(const TaskOutcome& outcome)
{
    std::vector<Finding> found;
    const auto isThere = [&](const Finding& finding) {
        return std::any_of(found.begin(), found.end(), [&](const Finding& one) {
            // The numbers differ in other shapes and lengths.
            const bool unwalked = one.rule == notWalkedRule && finding.rule == notWalkedRule;
            return unwalked ? one.cause == finding.cause : one == finding;
        });
    };
    for (const CaseOutcome& one : outcome.cases)
        for (const Finding& finding : one.findings)
            if (ruleOf(finding.rule) && !isThere(finding)) found.push_back(finding);
    return found;
}

std::vector<std::string> noteLines(const TaskOutcome& outcome)
{
    std::vector<Finding> notes = lintFindings(outcome);
    std::erase_if(notes, [](const Finding& one) { return one.severity != Severity::note; });
    return linesOf(notes);
}

bool hasRule(const CaseOutcome& one, const std::string& rule)
{
    return std::any_of(one.findings.begin(), one.findings.end(), [&](const Finding& finding) {
        return finding.rule == rule && finding.severity == Severity::failure;
    });
}

}  // namespace a2
