#include "lint/Finding.h"

#include "lint/Rules.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

namespace a2 {

namespace {

// A message without its numbers and quoted names.
std::string withoutPlaces(const std::string& message)
{
    std::string text;
    bool quoted = false;
    for (const char c : message) {
        if (c == '\'') quoted = !quoted;
        if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) text += c;
    }
    return text;
}

// Findings with the same cause, in the order in which they were found.
struct Cause {
    Severity severity;
    std::string rule, key;
    std::vector<const Finding*> findings;
};

std::string lineOf(const Cause& cause)
{
    std::string line = cause.findings.front()->text();
    if (cause.findings.size() == 1) return line;
    std::vector<std::uint64_t> dispatches;
    for (std::size_t i = 1; i < cause.findings.size(); ++i)
        if (const auto& dispatch = cause.findings[i]->dispatch) dispatches.push_back(*dispatch);
    std::sort(dispatches.begin(), dispatches.end());
    dispatches.erase(std::unique(dispatches.begin(), dispatches.end()), dispatches.end());
    line += fmt::format(" (and {} more like it", cause.findings.size() - 1);
    if (!dispatches.empty())
        line += fmt::format(", at dispatch{} {}", dispatches.size() == 1 ? "" : "es", positionsText(dispatches));
    return line + ")";
}

}  // namespace

std::string positionsText(const std::vector<std::uint64_t>& positions)
{
    constexpr int mostRanges = 6;
    if (positions.empty()) return "none";
    std::string text;
    int ranges = 0;
    for (std::size_t i = 0; i < positions.size(); ++ranges) {
        std::size_t last = i;
        while (last + 1 < positions.size() && positions[last + 1] == positions[last] + 1) ++last;
        if (ranges == mostRanges) {
            text += ", ...";
            break;
        }
        text += (text.empty() ? "" : ", ") +
                (last == i ? fmt::format("{}", positions[i]) : fmt::format("{}-{}", positions[i], positions[last]));
        i = last + 1;
    }
    return text;
}

std::vector<std::string> linesOf(const std::vector<Finding>& findings)
{
    std::vector<Cause> causes;
    for (const Finding& one : findings) {
        const std::string key = one.cause.empty() ? withoutPlaces(one.message) : one.cause;
        auto found = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
            return cause.severity == one.severity && cause.rule == one.rule && cause.key == key;
        });
        if (found == causes.end()) found = causes.insert(causes.end(), Cause{one.severity, one.rule, key, {}});
        found->findings.push_back(&one);
    }
    std::vector<std::string> lines;
    std::set<std::string> cured;
    // If only a later run did not write something, the reason is the state that it began with: the cure of stale-state
    // is enough.
    if (std::any_of(causes.begin(), causes.end(), [](const Cause& one) { return one.rule == "stale-state"; }))
        cured.insert("unwritten-output");
    for (const Cause& cause : causes) {
        lines.push_back(lineOf(cause));
        const Rule* const rule = cause.severity == Severity::failure ? ruleOf(cause.rule) : nullptr;
        if (rule && !rule->spelledOut && cured.insert(cause.rule).second)
            lines.back() += fmt::format("; {}", rule->cure);
    }
    return lines;
}

}  // namespace a2
