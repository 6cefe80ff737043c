#include "report/BenchTable.h"

#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace a2 {

namespace {

const char* verdictWord(Status status)
{
    switch (status) {
        case Status::passed:
            break;
        case Status::failed:
            return "FAILED";
        case Status::skipped:
            return "SKIPPED";
        case Status::timeout:
            return "TIME-OUT";
        case Status::crashed:
            return "DEVICE LOST";
        case Status::notWritten:
            return "NOT WRITTEN";
    }
    return "passed";
}

}  // namespace

std::string lengthText(std::uint64_t n)
{
    constexpr std::uint64_t smallest = 1024, near = 9;
    if (n < smallest - near) return fmt::format("{}", n);
    for (const std::uint64_t power : {std::bit_floor(n), std::bit_floor(n) * 2}) {
        const int exponent = std::countr_zero(power);
        if (n == power) return fmt::format("2^{}", exponent);
        if (n > power && n - power <= near) return fmt::format("2^{}+{}", exponent, n - power);
        if (n < power && power - n <= near) return fmt::format("2^{}-{}", exponent, power - n);
    }
    return fmt::format("{}", n);
}

std::string digitsText(double value)
{
    constexpr int digits = 4, mostDecimals = 6;
    if (!(value > 0)) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(value)));
    return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - magnitude, 0, mostDecimals));
}

BenchTable::BenchTable(const std::vector<Task>& tasks, double copyPeakGBps, unsigned inFlight)
    : copyPeakGBps_(copyPeakGBps), inFlight_(inFlight)
{
    for (const Task& task : tasks) idWidth_ = std::max(idWidth_, task.id.size());
}

std::string BenchTable::rowStart(const Task& task, std::uint64_t n, const std::string& shape) const
{
    return fmt::format("{:<{}} {:>10} {:>9}", task.id, idWidth_, lengthText(n), shape);
}

std::string BenchTable::head() const
{
    return fmt::format("{:<{}} {:>10} {:>9} {:>9} {:>8} {:>8} {:>7}\n", "task", idWidth_, "n", "wg x elem",
                       inFlight_ > 1 ? "ms / run" : "kernel ms", "GE/s", "GB/s", "% copy");
}

std::string BenchTable::row(const Task& task, const CaseOutcome& one) const
{
    const std::string start = rowStart(task, one.n, shapeText(one.shape));
    if (!one.benchmark) {
        std::string text = fmt::format("{} {}", start, verdictWord(one.status));
        // The reason for skipping stands here; the reason for a failure, in full, after the table.
        if (one.status == Status::skipped && !one.findings.empty()) text += ": " + one.findings.front().text();
        return wrapped(text, 0, lineColumns);
    }
    const Benchmark& benchmark = *one.benchmark;
    const std::string share =
        copyPeakGBps_ > 0 ? fmt::format("{:.1f}", 100 * benchmark.bandwidth() / copyPeakGBps_) : "-";
    return fmt::format("{} {:>9} {:>8} {:>8} {:>7}\n", start, digitsText(benchmark.ms.median),
                       digitsText(benchmark.throughput()), digitsText(benchmark.bandwidth()), share);
}

std::string BenchTable::detailHead() const
{
    return fmt::format("{:<{}} {:>9} {:>4} {:>5} {:>8} {:>8} {:>8} {:>8}\n", "task", idWidth_, "n", "wg", "cv %",
                       "host ms", "whole ms", "CPU 1 ms", "CPU n ms");
}

std::string BenchTable::detailRow(const Task& task, const Benchmark& benchmark) const
{
    return fmt::format("{:<{}} {:>9} {:>4} {:>5.1f} {:>8} {:>8} {:>8} {:>8}\n", task.id, idWidth_,
                       lengthText(benchmark.n), benchmark.shape.workGroup, benchmark.ms.cv * 100,
                       digitsText(benchmark.hostMs), digitsText(benchmark.whole.sum()), digitsText(benchmark.cpuMs),
                       benchmark.cpuAllMs ? digitsText(*benchmark.cpuAllMs) : "-");
}

std::string BenchTable::wholeHead() const
{
    return fmt::format("{:<{}} {:>9} {:>4} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "whole ms =", idWidth_, "n", "wg",
                       "alloc.", "+upload", "+prep.", "+launch", "+downl.");
}

std::string BenchTable::wholeRow(const Task& task, const Benchmark& benchmark) const
{
    const WholeTimes& whole = benchmark.whole;
    std::string text =
        fmt::format("{:<{}} {:>9} {:>4}", task.id, idWidth_, lengthText(benchmark.n), benchmark.shape.workGroup);
    // The host's clock, with everything between two readings, is no finer than a microsecond.
    for (const double ms : {whole.allocateMs, whole.uploadMs, whole.prepareMs, whole.launchMs, whole.downloadMs})
        text += fmt::format(" {:>7}", ms < 1 ? fmt::format("{:.3f}", ms) : digitsText(ms));
    return text + "\n";
}

std::string BenchTable::bars(const std::vector<TaskOutcome>& outcomes) const
{
    double most = 0;
    for (const TaskOutcome& outcome : outcomes)
        for (const CaseOutcome& one : outcome.cases)
            if (one.benchmark) most = std::max(most, one.benchmark->throughput());
    std::string text;
    for (const TaskOutcome& outcome : outcomes)
        for (const CaseOutcome& one : outcome.cases) {
            if (!one.benchmark) continue;
            const std::string start = fmt::format("{} {:>8} ", rowStart(outcome.task, one.n, shapeText(one.shape)),
                                                  digitsText(one.benchmark->throughput()));
            const double room = static_cast<double>(lineColumns) - static_cast<double>(start.size());
            const double share = most > 0 ? one.benchmark->throughput() / most : 0;
            text += start + std::string(static_cast<std::size_t>(std::max(0.0, std::round(room * share))), '#') + "\n";
        }
    return text.empty() ? text
                        : fmt::format("{:<{}} {:>10} {:>9} {:>8}\n", "task", idWidth_, "n", "wg x elem", "GE/s") + text;
}

std::optional<std::string> chainNote(const std::vector<Task>& tasks, unsigned inFlight)
{
    std::string ids;
    for (const Task& task : tasks)
        if (!task.keepsInput) ids += (ids.empty() ? "" : ", ") + task.id;
    if (inFlight <= 1 || ids.empty()) return std::nullopt;
    return fmt::format(
        "note: without --in-flight, each run waits for the one before: {} (runs side by side would share the input, "
        "which is written over there)",
        ids);
}

std::optional<std::string> fewerNote(const Task& task, const Benchmark& benchmark, unsigned inFlight)
{
    if (!task.keepsInput || benchmark.n == 0 || benchmark.inFlight >= std::min(inFlight, benchmark.batch))
        return std::nullopt;
    return fmt::format("note: {}, n = {}: {} in flight instead of {}, because memory does not hold more of them",
                       task.id, lengthText(benchmark.n), benchmark.inFlight, std::min(inFlight, benchmark.batch));
}

std::optional<std::string> spreadNote(const std::vector<TaskOutcome>& outcomes)
{
    constexpr double tooWide = 0.05;
    std::size_t timed = 0, wide = 0;
    const Task* task = nullptr;
    const Benchmark* widest = nullptr;
    for (const TaskOutcome& outcome : outcomes)
        for (const CaseOutcome& one : outcome.cases) {
            if (!one.benchmark) continue;
            ++timed;
            if (one.benchmark->ms.cv <= tooWide) continue;
            ++wide;
            if (widest && one.benchmark->ms.cv <= widest->ms.cv) continue;
            task = &outcome.task;
            widest = &*one.benchmark;
        }
    if (!widest) return std::nullopt;
    const std::string which = timed == 1 ? "" : fmt::format(" of {} of {} cases", wide, timed);
    return fmt::format(
        "note: repetitions{} spread by more than {:.0f} % (cv), most at {}, n = {}, {}: {:.1f} %; for medians to "
        "trust, a quiet machine and more of them (-r {})",
        which, tooWide * 100, task->id, lengthText(widest->n), shapeText(widest->shape), widest->ms.cv * 100,
        5 * widest->ms.count);
}

}  // namespace a2
