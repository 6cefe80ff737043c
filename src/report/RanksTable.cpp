#include "report/RanksTable.h"

#include "report/BenchTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace a2 {

namespace {

const Benchmark* fewestRanks(const TaskOutcome& outcome)
{
    const Benchmark* fewest = nullptr;
    for (const CaseOutcome& one : outcome.cases)
        if (one.benchmark && !one.benchmark->parts.empty() &&
            (!fewest || one.benchmark->parts.size() < fewest->parts.size()))
            fewest = &*one.benchmark;
    return fewest;
}

std::string msText(const std::vector<double>& samples) { return digitsText(statistics(samples).median); }

}  // namespace

std::optional<SpeedUp> speedUpOf(const TaskOutcome& outcome, const Benchmark& benchmark)
{
    const Benchmark* const base = fewestRanks(outcome);
    const bool several = std::any_of(outcome.cases.begin(), outcome.cases.end(), [&](const CaseOutcome& one) {
        return base && one.benchmark && one.benchmark->parts.size() > base->parts.size();
    });
    if (!several || base->throughput() <= 0 || benchmark.parts.empty()) return std::nullopt;
    const double times = benchmark.throughput() / base->throughput();
    return SpeedUp{times,
                   times * static_cast<double>(base->parts.size()) / static_cast<double>(benchmark.parts.size())};
}

std::string ranksTable(const std::vector<PartTimes>& parts)
{
    constexpr std::size_t mostOfName = 30;
    if (parts.empty()) return "";
    // The step that the task has beside its kernels, if any.
    const auto has = [&](std::vector<double> PartTimes::*step) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const PartTimes& part) { return statistics(part.*step).max > 0; });
    };
    const auto step = has(&PartTimes::sumMs)      ? &PartTimes::sumMs
                      : has(&PartTimes::offsetMs) ? &PartTimes::offsetMs
                                                  : nullptr;
    std::string text =
        fmt::format("{:>6} {:<{}} {:>12} {:>9} {:>9}", "rank", "device", mostOfName, "n", "kernel ms", "exch. ms");
    if (step) text += fmt::format(" {:>9}", step == &PartTimes::sumMs ? "sum ms" : "offset ms");
    text += "\n";
    for (const PartTimes& part : parts) {
        text += fmt::format("{:>6} {:<{}} {:>12} {:>9} {:>9}", part.rank, part.device.substr(0, mostOfName), mostOfName,
                            lengthText(part.n), msText(part.ms), msText(part.exchangeMs));
        if (step) text += fmt::format(" {:>9}", msText(part.*step));
        text += "\n";
    }
    return text;
}

nlohmann::ordered_json partsJson(const std::vector<PartTimes>& parts, double exchangeMs)
{
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const PartTimes& part : parts)
        all.push_back({{"rank", part.rank},
                       {"device", part.device},
                       {"n", part.n},
                       {"ms", statistics(part.ms).median},
                       {"exchange_ms", statistics(part.exchangeMs).median},
                       {"sum_ms", statistics(part.sumMs).median},
                       {"offset_ms", statistics(part.offsetMs).median}});
    return {{"ranks", parts.size()}, {"exchange_ms", exchangeMs}, {"parts", std::move(all)}};
}

std::string scalingTable(const std::vector<TaskOutcome>& outcomes)
{
    std::size_t idWidth = 4;
    for (const TaskOutcome& outcome : outcomes) idWidth = std::max(idWidth, outcome.task.id.size());
    std::string text;
    for (const TaskOutcome& outcome : outcomes)
        for (const CaseOutcome& one : outcome.cases) {
            if (!one.benchmark || one.benchmark->parts.empty()) continue;
            const Benchmark& benchmark = *one.benchmark;
            const auto speedUp = speedUpOf(outcome, benchmark);
            text += fmt::format("{:<{}} {:>5} {:>10} {:>8} {:>8} {:>8} {:>8} {:>6}\n", outcome.task.id, idWidth,
                                benchmark.parts.size(), lengthText(benchmark.n), digitsText(benchmark.ms.median),
                                digitsText(benchmark.exchangeMs), digitsText(benchmark.throughput()),
                                speedUp ? fmt::format("{:.2f}", speedUp->times) : "-",
                                speedUp ? fmt::format("{:.2f}", speedUp->efficiency) : "-");
        }
    if (text.empty()) return text;
    return fmt::format("{:<{}} {:>5} {:>10} {:>8} {:>8} {:>8} {:>8} {:>6}\n", "task", idWidth, "ranks", "n", "ms",
                       "exch. ms", "GE/s", "speed-up", "effic.") +
           text;
}

}  // namespace a2
