#include "report/Explanation.h"

#include "judge/Steps.h"
#include "lint/Rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

bool failed(Status status) { return status != Status::passed && status != Status::skipped; }

void explainMismatch(const Task& task, const CaseOutcome& failure, std::vector<std::string>& lines)
{
    const Mismatches& wrong = *failure.mismatches;
    const TaskClass& taskClass = *task.taskClass;
    const std::string what = taskClass.fixedResults == 1 ? std::string(taskClass.resultName) + " " : "";
    const std::string numbers =
        fmt::format("expected {}{}, got {}{}", what, task.element->text(wrong.expected), task.element->text(wrong.got),
                    task.element->isReal ? "" : " (modulo 2^32)");
    if (taskClass.fixedResults == 1) {
        lines.push_back(numbers);
        return;
    }
    if (taskClass.fixedResults > 0) {
        lines.push_back(fmt::format("at {} {}: {}", taskClass.resultName, wrong.firstIndex, numbers));
        lines.push_back(fmt::format("{} of {} {}s wrong", wrong.count, taskClass.fixedResults, taskClass.resultName));
        return;
    }
    if (failure.putTogether) {  // its work-groups belong to its own parts
        lines.push_back(fmt::format("at index {} of {}: {}", wrong.firstIndex, failure.n, numbers));
        return;
    }
    const std::uint64_t tile = failure.shape.tile(), inTile = wrong.firstIndex % tile;
    lines.push_back(fmt::format("at index {}: {}", wrong.firstIndex, numbers));
    lines.push_back(
        fmt::format("that is block {} (of {} elements), element {} in it", wrong.firstIndex / tile, tile, inTile));
    lines.push_back(fmt::format("{} of {} elements wrong", wrong.count, failure.n));
}

void explainContributions(const Contributions& found, bool oneResult, bool exclusive, std::vector<std::string>& lines)
{
    const std::string where =
        oneResult ? fmt::format("n = {}", found.n) : fmt::format("n = {}, index {}", found.n, found.index);
    const std::string how = found.sampled ? " (only some of the elements were tried)" : "";
    const char* const among = found.sampled ? ", of those tried" : "";
    if (found.never.empty() && found.repeated.empty() && found.foreign.empty() && found.garbage.empty()) {
        lines.push_back(
            fmt::format("one-hot inputs at {}{}: each element{} alone is added once, so the fault depends on the "
                        "values or on timing",
                        where, how, found.sampled ? " tried" : ""));
        return;
    }
    lines.push_back(fmt::format("one-hot inputs at {}{}:", where, how));
    if (found.sampled && found.never.size() == found.tried)
        lines.push_back(fmt::format("  never added: none of the {} that were tried is added", found.tried));
    else
        lines.push_back(fmt::format("  never added{}: {}", among, rangesText(found.never)));
    const bool all = found.tried > 1 && found.repeated.size() == found.tried;
    lines.push_back(fmt::format("  added more than once{}: {}{}", among, rangesText(found.repeated),
                                all ? "; or the sum does not begin with 0" : ""));
    if (!found.foreign.empty())
        lines.push_back(fmt::format("  added though they {}: {}", exclusive ? "do not lie before it" : "lie after it",
                                    rangesText(found.foreign)));
    if (!found.garbage.empty())
        lines.push_back("  another number comes out, neither 0 nor a count: for " + rangesText(found.garbage));
}

// Explains limits that simulate, in a short array, dispatches that only long arrays need.
void explainLimit(const CaseOutcome& failure, std::vector<std::string>& lines)
{
    constexpr std::uint64_t fewestAlongX = 65535;  // Vulkan's minimum
    if (!failure.limit) return;
    if (failure.limit->bindingBytes > 0)
        lines.push_back(
            fmt::format("here the device was said to bind no more than {} bytes of a buffer, which stands for arrays "
                        "that are longer than one binding: they go in slices() (a2/Slices.h)",
                        failure.limit->bindingBytes));
    if (failure.limit->x == 0 || failure.limit->x >= fewestAlongX) return;
    lines.push_back(fmt::format(
        "here the device was said to start no more than {} x {} work-groups in a dispatch, which stands for "
        "n > {}, where {} x 1 are not enough: fold with foldGroups(), and count by workGroupNumber()",
        failure.limit->x, failure.limit->y, fewestAlongX * failure.shape.tile(), fewestAlongX));
}

// What differs for work-groups of this size between subgroups of the size that is right and those of the device. The
// cause may be another one: a race, too, may be out of sight where all invocations are in one subgroup.
std::string subgroupsLine(const Diagnosis& found, std::uint32_t workGroup)
{
    const std::uint32_t right = found.rightSubgroups, own = found.ownSubgroups;
    const std::string text =
        fmt::format("walked on the host with subgroups of {} instead of {}, the same run is right", right, own);
    if (own > 0 && workGroup % own != 0 && workGroup % right == 0)
        return fmt::format(
            "{}: there every subgroup of a work-group of {} is full, and here the last one has {} invocation{} of {}: "
            "gl_SubgroupSize does not say how many take part, subgroupAdd(1) does",
            text, workGroup, workGroup % own, workGroup % own == 1 ? "" : "s", own);
    if (own > 0 && workGroup <= right && workGroup > own)
        return fmt::format(
            "{}: there a work-group of {} is one subgroup, and here it has {}: look for what each of them does where "
            "one was meant, and for what nothing orders between them",
            text, workGroup, (workGroup + own - 1) / own);
    return fmt::format("{}: look for what counts on {} invocations, or on so many going on together", text, right);
}

void explainDiagnosis(const TaskOutcome& outcome, const CaseOutcome& failure, std::vector<std::string>& lines)
{
    const Diagnosis& found = *outcome.diagnosis;
    if (found.smallest) {
        const KernelShape& shape = found.smallest->shape;
        const std::string with =
            shape == failure.shape ? "" : fmt::format(", with -w {} --elements {}", shape.workGroup, shape.elements);
        lines.push_back(fmt::format("smallest failing size: {}{}", found.smallest->n, with));
        // A long run is not walked whole: the short one may say why.
        const Finding* const why = anyFails(failure.findings) ? nullptr : firstThatFails(found.smallest->findings);
        if (why && !why->rule.empty()) lines.push_back("  there " + why->text());
        // Smaller shapes are powers of two, and were tried first.
        if (!std::has_single_bit(shape.workGroup) && !hasRule(failure, "subgroup-size"))
            lines.push_back(fmt::format(
                "{} invocations are no power of two, and in work-groups that are one the fault was not seen: round up "
                "where halves are taken, and count on no full subgroup{}",
                shape.workGroup,
                shape.tile() % 4 == 0
                    ? ""
                    : fmt::format("; nor is a tile of {} elements a multiple of 4: look at where four are loaded at "
                                  "once",
                                  shape.tile())));
    }
    if (found.contributions &&
        !hasRule(failure, "stale-state"))  // a stale result already says that a single run is right
        explainContributions(*found.contributions, outcome.task.taskClass->fixedResults > 0, failure.shape.exclusive,
                             lines);
    if (found.firstWrong)
        lines.push_back("first wrong: " + wrongText(*found.firstWrong, *outcome.task.element));
    else if (!found.remark.empty())
        lines.push_back(found.remark);
    if (found.rightSubgroups > 0)
        lines.push_back(subgroupsLine(found, (found.smallest ? *found.smallest : failure).shape.workGroup));
    if (found.passesAlone)
        lines.push_back(
            "recorded in a process of its own the same run is right: something is kept from one object of the solution "
            "to the next, such as a static variable, or a member is used before it gets a value; a2 steps makes one "
            "object only, and would not show it");
}

std::string unwrittenLine(const TaskOutcome& outcome)
{
    const int points = outcome.task.points;
    return fmt::format("NOT WRITTEN YET {}{}", outcome.unwritten, points > 0 ? fmt::format(", {} points", points) : "");
}

std::vector<std::string> skipLines(const TaskOutcome& outcome)
{
    auto skipped = std::find_if(outcome.cases.begin(), outcome.cases.end(), isUnknown);
    if (skipped == outcome.cases.end())
        skipped = std::find_if(outcome.cases.begin(), outcome.cases.end(),
                               [](const CaseOutcome& one) { return one.status == Status::skipped; });
    if (skipped != outcome.cases.end()) return failureLines(skipped->findings);
    if (outcome.cases.empty()) return {"no length is left: choose a longer --up-to"};
    return {"no kernel was started, for n = 0 needs none: choose a longer --size or --up-to"};
}

// "a2 explain weak-barrier, a2 explain method": the pages about the rules that were broken.
std::string rulePages(const std::vector<Finding>& findings)
{
    std::vector<std::string> pages;
    for (const Finding& one : findings) {
        const std::string page = "a2 explain " + one.rule;
        if (ruleOf(one.rule) && std::ranges::find(pages, page) == pages.end()) pages.push_back(page);
    }
    return fmt::format("{}", fmt::join(pages, ", "));
}

}  // namespace

std::vector<std::string> failureLines(std::vector<Finding> findings)
{
    std::erase_if(findings, [](const Finding& one) { return one.severity == Severity::note; });
    return linesOf(findings);
}

std::vector<std::string> explanationLines(const TaskOutcome& outcome)
{
    if (outcome.status == Status::skipped) return skipLines(outcome);
    if (outcome.status == Status::notWritten) return {unwrittenLine(outcome)};
    const CaseOutcome* failure = outcome.firstFailure();
    if (!failed(outcome.status) || !failure) return {};
    std::vector<std::string> lines;
    if (!outcome.single && !failure->place.compiling) lines.push_back("failed with " + optionsText(*failure));
    if (failure->mismatches) explainMismatch(outcome.task, *failure, lines);
    for (std::string& line : failureLines(failure->findings)) lines.push_back(std::move(line));
    std::vector<Finding> notes = failure->findings;  // they may be the cause
    std::erase_if(notes, [](const Finding& one) { return one.severity == Severity::failure; });
    for (std::string& line : linesOf(notes)) lines.push_back(std::move(line));
    if (const std::string pages = rulePages(failure->findings); !pages.empty()) lines.push_back("more: " + pages);
    explainLimit(*failure, lines);
    if (outcome.diagnosis) {
        explainDiagnosis(outcome, *failure, lines);
        if (outcome.diagnosis->passesCourse)
            lines.push_back(
                "short runs of what the assignment asks for passed (powers of two, 256 x 2, inclusive scans): --course "
                "judges that alone, and in full");
    }
    const auto failures = std::count_if(outcome.cases.begin(), outcome.cases.end(),
                                        [](const CaseOutcome& one) { return failed(one.status); });
    if (failures > 1) lines.push_back(fmt::format("failed in {} more cases, too", failures - 1));
    return lines;
}

std::vector<std::string> reportLines(const TaskOutcome& outcome)
{
    std::vector<std::string> lines = explanationLines(outcome);
    if (outcome.diagnosis && !outcome.diagnosis->command.empty())
        lines.push_back((outcome.diagnosis->command.starts_with("gdb ") ? "in a debugger: " : "to see every step: ") +
                        outcome.diagnosis->command);
    return lines;
}

}  // namespace a2
