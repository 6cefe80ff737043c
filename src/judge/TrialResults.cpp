// Trial: brings back the results of the solutions that ran, and judges them.

#include "base/Clock.h"
#include "judge/Trial.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::uint64_t Trial::judgedWords(const StudentSolution& solution) const
{
    return std::min(expectation_.resultSize(), solution.result().elements());
}

bool Trial::fitsStaging(std::uint64_t guardWords, unsigned count) const
{
    std::uint64_t words = guardWords + 2;  // those of judgeFirstWords()
    for (unsigned i = 0; i < count; ++i) words += judgedWords(*solutions_[i]);
    return words <= stagingWords;
}

// Adds them to `regions`, after the guards, if all of it fits the staging buffer.
Trial::Results Trial::gatherResults(unsigned count, std::vector<Region>& regions) const
{
    const std::uint64_t guardWords = regions.size() * WatchedMemory::wordsPerGuard;
    if (!fitsStaging(guardWords, count)) return {count, {}};
    for (unsigned i = 0; i < count; ++i) {
        const DeviceBuffer& result = solutions_[i]->result();
        regions.push_back(result.region(0, judgedWords(*solutions_[i])));
    }
    return {count, guardWords};
}

// Of each solution, until one is wrong.
void Trial::judgeResults(const Results& results, Verdict& verdict)
{
    std::optional<std::uint64_t> at = results.gatheredAt;
    for (unsigned i = 0; i < results.count && !verdict.mismatches; ++i) {
        verdict.mismatches = judgeResult(i, at);
        if (at) *at += judgedWords(*solutions_[i]);
        if (verdict.mismatches && results.count > 1)
            verdict.findings.push_back(
                {"", fmt::format("that is what solution {} of the {} in flight left", i + 1, results.count), {}});
    }
}

std::uint32_t Trial::foundSum() { return expectation_.element().number(downloadWord(gpu_, result(), 0)); }

std::optional<Mismatches> Trial::mismatchesWith(const Expectation& other)
{
    Judge judge(other);
    download(gpu_, result(), std::min(other.resultSize(), result().elements()),
             [&](std::uint64_t, std::span<const std::uint32_t> chunk) { judge.look(chunk); });
    return judge.verdict();
}

std::optional<Mismatches> Trial::judgeResult(std::size_t solution, std::optional<std::uint64_t> gatheredAt)
{
    const auto start = Clock::now();
    const DeviceBuffer& result = solutions_[solution]->result();
    const std::uint64_t words = judgedWords(*solutions_[solution]);
    Judge judge(expectation_);
    double judgingMs = 0;
    const auto look = [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
        const auto judging = Clock::now();
        if (solution == 0 && watch_ >= first && watch_ - first < chunk.size())
            watched_ = expectation_.element().number(chunk[watch_ - first]);
        judge.look(chunk);
        judgingMs += msSince(judging);
    };
    if (gatheredAt)
        look(0, gathered(gpu_, *gatheredAt + words).subspan(*gatheredAt));
    else
        download(gpu_, result, words, look);
    if (solution == 0) downloadMs_ = msSince(start) - judgingMs;
    return judge.verdict();
}

}  // namespace a2
