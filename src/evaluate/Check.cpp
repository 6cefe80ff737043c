// Evaluator::check: the correctness matrix.

#include "a2/Error.h"
#include "evaluate/Evaluator.h"
#include "evaluate/Matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace a2 {

namespace {

// Beyond longSize the default work-group size goes through the patterns, and random input through the work-group sizes.
bool skipCombination(std::uint64_t n, bool randomPattern, bool defaultWorkGroup)
{
    return n > longSize && !randomPattern && !defaultWorkGroup;
}

// A shape that a task is asked for: the one for arrays of n elements, in this work-group size if there is one.
struct Shaping {
    std::uint64_t n;
    std::optional<std::uint32_t> workGroup;
};

// Every work-group size of the matrix, and a task's own shapes for this length and for long arrays; or the one size
// that the user chose.
std::vector<Shaping> shapings(const Device& gpu, std::uint64_t n, std::optional<std::uint32_t> workGroup)
{
    if (workGroup) return {{n, workGroup}};
    std::vector<Shaping> all;
    for (const std::uint32_t size : matrixWorkGroups(gpu)) all.push_back({n, size});
    all.insert(all.end(), {{n, {}}, {longInOnePlace, {}}});
    return all;
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
    if (settings_.onlySize == 0U)  // it starts no kernel: what passes must have passed at other lengths, too
        for (const std::uint64_t n : quickSizes(0)) sizes.push_back(n);
    const std::uint64_t given = settings_.pattern ? settings_.pattern->fileLength() : 0;
    std::erase_if(sizes, [&](std::uint64_t n) { return n > settings_.upTo || (given > 0 && n > given); });

    const auto checkAll = [&](TaskOutcome& outcome, const Pattern& pattern, std::uint64_t n, Shared& shared) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> done;
        for (const Shaping& one : shapings(gpu_, n, settings_.workGroup)) {
            const Task& task = outcome.task;
            KernelShape shape = task.shapeFor(one.n);
            shape.workGroup = one.workGroup.value_or(shape.workGroup);
            const bool own = settings_.workGroup || shape.workGroup == task.shape.workGroup;
            if (skipCombination(n, pattern.text() == "random", own)) continue;
            outcome.cutShort = outcome.cutShort || deviceFailed();
            if (deviceFailed()) continue;
            CaseOutcome shaping = blank(pattern, n, shape);
            guarded(shaping, [&] { shape = shapeOf(task, one.n, one.workGroup); });
            if (!done.insert({shape.workGroup, shape.elements}).second) continue;
            outcome.cases.push_back(shaping.status == Status::passed ? checkCase(task, pattern, n, shape, shared)
                                                                     : shaping);
        }
    };

    for (const std::uint64_t n : sizes) {
        const auto patterns = settings_.pattern ? std::vector{*settings_.pattern} : matrixPatterns(n);
        for (const Pattern& pattern : patterns) {
            progress_(fmt::format("checking n = {}, {} (up to {})", n, pattern.text(), sizes.back()));
            Shared shared;  // one input and one upload for all tasks and work-groups
            for (TaskOutcome& outcome : outcomes) checkAll(outcome, pattern, n, shared);
        }
    }
    for (TaskOutcome& outcome : outcomes) finish(outcome, false);
    return outcomes;
}

}  // namespace a2
