#include "report/Console.h"

#include "report/Explanation.h"
#include "report/PrintedText.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <set>

namespace a2 {

namespace {

std::string timeText(const Benchmark& benchmark)
{
    return fmt::format("Execution time: {:.6g} ms, Throughput: {:.6g} GE/s\n", benchmark.ms.median,
                       benchmark.throughput());
}

std::string detailText(const Benchmark& benchmark, const ConsoleStyle& style)
{
    const Statistics& ms = benchmark.ms;
    std::string text = fmt::format("  n = {}, work-group {}, {} elements per invocation, {} clock\n", benchmark.n,
                                   benchmark.shape.workGroup, benchmark.shape.elements,
                                   benchmark.timer == Timer::gpu ? "GPU" : "host");
    text += fmt::format("  {} repetitions: min {:.6g}, median {:.6g}, max {:.6g} ms, cv {:.2g} %\n", ms.count, ms.min,
                        ms.median, ms.max, ms.cv * 100);
    text += fmt::format("  host {:.6g} ms, whole {:.6g} ms, one CPU thread {:.6g} ms\n", benchmark.hostMs,
                        benchmark.whole.sum(), benchmark.cpuMs);
    const double rate = benchmark.bandwidth();
    text += fmt::format("  {:.6g} GB/s", rate);
    if (style.copyPeakGBps > 0)
        text += fmt::format(", {:.3g} % of the copy kernel's {:.6g} GB/s", 100 * rate / style.copyPeakGBps,
                            style.copyPeakGBps);
    return text + "\n";
}

std::string casesText(const TaskOutcome& outcome)
{
    std::set<std::uint64_t> sizes;
    std::set<std::uint32_t> workGroups;
    std::size_t skipped = 0;
    for (const CaseOutcome& one : outcome.cases) {
        sizes.insert(one.n);
        workGroups.insert(one.shape.workGroup);
        skipped += one.status == Status::skipped;
    }
    const std::size_t checked = outcome.cases.size() - skipped;
    const auto ending = [](std::size_t count) { return count == 1 ? "" : "s"; };
    std::string text = fmt::format("Checked: {} case{}, {} length{} up to {}, {} work-group size{}", checked,
                                   ending(checked), sizes.size(), ending(sizes.size()),
                                   sizes.empty() ? 0 : *sizes.rbegin(), workGroups.size(), ending(workGroups.size()));
    if (skipped)
        text += fmt::format("; {} case{} beyond a limit of the device or its driver skipped", skipped, ending(skipped));
    return text + "\n";
}

}  // namespace

std::string outcomeText(const TaskOutcome& outcome, const ConsoleStyle& style)
{
    std::string text;
    text += fmt::format("{} evaluating {}\n", outcome.task.consoleTag(), outcome.task.label);
    if (outcome.status == Status::passed) {
        const Benchmark* benchmark = outcome.benchmark();
        if (benchmark)
            text += timeText(*benchmark);
        else if (style.checks)
            text += casesText(outcome);
        if (benchmark && style.verbose) text += detailText(*benchmark, style);
    }
    return text + verdictText(outcome, style);
}

std::string verdictText(const TaskOutcome& outcome, const ConsoleStyle& style)
{
    std::string text;
    if (outcome.status == Status::skipped) {
        for (const std::string& line : explanationLines(outcome)) text += wrapped("SKIPPED: " + line, 0, style.columns);
        return text;
    }
    const std::size_t indent = outcome.status == Status::notWritten ? 0 : 2;
    for (const std::string& line : explanationLines(outcome)) text += wrapped(line, indent, style.columns);
    if (outcome.printed) text += printedText(*outcome.printed, style);
    // Never wrapped, so that it can be pasted.
    if (outcome.diagnosis && !outcome.diagnosis->command.empty())
        text += fmt::format("  {}:\n{}\n",
                            outcome.diagnosis->command.starts_with("gdb ") ? "in a debugger" : "to see every step",
                            outcome.diagnosis->command);
    const bool passed = outcome.status == Status::passed;
    return text + coloured(passed ? "TEST PASSED" : "TEST FAILED", passed ? "32" : "31", style) + "\n";
}

}  // namespace a2
