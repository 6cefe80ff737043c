#include "report/Summary.h"

#include "lint/Rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// "shared-race, shaders/A2Task1Atomic.comp:31"
std::string headline(const TaskOutcome& outcome)
{
    const CaseOutcome* const failure = outcome.firstFailure();
    if (!failure) return statusText(outcome.status);
    const Finding* const first = firstThatFails(failure->findings);
    // "src/A2Task2Solution/Naive.cpp:48 does not compile: ..."
    if (first && first->rule.empty() && first->message.starts_with("src/"))
        return first->message.substr(0, first->message.find(": "));
    std::string text = first && first->rule == "call"  ? "a wrong call of Vulkan"
                       : first && !first->rule.empty() ? first->rule
                       : failure->mismatches           ? "wrong result"
                                                       : statusText(outcome.status);
    if (failure->place.line && !failure->place.file.empty())
        text += fmt::format(", shaders/{}:{}", failure->place.file, *failure->place.line);
    return text;
}

std::string nextLine(const TaskOutcome& outcome)
{
    if (outcome.status == Status::notWritten)
        return fmt::format("next: write {} for {}{}", outcome.unwritten, outcome.task.id,
                           outcome.unwritten.starts_with("src/") ? ": its record() records nothing" : "");
    const std::string what = headline(outcome), rule = what.substr(0, what.find(','));
    return fmt::format("look first at {}: {}{}", outcome.task.id, what,
                       ruleOf(rule) ? fmt::format(" (a2 explain {})", rule) : "");
}

}  // namespace

const TaskOutcome* firstToMend(const std::vector<TaskOutcome>& outcomes)
{
    for (const Status status : {Status::crashed, Status::timeout, Status::failed, Status::notWritten}) {
        const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                        [&](const TaskOutcome& one) { return one.status == status; });
        if (found != outcomes.end()) return &*found;
    }
    return nullptr;
}

bool lackedMemory(const TaskOutcome& outcome)
{
    const auto isAboutMemory = [](const Finding& one) {
        // The messages of Cases::guarded and Device::allocate.
        for (const char* text : {"ran out of memory", "ran out of main memory", "main memory has no room",
                                 "which the device refused", "this device's memory heap"})
            if (one.message.find(text) != std::string::npos) return true;
        return false;
    };
    return outcome.status == Status::skipped &&
           std::any_of(outcome.cases.begin(), outcome.cases.end(), [&](const CaseOutcome& one) {
               return one.status == Status::skipped &&
                      std::any_of(one.findings.begin(), one.findings.end(), isAboutMemory);
           });
}

std::vector<std::string> summaryLines(const std::vector<TaskOutcome>& outcomes)
{
    std::size_t passed = 0, failed = 0, skipped = 0, withoutMemory = 0, unwritten = 0;
    int points = 0, allPoints = 0;
    for (const TaskOutcome& one : outcomes) {
        allPoints += one.task.points;
        switch (one.status) {
            case Status::passed:
                ++passed;
                points += one.task.points;
                break;
            case Status::skipped:
                ++skipped;
                withoutMemory += lackedMemory(one);
                break;
            case Status::notWritten:
                ++unwritten;
                break;
            default:
                ++failed;
                break;
        }
    }
    std::string text = fmt::format("{} of {} row{} passed", passed, outcomes.size(), outcomes.size() == 1 ? "" : "s");
    if (allPoints > 0) text += fmt::format(", {} of {} points", points, allPoints);
    const char* separator = "; ";
    const auto add = [&](std::size_t count, const char* what) {
        if (count == 0) return;
        text += fmt::format("{}{} {}", separator, count, what);
        separator = ", ";
    };
    add(failed, "failed");
    add(skipped - withoutMemory, "skipped");
    add(withoutMemory, "skipped for want of memory");
    add(unwritten, "not written yet");
    std::vector<std::string> lines = {text};
    if (const TaskOutcome* const first = firstToMend(outcomes)) lines.push_back(nextLine(*first));
    return lines;
}

}  // namespace a2
