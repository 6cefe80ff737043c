#include "annexes/prescan/PrescanJudge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace a2 {

namespace {

double gammaOf(std::uint64_t k)
{
    const double ku = std::ldexp(static_cast<double>(k), -24);
    return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

}  // namespace

void PreciseSum::add(const ElementType& element, std::uint32_t word)
{
    modular += word;
    if (!element.isReal) return;
    const auto value = static_cast<double>(std::bit_cast<float>(word));
    const double next = sum + value;
    // The rounding error of the addition, exactly.
    lost += std::fabs(sum) >= std::fabs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
    magnitude += std::fabs(value);
}

PrescanJudge::PrescanJudge(const PrescanSettings& settings, const InputFacts& facts, std::uint64_t depth,
                           const PreciseSum& before, std::uint64_t first)
    : settings_(settings),
      gamma_(gammaOf(depth)),
      subnormal_(facts.quantum > 0 && facts.quantum < std::numeric_limits<float>::min()),
      exactUpTo_(subnormal_ ? -1 : std::ldexp(facts.quantum, 24)),
      sum_(before),
      index_(first)
{
}

double PrescanJudge::allowed() const
{
    if (!settings_.element->isReal || sum_.magnitude <= exactUpTo_) return 0;
    const double flushed = subnormal_ ? std::ldexp(static_cast<double>(index_) + 1, -125) : 0;
    const double rounding = gamma_ * (1 + std::ldexp(1.0, -22));  // the sum of magnitudes may be too small by that
    return (rounding + std::ldexp(1.0, -44)) * sum_.magnitude + flushed;
}

void PrescanJudge::compare(std::uint32_t word)
{
    const bool whole = !settings_.element->isReal;
    const double expected = whole ? sum_.modular : sum_.sum + sum_.lost;
    const double got = whole ? word : static_cast<double>(std::bit_cast<float>(word));
    const double error = whole ? std::fabs(got - expected) : std::fabs((got - sum_.sum) - sum_.lost);
    const double most = allowed();
    if (!(error <= most)) {  // also true for NaN
        if (verdict_.wrong++ == 0) {
            verdict_.firstIndex = index_;
            verdict_.expected = expected;
            verdict_.got = got;
            verdict_.allowed = most;
        }
    }
    if (error > verdict_.largestError) {
        verdict_.largestError = error;
        verdict_.largestAt = index_;
    }
    verdict_.mostAllowed = std::max(verdict_.mostAllowed, most);
}

void PrescanJudge::look(std::span<const std::uint32_t> input, std::span<const std::uint32_t> result)
{
    for (std::size_t i = 0; i < input.size(); ++i, ++index_) {
        if (!settings_.shape.exclusive) sum_.add(*settings_.element, input[i]);
        compare(result[i]);
        if (settings_.shape.exclusive) sum_.add(*settings_.element, input[i]);
    }
}

std::string accuracyLine(const PrescanSettings& settings, const PrescanVerdict& verdict, std::uint64_t depth)
{
    if (!settings.element->isReal) return fmt::format("{} exact modulo 2^32", accuracyMark);
    if (verdict.largestError == 0) return fmt::format("{} exact", accuracyMark);
    return fmt::format("{} largest error {:.3g}, at element {}; up to {:.3g} of the sum of magnitudes is rounding",
                       accuracyMark, verdict.largestError, verdict.largestAt, gammaOf(depth));
}

}  // namespace a2
