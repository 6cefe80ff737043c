#include "judge/RunResults.h"

#include "base/Clock.h"
#include "judge/Batch.h"
#include "judge/Comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::uint64_t RunResults::judgedWords(const StudentSolution& solution) const
{
    return std::min(expectation_.resultSize(), solution.result().elements());
}

bool RunResults::fitsStaging(std::uint64_t guardWords, unsigned count) const
{
    std::uint64_t words = guardWords + 2;  // a part's first words
    for (unsigned i = 0; i < count; ++i) words += judgedWords(*solutions_[i]);
    return words <= stagingWords;
}

RunResults::Gathered RunResults::gather(unsigned count, std::vector<Region>& regions) const
{
    const std::uint64_t guardWords = regions.size() * WatchedMemory::wordsPerGuard;
    if (!fitsStaging(guardWords, count)) return {count, {}};
    for (unsigned i = 0; i < count; ++i) {
        const DeviceBuffer& result = solutions_[i]->result();
        regions.push_back(result.region(0, judgedWords(*solutions_[i])));
    }
    return {count, guardWords};
}

void RunResults::judge(const Gathered& results, Verdict& verdict)
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

std::uint32_t RunResults::foundSum()
{
    return expectation_.element().number(downloadWord(gpu_, solutions_.front()->result(), 0));
}

std::optional<Mismatches> RunResults::mismatchesWith(const Expectation& other)
{
    Judge judge(other);
    const DeviceBuffer& result = solutions_.front()->result();
    download(gpu_, result, std::min(other.resultSize(), result.elements()),
             [&](std::uint64_t, std::span<const std::uint32_t> chunk) { judge.look(chunk); });
    return judge.verdict();
}

std::optional<Mismatches> RunResults::judgeResult(std::size_t solution, std::optional<std::uint64_t> gatheredAt)
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

DeviceDigests& RunResults::digests()
{
    if (!digests_) {
        digests_.emplace(gpu_, static_cast<unsigned>(solutions_.size()), expectation_.element());
        memory_.leaveOut(digests_->memory());
    }
    return *digests_;
}

void RunResults::recordDigests(Commands& cb, unsigned count, std::vector<Region>& regions)
{
    for (unsigned i = 0; i < count; ++i) {
        digests().record(cb, i, solutions_[i]->result(), judgedWords(*solutions_[i]));
        regions.push_back(digests().region(i));
    }
}

std::uint64_t RunResults::wordsOf(const Gathered& results) const
{
    std::uint64_t words = 0;
    for (unsigned i = 0; i < results.count; ++i) words += results.gatheredAt ? judgedWords(*solutions_[i]) : 2;
    return words;
}

// Of each solution's result, as it was gathered after the guards, or of the digest that was.
std::vector<Digest> RunResults::digestsOf(const Gathered& results, std::uint64_t guardWords) const
{
    std::vector<Digest> digests;
    std::uint64_t at = guardWords;
    for (unsigned i = 0; i < results.count; ++i) {
        const std::uint64_t words = results.gatheredAt ? judgedWords(*solutions_[i]) : 2;
        const auto found = gathered(gpu_, at + words).subspan(at);
        digests.push_back(results.gatheredAt ? digestOf(found, expectation_.element()) : Digest{found[0], found[1]});
        at += words;
    }
    return digests;
}

std::optional<Mismatches> RunResults::mismatchesOf(const StudentSolution& solution, const InputChanges& changes) const
{
    Mismatches found;
    download(gpu_, solution.result(), judgedWords(solution),
             [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
                 for (std::uint64_t i = 0; i < chunk.size(); ++i) {
                     const std::uint32_t expected = expectation_.result(first + i) + changes.effectOn(first + i);
                     const std::uint32_t got = expectation_.element().number(chunk[i]);
                     if (got == expected) continue;
                     if (found.count++ == 0) found = {1, first + i, expected, got};
                 }
             });
    return found.count > 0 ? std::optional(found) : std::nullopt;
}

void RunResults::judgeDigests(const Gathered& results, std::uint64_t guardWords, const InputChanges& changes,
                              Verdict& verdict)
{
    const std::vector<Digest> found = digestsOf(results, guardWords);
    if (!expectedDigest_) expectedDigest_ = expectedDigest(expectation_);
    const Digest effect = changes.effect();
    const Digest expected{expectedDigest_->sum + effect.sum, expectedDigest_->weighted + effect.weighted};
    for (unsigned i = 0; i < results.count && !verdict.mismatches; ++i)
        if (found[i] != expected) verdict.mismatches = mismatchesOf(*solutions_[i], changes);
}

}  // namespace a2
