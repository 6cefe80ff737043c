#include "annexes/obstacles/ObstaclesText.h"

#include "judge/StepModel.h"
#include "report/BenchTable.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::string shareText(const MethodOutcome& one, double copyPeakGBps)
{
    if (!(copyPeakGBps > 0) || !(one.ms.median > 0)) return "-";
    const double bytes = 2.0 * sizeof(std::uint32_t) * static_cast<double>(one.n);
    const double percent = 100 * bytes / one.ms.median / 1e6 / copyPeakGBps;
    // Three significant digits of a small number would not fit the column.
    return percent < 0.1 ? fmt::format("{:.3f}", percent) : fmt::format("{:.3g}", percent);
}

std::string numbersText(const Operations& all)
{
    return fmt::format("{:>13} {:>12} {:>12}", all.additions, all.reads, all.writes);
}

std::string coldText(const std::vector<MethodOutcome>& methods)
{
    const MethodOutcome& first = methods.front();
    return fmt::format(
        "{} ran first, when device and driver were cold. Every first run pays for what a driver puts off until "
        "then, {:.3g} times the median here: compare medians, which are of {} runs after warming up.",
        methodName(first.method), first.ms.median > 0 ? first.firstMs / first.ms.median : 0, first.ms.count);
}

}  // namespace

std::string sweepText(const Sweep& sweep, float maxDistance, const ObstacleReference& found, const ConsoleStyle& style)
{
    constexpr std::size_t mostFront = 18, mostBack = 8;  // fit a line
    std::string text =
        wrapped(fmt::format("{}; an obstacle is nearer than {}", sweep.origin, maxDistance), 0, lineColumns);
    const std::vector<std::uint32_t>& scan = found.readings;
    const bool all = style.verbose || scan.size() <= mostFront + mostBack;
    std::string values;
    for (std::size_t i = 0; i < scan.size(); ++i) {
        if (!all && i == mostFront) {
            values += " ...";
            i = scan.size() - mostBack;
        }
        values += fmt::format(" {}", scan[i]);
    }
    if (!scan.empty()) text += wrapped("Obstacle array's scan:" + values, 0, lineColumns);
    return text;
}

std::string obstaclesText(const Sweep& sweep, const std::vector<Obstacle>& obstacles, std::uint64_t readings,
                          const ConsoleStyle& style)
{
    constexpr std::size_t few = 8;
    std::string text =
        fmt::format("{} in {}\n", plural(readings, "obstacle reading"), plural(obstacles.size(), "obstacle"));
    if (readings != obstacles.size())
        text +=
            wrapped("A reading is one beam that is too short, an obstacle a run of neighbouring ones.", 0, lineColumns);
    const std::size_t shown = style.verbose ? obstacles.size() : std::min(few, obstacles.size());
    if (shown > 0)
        text += fmt::format("{:>10} {:>12} {:>12} {:>10} {:>12}\n", "obstacle", "first beam", "last beam", "beams",
                            "nearest at");
    for (std::size_t i = 0; i < shown; ++i) {
        const Obstacle& one = obstacles[i];
        const auto begin = sweep.distances.begin() + static_cast<std::ptrdiff_t>(one.first);
        text += fmt::format("{:>10} {:>12} {:>12} {:>10} {:>12.6g}\n", i + 1, one.first, one.first + one.beams - 1,
                            one.beams, *std::min_element(begin, begin + static_cast<std::ptrdiff_t>(one.beams)));
    }
    if (shown < obstacles.size()) text += fmt::format("{:>10} more with --verbose\n", obstacles.size() - shown);
    return text;
}

std::string methodsText(const std::vector<MethodOutcome>& methods, const KernelShape& shape, const ConsoleStyle& style)
{
    std::string text = fmt::format("\n{:<16} {:>8} {:>8} {:>13} {:>12} {:>12} {:>5}\n", "method", "first ms", "ms",
                                   "additions", "reads", "writes", "%copy");
    for (const MethodOutcome& one : methods) {
        text += fmt::format("{:<16} {:>8} {:>8} {} {:>5}\n", methodName(one.method), digitsText(one.firstMs),
                            digitsText(one.ms.median),
                            one.counts ? numbersText(one.counts->all) : fmt::format("{:>39}", "not counted"),
                            shareText(one, style.copyPeakGBps));
        text += fmt::format("{:<34} {}\n", "  the report's formulas", numbersText(reportFormulas(one.method, one.n)));
    }
    text += wrapped(
        fmt::format("Tiles of {} elements ({} invocations x {}). Additions, and words read from and written to "
                    "global memory, are counted by following the kernels on the host; %copy is the bandwidth of "
                    "reading and writing each element once, as a percentage of the copy kernel's.",
                    shape.tile(), shape.workGroup, shape.elements),
        0, lineColumns);
    if (std::any_of(methods.begin(), methods.end(), [](const MethodOutcome& one) { return !one.counts; }))
        text += wrapped(fmt::format("Not counted is what takes more than {} instructions to be followed: choose fewer "
                                    "beams",
                                    mostCounted),
                        0, lineColumns);
    text += wrapped(coldText(methods), 0, lineColumns);
    std::vector<std::string> said;
    for (const MethodOutcome& one : methods)
        for (const std::string& line :
             one.counts ? differences(one.method, one.n, one.tile, one.counts->all, one.counts->forTotals)
                        : std::vector<std::string>())
            if (std::find(said.begin(), said.end(), line) == said.end()) {
                said.push_back(line);
                text += wrapped(line, 2, lineColumns);
            }
    if (methods.front().n > longestWhole)
        text += wrapped(fmt::format("Left out: brute force over the whole array beyond {} beams, in tiles beyond {}",
                                    longestWhole, longestInTiles),
                        2, lineColumns);
    return text;
}

}  // namespace a2
