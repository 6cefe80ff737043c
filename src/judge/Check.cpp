// Evaluator::check: the correctness matrix.

#include "base/Clock.h"
#include "judge/Evaluator.h"
#include "judge/Matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace a2 {

namespace {

// Beyond mediumSize the default work-group size goes through the patterns, and random input through the work-group
// sizes.
bool skipCombination(std::uint64_t n, bool randomPattern, bool defaultWorkGroup)
{
    return n > mediumSize && !randomPattern && !defaultWorkGroup;
}

// Too few tiles to be folded, or so many that a CPU device takes long.
bool skipFolding(const CaseOutcome& one)
{
    constexpr std::uint64_t longest = 4200;
    return ceilDiv(one.n, one.shape.tile()) <= foldingLimit.x || one.n > longest;
}

// One input, and what every task is asked for on it, task by task.
struct Round {
    std::uint64_t n;
    Pattern pattern;
    std::vector<std::vector<CaseOutcome>> cases;  // not run yet; those that are no pass already will not be
};

// The lengths that these settings leave of the matrix.
std::vector<std::uint64_t> lengths(const Device& gpu, const EvaluationSettings& settings)
{
    std::vector<std::uint64_t> sizes =
        settings.onlySize ? std::vector{*settings.onlySize} : matrixSizes(gpu, settings.course);
    if (settings.onlySize == 0U)  // it starts no kernel: what passes must have passed at other lengths, too
        for (const std::uint64_t n : quickSizes(0, settings.course)) sizes.push_back(n);
    const std::uint64_t given = settings.pattern ? settings.pattern->fileLength() : 0;
    std::erase_if(sizes, [&](std::uint64_t n) { return n > settings.upTo || (given > 0 && n > given); });
    return sizes;
}

// Every shape of the matrix, or those that the user's choice leaves.
std::vector<MatrixShape> shapes(const Device& gpu, const EvaluationSettings& settings, std::uint64_t n, bool random)
{
    if (settings.workGroup) return {{n, settings.workGroup}};
    std::vector<MatrixShape> all = matrixShapes(gpu, n, random);
    std::erase_if(all, [&](const MatrixShape& one) {
        return (one.fewestElements && settings.elements) || (one.exclusive && settings.exclusive) ||
               (one.limit && settings.dispatchLimit);
    });
    return all;
}

bool isOver(const TaskOutcome& outcome) { return outcome.firstFailure() != nullptr; }

// How far the matrix is: rows, cases, and how long the rest takes if each element goes on to cost the same.
class MatrixProgress {
public:
    MatrixProgress(const std::vector<Round>& rounds, std::size_t rows) : rows_(rows)
    {
        for (const Round& round : rounds)
            for (const auto& ofRow : round.cases) {
                cases_ += ofRow.size();
                cost_ += costOf(round.n) * static_cast<double>(ofRow.size());
            }
    }

    // `count` cases of n elements are done, or need not be run any more.
    void done(std::uint64_t n, std::size_t count)
    {
        casesDone_ += count;
        costDone_ += costOf(n) * static_cast<double>(count);
    }
    void rowDone() { ++rowsDone_; }

    std::string text() const
    {
        std::string line =
            fmt::format("checking: {} of {} rows done, {} of {} cases", rowsDone_, rows_, casesDone_, cases_);
        if (costDone_ <= 0) return line;
        const double seconds = msSince(start_) / 1e3 * (cost_ - costDone_) / costDone_;
        return line + (seconds < 90 ? fmt::format(", {:.0f} s left", seconds)
                                    : fmt::format(", {:.0f} min left", seconds / 60));
    }

private:
    static double costOf(std::uint64_t n)
    {
        constexpr double ofACase = 50'000;  // in elements
        return ofACase + static_cast<double>(n);
    }

    Clock::time_point start_ = Clock::now();
    std::size_t rows_, rowsDone_ = 0, cases_ = 0, casesDone_ = 0;
    double cost_ = 0, costDone_ = 0;
};

}  // namespace

// What `task` is asked for on this input; each shape once.
std::vector<CaseOutcome> Evaluator::planCases(const Task& task, const Pattern& pattern,
                                              const std::vector<MatrixShape>& wanted, std::uint64_t n)
{
    std::vector<CaseOutcome> cases;
    std::set<std::pair<KernelShape, bool>> planned;
    for (const MatrixShape& one : wanted) {
        KernelShape shape = task.shapeFor(one.n);
        shape.workGroup = one.workGroup.value_or(shape.workGroup);
        if (skipCombination(n, pattern.text() == "random", hasOwnWorkGroup(task, shape))) continue;
        CaseOutcome blankCase = blank(pattern, n, shape);
        guarded(blankCase, [&] { blankCase.shape = shapeOf(task, one.n, one.workGroup); });
        if (one.fewestElements) blankCase.shape.elements = task.elementsUnit;
        if (one.exclusive && task.taskClass->hasExclusive) blankCase.shape.exclusive = true;
        if (one.limit) blankCase.limit = one.limit;
        if (one.limit && skipFolding(blankCase)) continue;
        if (planned.insert({blankCase.shape, one.limit.has_value()}).second) cases.push_back(std::move(blankCase));
    }
    return cases;
}

std::vector<TaskOutcome> Evaluator::check(const std::vector<Task>& tasks, const ShowOutcome& show)
{
    std::vector<Round> rounds;
    const auto addRound = [&](std::uint64_t n, const Pattern& pattern, const std::vector<MatrixShape>& wanted) {
        Round& round = rounds.emplace_back(Round{n, pattern, {}});
        for (const Task& task : tasks) round.cases.push_back(planCases(task, pattern, wanted, n));
    };
    for (const std::uint64_t n : lengths(gpu_, settings_))
        for (const Pattern& pattern : settings_.pattern ? std::vector{*settings_.pattern} : matrixPatterns(n))
            addRound(n, pattern, shapes(gpu_, settings_, n, pattern.text() == "random"));
    const bool whole =
        !gpu_.isEmulated() && !settings_.onlySize && !settings_.pattern && !settings_.workGroup && !settings_.elements;
    const std::uint64_t many = manyTiles * smallestWorkGroup * 2;
    if (whole && many <= std::min(settings_.upTo, largestInOneBinding(gpu_)))
        addRound(many, Pattern::parse("random"), {{many, smallestWorkGroup, true}});

    std::vector<TaskOutcome> outcomes(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) outcomes[i].task = tasks[i];
    MatrixProgress progress(rounds, tasks.size());
    const auto conclude = [&](TaskOutcome& outcome) {
        finish(outcome, false);
        lookAtMethod(outcome);
        progress.rowDone();
        if (show) show(outcome);
    };
    const auto checkRow = [&](TaskOutcome& outcome, const Pattern& pattern, const std::vector<CaseOutcome>& cases,
                              Shared& shared) {
        for (const CaseOutcome& one : cases) {
            if (deviceFailed()) return;
            if (!isOver(outcome)) {
                progress_(progress.text());
                outcome.cases.push_back(one.status == Status::passed
                                            ? checkCase(outcome.task, pattern, one.n, one.shape, shared, one.limit)
                                            : one);
            }
            progress.done(one.n, 1);
        }
    };
    for (const Round& round : rounds) {
        std::vector<TaskOutcome*> failedNow;
        {
            Shared shared;  // one input and one upload for all tasks and work-groups
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                const bool over = isOver(outcomes[i]);
                checkRow(outcomes[i], round.pattern, round.cases[i], shared);
                if (!over && isOver(outcomes[i])) failedNow.push_back(&outcomes[i]);
            }
        }
        for (TaskOutcome* outcome : failedNow) conclude(*outcome);
    }
    if (deviceFailed()) std::erase_if(outcomes, [](const TaskOutcome& one) { return !isOver(one); });
    for (TaskOutcome& outcome : outcomes)
        if (!isOver(outcome)) conclude(outcome);
    return outcomes;
}

}  // namespace a2
