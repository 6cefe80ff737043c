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

bool isOver(const TaskOutcome& outcome) { return outcome.firstFailure() != nullptr; }

// How far the matrix is: rows, cases, and how long the rest takes if each element goes on to cost the same.
class MatrixProgress {
public:
    MatrixProgress(const std::vector<CheckRound>& rounds, std::size_t rows) : rows_(rows)
    {
        for (const CheckRound& round : rounds)
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

std::vector<TaskOutcome> Evaluator::check(const std::vector<Task>& tasks, const ShowOutcome& show)
{
    const std::vector<CheckRound> rounds = planCheck(tasks);
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
    for (const CheckRound& round : rounds) {
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
