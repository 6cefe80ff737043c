// Something wrong that is no wrong element: a rule that was broken, and where.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Of what the walk on the host could not follow: a note, unless --strict makes a failure of it.
inline const std::string notWalkedRule = "not-walked";

enum class Severity { failure, note };  // a note is printed, and fails nothing

struct Finding {
    std::string rule;                       // of the lint; "validation" for the layer's words; empty for other reasons
    std::string message;                    // one line
    std::optional<std::uint64_t> dispatch;  // its number, from 0
    Severity severity = Severity::failure;
    std::string cause = {};  // the same for those that one change mends; empty: the message without numbers and names
    std::string file = {};   // under shaders/, of not-walked alone; empty: none
    std::uint32_t line = 0;  // of it, from 1; 0: not known

    std::string text() const
    {
        return (severity == Severity::note ? "note: " : "") + (rule.empty() ? message : rule + ": " + message);
    }
    bool operator==(const Finding&) const = default;
};

// The first one that is no note; null where there is none.
inline const Finding* firstThatFails(const std::vector<Finding>& findings)
{
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& one) { return one.severity == Severity::failure; });
    return found == findings.end() ? nullptr : &*found;
}
inline bool anyFails(const std::vector<Finding>& findings) { return firstThatFails(findings) != nullptr; }

// "0-3, 8"; "none" for none. Positions ascending.
std::string positionsText(const std::vector<std::uint64_t>& positions);

// A line for each cause, in the order of the findings: the first one's text, how many more are like it, at which
// dispatches, and where a rule fails for the first time its cure.
std::vector<std::string> linesOf(const std::vector<Finding>& findings);

}  // namespace a2
