// Evaluator::planCheck: the cases of the correctness matrix.

#include "judge/Evaluator.h"
#include "judge/Matrix.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"

#include <algorithm>
#include <set>
#include <utility>

namespace a2 {

namespace {

// Beyond mediumSize, the patterns use only the default work-group size, and the other sizes only random input.
bool skipCombination(std::uint64_t n, bool randomPattern, bool defaultWorkGroup)
{
    return n > mediumSize && !randomPattern && !defaultWorkGroup;
}

// The lengths of the matrix that these settings keep.
std::vector<std::uint64_t> lengths(const Device& gpu, const EvaluationSettings& settings)
{
    std::vector<std::uint64_t> sizes =
        settings.onlySize ? std::vector{*settings.onlySize} : matrixSizes(gpu, settings.course, settings.upTo);
    if (settings.onlySize == 0U)  // it starts no kernel: a pass requires passes at other lengths
        for (const std::uint64_t n : quickSizes(0, settings.course)) sizes.push_back(n);
    const std::uint64_t given = settings.pattern ? settings.pattern->fileLength() : 0;
    std::erase_if(sizes, [&](std::uint64_t n) { return n > settings.upTo || (given > 0 && n > given); });
    return sizes;
}

// Every shape of the matrix, or those that the user's choice keeps.
std::vector<MatrixShape> shapes(const Device& gpu, const EvaluationSettings& settings, std::uint64_t n, bool random,
                                bool brief)
{
    if (settings.workGroup) return {{n, settings.workGroup}};
    std::vector<MatrixShape> all = matrixShapes(gpu, n, random, brief);
    std::erase_if(all, [&](const MatrixShape& one) {
        return ((one.fewestElements || one.mostElements) && settings.elements) ||
               (one.exclusive && settings.exclusive) || (one.limit && settings.lowerLimits);
    });
    return all;
}

}  // namespace

// The cases of `task` on this input; each shape once.
std::vector<CaseOutcome> Evaluator::planCases(const Task& task, const Pattern& pattern,
                                              const std::vector<MatrixShape>& wanted, std::uint64_t n)
{
    std::vector<CaseOutcome> cases;
    std::set<std::pair<KernelShape, bool>> planned;
    for (const MatrixShape& one : wanted) {
        KernelShape shape = task.shapeFor(one.n);
        shape.workGroup = one.workGroup.value_or(shape.workGroup);
        if (one.mostElements ? task.taskClass->fixedResults == 0
                             : skipCombination(n, pattern.text() == "random", cases_.hasOwnWorkGroup(task, shape)))
            continue;
        CaseOutcome blankCase = cases_.blank(pattern, n, shape);
        cases_.guarded(blankCase, [&] { blankCase.shape = cases_.shapeOf(task, one.n, one.workGroup); });
        if (one.fewestElements) blankCase.shape.elements = task.elementsUnit;
        if (one.mostElements) blankCase.shape.elements = mostPerInvocation;
        if (one.exclusive && task.taskClass->hasExclusive) blankCase.shape.exclusive = true;
        if (one.limit) blankCase.limit = one.limit;
        if (planned.insert({blankCase.shape, one.limit.has_value()}).second) cases.push_back(std::move(blankCase));
    }
    return cases;
}

// Nothing beyond the matrix if the user chose its contents.
std::uint64_t Evaluator::longestChecked() const { return settings_.onlySize || settings_.pattern ? 0 : settings_.upTo; }

std::vector<CheckRound> Evaluator::planCheck(const std::vector<Task>& tasks)
{
    std::vector<CheckRound> rounds;
    const auto addRound = [&](std::uint64_t n, const Pattern& pattern, const std::vector<MatrixShape>& wanted) {
        CheckRound& round = rounds.emplace_back(CheckRound{n, pattern, {}});
        for (const Task& task : tasks) round.cases.push_back(planCases(task, pattern, wanted, n));
    };
    const std::vector<std::uint64_t> planned = lengths(gpu_, settings_);
    for (const std::uint64_t n : planned) {
        const bool brief = isBrief(gpu_.isCpu(), planned, n);
        const auto patterns = settings_.pattern ? std::vector{*settings_.pattern} : matrixPatterns(gpu_, n);
        for (const Pattern& pattern : patterns)
            addRound(n, pattern, shapes(gpu_, settings_, n, pattern.text() == "random", brief));
    }
    // The short lengths that the matrix leaves out, once each: some faults occur at a single length.
    const bool every = !settings_.onlySize && !settings_.pattern && !settings_.course;
    for (const std::uint64_t n : every ? smallLengths(settings_.upTo) : std::vector<std::uint64_t>())
        if (std::ranges::find(planned, n) == planned.end())
            addRound(n, Pattern::parse("random"),
                     settings_.workGroup ? std::vector<MatrixShape>{{n, settings_.workGroup}}
                                         : std::vector<MatrixShape>{{n}, {n, smallestWorkGroup, !settings_.elements}});
    const bool whole =
        !gpu_.isEmulated() && !settings_.onlySize && !settings_.pattern && !settings_.workGroup && !settings_.elements;
    const std::uint64_t many = manyTiles * smallestWorkGroup * 2;
    if (whole && many <= std::min(settings_.upTo, largestInOneBinding(gpu_)))
        addRound(many, Pattern::parse("random"), {{many, smallestWorkGroup, true, false, promisedGroups(gpu_)}});
    return rounds;
}

}  // namespace a2
