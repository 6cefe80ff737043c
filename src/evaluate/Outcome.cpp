#include "evaluate/Outcome.h"

#include <algorithm>
#include <array>
#include <set>

namespace a2 {

const char* statusText(Status status)
{
    static constexpr std::array<const char*, 5> texts = {"passed", "failed", "skipped", "timeout", "crashed"};
    return texts[static_cast<std::size_t>(status)];
}

const CaseOutcome* TaskOutcome::firstFailure() const
{
    const auto found = std::find_if(cases.begin(), cases.end(), [](const CaseOutcome& one) {
        return one.status != Status::passed && one.status != Status::skipped;
    });
    return found == cases.end() ? nullptr : &*found;
}

std::vector<LintFinding> lintFindings(const TaskOutcome& outcome)
{
    static const std::set<std::string> rules = {"out-of-bounds", "stale-state"};
    std::vector<LintFinding> found;
    for (const CaseOutcome& one : outcome.cases)
        for (const std::string& finding : one.findings) {
            const std::string rule = finding.substr(0, finding.find(':'));
            if (rules.count(rule)) found.push_back({rule, finding.substr(std::min(finding.size(), rule.size() + 2))});
        }
    return found;
}

}  // namespace a2
