#include "judge/WorkProgress.h"

#include <fmt/format.h>

namespace a2 {

namespace {

double costOf(std::uint64_t n, std::size_t count)
{
    constexpr double ofACase = 50'000;
    return (ofACase + static_cast<double>(n)) * static_cast<double>(count);
}

}  // namespace

void WorkProgress::expect(std::uint64_t n, std::size_t count)
{
    cases_ += count;
    cost_ += costOf(n, count);
}

void WorkProgress::done(std::uint64_t n, std::size_t count)
{
    casesDone_ += count;
    costDone_ += costOf(n, count);
}

std::string WorkProgress::text() const
{
    const std::string line = fmt::format("{} of {} cases", casesDone_, cases_);
    if (costDone_ <= 0) return line;
    const double seconds = msSince(start_) / 1e3 * (cost_ - costDone_) / costDone_;
    return line +
           (seconds < 90 ? fmt::format(", {:.0f} s left", seconds) : fmt::format(", {:.0f} min left", seconds / 60));
}

}  // namespace a2
