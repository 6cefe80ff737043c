#include "evaluate/Outcome.h"

#include "observe/Lint.h"

#include <algorithm>
#include <array>

namespace a2 {

const char* statusText(Status status)
{
    static constexpr std::array<const char*, 5> texts = {"passed", "failed", "skipped", "timeout", "crashed"};
    return texts[static_cast<std::size_t>(status)];
}

std::vector<std::string> TaskOutcome::reportLines() const
{
    std::vector<std::string> lines = explanation;
    if (!stepsCommand.empty()) lines.push_back("to see every step: " + stepsCommand);
    return lines;
}

const CaseOutcome* TaskOutcome::firstFailure() const
{
    const auto found = std::find_if(cases.begin(), cases.end(), [](const CaseOutcome& one) {
        return one.status != Status::passed && one.status != Status::skipped;
    });
    return found == cases.end() ? nullptr : &*found;
}

const Benchmark* TaskOutcome::benchmark() const
{
    const auto found =
        std::find_if(cases.rbegin(), cases.rend(), [](const CaseOutcome& one) { return one.benchmark.has_value(); });
    return found == cases.rend() ? nullptr : &*found->benchmark;
}

std::vector<Finding> lintFindings(const TaskOutcome& outcome)
{
    std::vector<Finding> found;
    for (const CaseOutcome& one : outcome.cases)
        for (const Finding& finding : one.findings)
            if (lintRules().count(finding.rule) && std::find(found.begin(), found.end(), finding) == found.end())
                found.push_back(finding);
    return found;
}

}  // namespace a2
