#include "annexes/theory/Growth.h"

#include "a2/Error.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t budgetOfPoint = std::uint64_t{1} << 26;  // instructions followed for one point

// False if no further point can be counted.
bool addPoint(const Workload& work, std::uint64_t n, const KernelShape& shape, std::vector<GrowthPoint>& points)
{
    try {
        points.push_back({n, shape, measures(countDispatches(work, n, shape, budgetOfPoint))});
        return true;
    } catch (const LimitError&) {
        return false;
    }
}

Growth growthIn(const std::vector<GrowthPoint>& points, std::uint64_t (*measure)(const Measures&))
{
    std::vector<double> ratios;
    for (const GrowthPoint& one : points)
        ratios.push_back(static_cast<double>(measure(one.measures)) / static_cast<double>(one.n));
    return growthOf(ratios);
}

Growth both(Growth one, Growth other)
{
    if (one == Growth::grows || other == Growth::grows) return Growth::grows;
    return one == Growth::bounded ? other : one;
}

}  // namespace

Growth growthOf(const std::vector<double>& ratios)
{
    constexpr std::size_t fewest = 4;
    constexpr double tolerance = 1.1;
    if (ratios.size() < fewest) return Growth::unknown;
    return ratios.back() > tolerance * ratios[(ratios.size() - 1) / 2] ? Growth::grows : Growth::bounded;
}

Optimality optimality(const Workload& work, const Task& task, bool exclusive)
{
    constexpr std::uint64_t shortest = 64, longest = 65536, widest = 1024;  // elements; invocations
    Optimality found;
    KernelShape shape;
    shape.workGroup = 4;
    shape.elements = task.elementsUnit;
    shape.exclusive = exclusive && task.taskClass->hasExclusive;
    for (std::uint64_t n = shortest; n <= longest; n *= 4)
        if (!addPoint(work, n, shape, found.longer)) break;
    for (std::uint64_t n = shortest; n <= widest * shape.elements; n *= 2) {
        shape.workGroup = static_cast<std::uint32_t>(n / shape.elements);
        if (!addPoint(work, n, shape, found.wider)) break;
    }
    const auto workOf = [](const Measures& one) { return one.work; };
    const auto costOf = [](const Measures& one) { return one.cost(); };
    found.work = both(growthIn(found.longer, workOf), growthIn(found.wider, workOf));
    found.cost = both(growthIn(found.longer, costOf), growthIn(found.wider, costOf));
    return found;
}

}  // namespace a2
