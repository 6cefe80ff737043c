// Evaluator::check: the correctness matrix.

#include "a2/Error.h"
#include "evaluate/Evaluator.h"
#include "evaluate/Matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// Beyond longSize the default work-group size goes through the patterns, and random input through the work-group sizes.
bool skipCombination(std::uint64_t n, bool randomPattern, bool defaultWorkGroup)
{
    return n > longSize && !randomPattern && !defaultWorkGroup;
}

}  // namespace

std::vector<TaskOutcome> Evaluator::check(const std::vector<Task>& tasks)
{
    std::vector<TaskOutcome> outcomes;
    for (const Task& task : tasks) {
        outcomes.emplace_back();
        outcomes.back().task = task;
    }
    std::vector<std::uint64_t> sizes = settings_.onlySize ? std::vector{*settings_.onlySize} : matrixSizes(gpu_);
    std::erase_if(sizes, [&](std::uint64_t n) { return n > settings_.upTo; });
    // A task's own work-group size goes through it, too.
    const auto workGroupsOf = [&](const Task& task) {
        std::vector<std::uint32_t> all =
            settings_.workGroup ? std::vector{*settings_.workGroup} : matrixWorkGroups(gpu_);
        const std::uint32_t own = task.shape.workGroup;
        if (!settings_.workGroup && own < all.back() && std::find(all.begin(), all.end(), own) == all.end())
            all.push_back(own);
        return all;
    };

    const auto checkOne = [&](TaskOutcome& outcome, const Pattern& pattern, std::uint64_t n, std::uint32_t workGroup,
                              Shared& shared) {
        KernelShape shape = outcome.task.shape;
        shape.workGroup = workGroup;
        CaseOutcome shaping = blank(pattern, n, shape);
        guarded(shaping, [&] { shape = shapeOf(outcome.task, n, workGroup); });
        outcome.cases.push_back(shaping.status == Status::passed ? checkCase(outcome.task, pattern, n, shape, shared)
                                                                 : shaping);
    };

    for (const std::uint64_t n : sizes) {
        const auto patterns = settings_.pattern ? std::vector{*settings_.pattern} : matrixPatterns(n);
        for (const Pattern& pattern : patterns) {
            progress_(fmt::format("checking n = {}, {} (up to {})", n, pattern.text(), sizes.back()));
            Shared shared;  // one input and one upload for all tasks and work-groups
            for (TaskOutcome& outcome : outcomes)
                for (const std::uint32_t workGroup : workGroupsOf(outcome.task)) {
                    const bool isDefault = settings_.workGroup || workGroup == outcome.task.shape.workGroup;
                    if (deviceFailed_ || skipCombination(n, pattern.text() == "random", isDefault)) continue;
                    checkOne(outcome, pattern, n, workGroup, shared);
                }
        }
    }
    for (TaskOutcome& outcome : outcomes) finish(outcome, false);
    return outcomes;
}

}  // namespace a2
