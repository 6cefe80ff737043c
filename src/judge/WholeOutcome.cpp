#include "judge/WholeOutcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace a2 {

namespace {

int badness(Status status)
{
    static constexpr std::array rising = {Status::passed, Status::skipped, Status::notWritten,
                                          Status::failed, Status::crashed, Status::timeout};
    return static_cast<int>(std::find(rising.begin(), rising.end(), status) - rising.begin());
}

// The first one of the worst outcomes.
template <class Outcome>
std::size_t worstOf(const std::vector<Outcome>& ofRanks)
{
    std::size_t worst = 0;
    for (std::size_t i = 1; i < ofRanks.size(); ++i)
        if (badness(ofRanks[i].status) > badness(ofRanks[worst].status)) worst = i;
    return worst;
}

// Each finding once; with its rank if not all ranks have it. A rank whose part has no element is left out.
std::vector<Finding> findingsOf(const std::vector<CaseOutcome>& ofRanks)
{
    std::vector<Finding> all;
    for (std::size_t rank = 0; rank < ofRanks.size(); ++rank)
        for (const Finding& one : ofRanks[rank].findings) {
            const auto has = [&](const CaseOutcome& other) {
                return std::find(other.findings.begin(), other.findings.end(), one) != other.findings.end();
            };
            const auto first = std::find_if(ofRanks.begin(), ofRanks.end(), has);
            if (static_cast<std::size_t>(first - ofRanks.begin()) < rank) continue;
            Finding& added = all.emplace_back(one);
            const auto ranks = static_cast<unsigned>(ofRanks.size());
            bool ofAll = true;
            for (unsigned other = 0; other < ranks; ++other) {
                const Part part{other, ranks};
                const std::uint64_t n = ofRanks[other].n;
                const unsigned sharing = ofRanks[other].sharing;
                const bool isEmpty = part.begin(n, sharing) == part.end(n, sharing);
                ofAll = ofAll && (isEmpty || has(ofRanks[other]));
            }
            if (!ofAll) added.message = fmt::format("rank {}: {}", rank, one.message);
        }
    return all;
}

Benchmark wholeBenchmark(const Task& task, const std::vector<CaseOutcome>& ofRanks)
{
    Benchmark whole = *ofRanks.front().benchmark;
    whole.n = ofRanks.front().n;
    whole.minimumTraffic = whole.n > 0 ? task.taskClass->minimumTraffic(whole.n, whole.shape) : 0;
    whole.parts.clear();
    for (std::size_t rank = 0; rank < ofRanks.size(); ++rank) {
        const Benchmark& one = *ofRanks[rank].benchmark;
        whole.parts.insert(whole.parts.end(), one.parts.begin(), one.parts.end());
        if (one.timer == Timer::host) whole.timer = Timer::host;
        if (rank == 0) continue;
        whole.cpuMs += one.cpuMs;
        for (const auto ms : {&WholeTimes::allocateMs, &WholeTimes::uploadMs, &WholeTimes::prepareMs,
                              &WholeTimes::launchMs, &WholeTimes::downloadMs})
            whole.whole.*ms = std::max(whole.whole.*ms, one.whole.*ms);
    }
    TimesTogether together = timesTogether(whole.parts);
    whole.ms = statistics(std::move(together.ms));
    whole.exchangeMs = statistics(std::move(together.exchangeMs)).median;
    whole.whole.launchMs += whole.exchangeMs;
    whole.hostMs = whole.whole.launchMs;
    if (!whole.parts.empty()) whole.nameSuffix += fmt::format("/ranks:{}", whole.parts.size());
    return whole;
}

}  // namespace

CaseOutcome wholeCase(const Task& task, const std::vector<CaseOutcome>& ofRanks)
{
    CaseOutcome whole = ofRanks[worstOf(ofRanks)];
    whole.findings = findingsOf(ofRanks);
    whole.elsewhere = Halt::none;
    if (task.taskClass->fixedResults == 0) {
        whole.mismatches.reset();
        for (const CaseOutcome& one : ofRanks) {
            if (!one.mismatches) continue;
            if (!whole.mismatches)
                whole.mismatches = one.mismatches;
            else
                whole.mismatches->count += one.mismatches->count;
        }
    }
    whole.benchmark.reset();
    if (std::all_of(ofRanks.begin(), ofRanks.end(), [](const CaseOutcome& one) { return one.benchmark.has_value(); }))
        whole.benchmark = wholeBenchmark(task, ofRanks);
    return whole;
}

TaskOutcome wholeOutcome(const std::vector<TaskOutcome>& ofRanks)
{
    TaskOutcome whole = ofRanks[worstOf(ofRanks)];
    std::size_t count = whole.cases.size();
    for (const TaskOutcome& one : ofRanks) count = std::min(count, one.cases.size());
    whole.cases.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<CaseOutcome> parts;
        for (const TaskOutcome& one : ofRanks) parts.push_back(one.cases[i]);
        whole.cases[i] = wholeCase(whole.task, parts);
    }
    // Cases that each rank ran alone, of reals: those that only some ranks have are of a failure.
    for (std::size_t rank = 0; rank < ofRanks.size(); ++rank)
        for (std::size_t i = count; i < ofRanks[rank].cases.size(); ++i) {
            CaseOutcome& own = whole.cases.emplace_back(ofRanks[rank].cases[i]);
            for (Finding& finding : own.findings) finding.message = fmt::format("rank {}: {}", rank, finding.message);
        }
    return whole;
}

}  // namespace a2
