#include "judge/CheckPlan.h"

#include "judge/Matrix.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"
#include "tasks/Input.h"

#include <algorithm>
#include <cmath>
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

// Lengths that no solution can know, as many near 100 as near 100,000; ascending.
std::vector<std::uint64_t> drawnLengths(std::uint64_t seed, std::uint64_t longest)
{
    constexpr std::uint64_t count = 24, shortest = 71, mostDrawn = std::uint64_t{1} << 18;
    std::set<std::uint64_t> drawn;
    const double end = static_cast<double>(std::min(longest, mostDrawn));
    for (std::uint64_t i = 0; i < count && end > shortest; ++i) {
        const double share = static_cast<double>(randomElement(seed, i)) / 4294967296.0;
        drawn.insert(static_cast<std::uint64_t>(shortest * std::pow(end / shortest, share)));
    }
    return {drawn.begin(), drawn.end()};
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

// The cases of `task` on this input; each shape once.
std::vector<CaseOutcome> planCases(Cases& cases, const Task& task, const Pattern& pattern,
                                   const std::vector<MatrixShape>& wanted, std::uint64_t n)
{
    std::vector<CaseOutcome> planned;
    std::set<std::pair<KernelShape, bool>> seen;
    for (const MatrixShape& one : wanted) {
        KernelShape shape = task.shapeFor(one.n);
        shape.workGroup = one.workGroup.value_or(shape.workGroup);
        if (one.mostElements ? task.taskClass->fixedResults == 0
                             : skipCombination(n, pattern.text() == "random", cases.hasOwnWorkGroup(task, shape)))
            continue;
        CaseOutcome blankCase = cases.blank(pattern, n, shape);
        cases.guarded(blankCase, [&] { blankCase.shape = cases.shapeOf(task, one.n, one.workGroup); });
        if (one.fewestElements) blankCase.shape.elements = task.elementsUnit;
        if (one.mostElements) blankCase.shape.elements = mostPerInvocation;
        if (one.exclusive && task.taskClass->hasExclusive) blankCase.shape.exclusive = true;
        if (one.limit) blankCase.limit = one.limit;
        if (seen.insert({blankCase.shape, one.limit.has_value()}).second) planned.push_back(std::move(blankCase));
    }
    return planned;
}

}  // namespace

std::vector<CheckRound> planCheck(Cases& cases, const std::vector<Task>& tasks)
{
    const Device& gpu = cases.gpu;
    const EvaluationSettings& settings = cases.settings;
    std::vector<CheckRound> rounds;
    const auto addRound = [&](std::uint64_t n, const Pattern& pattern, const std::vector<MatrixShape>& wanted) {
        CheckRound& round = rounds.emplace_back(CheckRound{n, pattern, {}});
        for (const Task& task : tasks) round.cases.push_back(planCases(cases, task, pattern, wanted, n));
    };
    const std::vector<std::uint64_t> planned = lengths(gpu, settings);
    for (const std::uint64_t n : planned) {
        const bool brief = isBrief(gpu.isCpu(), planned, n);
        const auto patterns = settings.pattern ? std::vector{*settings.pattern} : matrixPatterns(gpu, n);
        for (const Pattern& pattern : patterns)
            addRound(n, pattern, shapes(gpu, settings, n, pattern.text() == "random", brief));
    }
    // The short lengths that the matrix leaves out, once each: some faults occur at a single length.
    const bool every = !settings.onlySize && !settings.pattern && !settings.course;
    for (const std::uint64_t n : every ? smallLengths(settings.upTo) : std::vector<std::uint64_t>())
        if (std::ranges::find(planned, n) == planned.end())
            addRound(n, Pattern::parse("random"),
                     settings.workGroup ? std::vector<MatrixShape>{{n, settings.workGroup}}
                                        : std::vector<MatrixShape>{{n}, {n, smallestWorkGroup, !settings.elements}});
    if (every && !settings.workGroup)
        for (const std::uint64_t n : drawnLengths(settings.seed, std::min(settings.upTo, planned.back())))
            addRound(n, Pattern::parse("random"), {{n}});
    const bool whole =
        !gpu.isEmulated() && !settings.onlySize && !settings.pattern && !settings.workGroup && !settings.elements;
    // Long arrays in the fewest elements per invocation: of the tasks that have so many.
    const auto addLong = [&](std::uint64_t tiles, std::uint64_t more, std::uint32_t workGroup, std::uint32_t elements,
                             const std::optional<LowerLimits>& limit) {
        const std::uint64_t n = tiles * workGroup * elements + more;
        if (!whole || n > std::min(settings.upTo, largestInOneBinding(gpu))) return;
        addRound(n, Pattern::parse("random"), {{n, workGroup, true, false, limit}});
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (tasks[i].elementsUnit != elements) rounds.back().cases[i].clear();
    };
    std::set<std::uint32_t> fewest;
    for (const Task& task : tasks) fewest.insert(task.elementsUnit);
    const std::uint32_t largest = matrixWorkGroups(gpu).back();
    for (const std::uint32_t elements : fewest) {
        addLong(manyTiles, 0, smallestWorkGroup, elements, promisedGroups(gpu));
        // More than 2^20 tiles: who packs their number with other bits may have too few for it. A CPU needs long for
        // them.
        if (!gpu.isCpu()) addLong((std::uint64_t{1} << 20) + 3, 0, smallestWorkGroup, elements, {});
        // Several tiles on the second level, too, in work-groups that are larger than most.
        for (const std::uint32_t workGroup : std::set<std::uint32_t>{512, largest})
            if (const std::uint64_t tile = std::uint64_t{workGroup} * elements;
                workGroup >= 512 && workGroup <= largest)
                addLong(tile + tile / 4, 3, workGroup, elements, {});
    }
    return rounds;
}

std::uint64_t longestInMatrix(const Device& gpu, const EvaluationSettings& settings)
{
    const std::vector<std::uint64_t> planned = lengths(gpu, settings);
    return planned.empty() ? 0 : *std::ranges::max_element(planned);
}

std::uint64_t longestChecked(const EvaluationSettings& settings)
{
    return settings.onlySize || settings.pattern ? 0 : settings.upTo;
}

}  // namespace a2
