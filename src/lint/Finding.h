// An error other than a wrong element: the rule that was broken, and the place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// The rule for what the walk on the host could not follow: a note, unless --strict makes it a failure.
inline const std::string notWalkedRule = "not-walked";

enum class Severity { failure, note };  // a note is printed, but fails nothing

struct Finding {
    std::string rule;     // a rule of the lint; "validation" for the layer's messages; empty for other reasons
    std::string message;  // one line
    std::optional<std::uint64_t> dispatch;  // its number, from 0
    Severity severity = Severity::failure;
    std::string cause = {};  // equal for findings that one change repairs; empty: the message without numbers and names
    std::string file = {};   // under shaders/, for not-walked only; empty: none
    std::uint32_t line = 0;  // in that file, from 1; 0: not known

    std::string text() const
    {
        return (severity == Severity::note ? "note: " : "") + (rule.empty() ? message : rule + ": " + message);
    }
    bool operator==(const Finding&) const = default;
};

// The first finding that is not a note; null if there is none.
inline const Finding* firstThatFails(const std::vector<Finding>& findings)
{
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& one) { return one.severity == Severity::failure; });
    return found == findings.end() ? nullptr : &*found;
}
inline bool anyFails(const std::vector<Finding>& findings) { return firstThatFails(findings) != nullptr; }

// "0-3, 8"; "none" for none. Positions must be ascending.
std::string positionsText(const std::vector<std::uint64_t>& positions);

// One line for each cause, in the order of the findings: the text of the first finding, how many others are like it,
// and at which dispatches. The first failure of each rule also has the rule's cure.
std::vector<std::string> linesOf(const std::vector<Finding>& findings);

}  // namespace a2
