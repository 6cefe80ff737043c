#include "theory/Growth.h"

#include "a2/Error.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t budget = 20'000'000;  // instructions followed for one point

// False where no further point can be had.
bool addPoint(Device& gpu, const Task& task, std::uint64_t n, const KernelShape& shape,
              std::vector<GrowthPoint>& points)
{
    try {
        const Measures counted = measures(countDispatches(gpu, workloadOf(gpu, task, n), shape, budget));
        if (!counted.complete) return false;
        points.push_back({n, shape, counted});
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

Optimality optimality(Device& gpu, const Task& task, bool exclusive)
{
    constexpr std::uint64_t shortest = 64, longest = 65536, widest = 1024;  // elements; invocations
    Optimality found;
    KernelShape shape;
    shape.workGroup = 4;
    shape.elements = task.elementsUnit;
    shape.exclusive = exclusive && task.taskClass->hasExclusive;
    for (std::uint64_t n = shortest; n <= longest; n *= 4)
        if (!addPoint(gpu, task, n, shape, found.longer)) break;
    for (std::uint64_t n = shortest; n <= widest * shape.elements; n *= 2) {
        shape.workGroup = static_cast<std::uint32_t>(n / shape.elements);
        if (!addPoint(gpu, task, n, shape, found.wider)) break;
    }
    const auto work = [](const Measures& one) { return one.work; };
    const auto cost = [](const Measures& one) { return one.cost(); };
    found.work = both(growthIn(found.longer, work), growthIn(found.wider, work));
    found.cost = both(growthIn(found.longer, cost), growthIn(found.wider, cost));
    return found;
}

}  // namespace a2
