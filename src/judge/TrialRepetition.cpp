// Trial: a timed repetition whose result nobody can have beforehand, and a look at it.

#include "a2/Error.h"
#include "gpu/Device.h"
#include "judge/Batch.h"
#include "judge/InputKept.h"
#include "judge/Trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace a2 {

// All of a short buffer, and words at random places of a long one: to fill that would leave the device's cache full of
// what is still to be written to memory (Trial::timedRun).
void Trial::recordSomePoison(Commands& cb)
{
    constexpr std::uint64_t shortBytes = std::uint64_t{1} << 20, places = 64;
    for (const LiveBuffer& live : memory_.buffers()) {
        if (input_.holds(live.memory) || live.lifetime != Lifetime::run) continue;
        if (live.payloadBytes <= shortBytes) {
            cb.fill(*live.memory, live.guardBytes, live.payloadBytes, memory_.poison());
            continue;
        }
        const std::uint64_t block = live.elements() / places;
        for (std::uint64_t i = 0; i < places; ++i) {
            const std::uint64_t word = i * block + (memory_.words().next() * block >> 32);
            cb.update(*live.memory, live.guardBytes + word * sizeof(std::uint32_t), memory_.poison());
        }
    }
}

// What goes before the time: the input as it is to be, and poison.
void Trial::recordSetup(Commands& cb, bool restores, bool runsBefore, const InputChanges& before)
{
    if (restores) input_.recordRestore(cb);
    if (runsBefore) recordInTurns(cb, solutions_, 1);
    cb.fullBarrier();
    if (!restores) before.recordBack(cb, input_.input());
    cb.fullBarrier();
    changes_.record(cb, input_.input());
    recordSomePoison(cb);
}

// Of the input as it lies there after the setup, by the kernel of digests.
std::pair<std::uint32_t, RunTime> Trial::sumInput(Timer timer, const Record& setup)
{
    DeviceDigests& sums = results_.digests();
    const RunTime time = timedRun_.run(
        timer, setup, [&](Commands& cb) { sums.record(cb, 0, input_.input(), expectation_.input().size()); },
        [&](Commands& cb) { recordGather(gpu_, cb, {sums.region(0)}); });
    return {gathered(gpu_, 1).front(), time};
}

// An exclusive scan's first element is what lies before the part; the run must have left 0 there, which is kept. Not
// timed: it is one word.
void Trial::recordFirstResult(Commands& cb)
{
    const Region first = solutions_.front()->result().region(0, 1), kept = results_.digests().spareWord();
    cb.fullBarrier();
    cb.copy({first.memory, first.firstByte, sizeof(std::uint32_t)}, *kept.memory, kept.firstByte);
    cb.fullBarrier();
    changes_.recordFirstResult(cb, solutions_.front()->result());
    cb.fullBarrier();
}

// a2 writes these two words itself, so that digests do not show what a run did to them.
void Trial::judgeFirstWords(std::span<const std::uint32_t> inputAndResult, Verdict& verdict) const
{
    const ElementType& element = expectation_.element();
    if (keepsInput_ && inputAndResult[0] != changes_.firstWord())
        verdict.findings.push_back(inputOverwritten(0, "input"));
    if (changes_.needsFirstResult() && inputAndResult[1] != element.word(0) && !verdict.mismatches)
        verdict.mismatches = {1, 0, changes_.before(), changes_.before() + element.number(inputAndResult[1])};
}

Trial::Repetition Trial::repetition(Timer timer, unsigned batch, const PartStart* start)
{
    const bool restores = !std::exchange(inputThere_, keepsInput_);
    const bool changed = !start || start->changed;
    const InputChanges before = std::exchange(
        changes_,
        changed ? InputChanges(expectation_, memory_.words(), start ? std::optional(start->positive) : std::nullopt)
                : InputChanges(expectation_));
    const unsigned count = std::min(batch, inFlight());
    std::vector<Region> regions = memory_.guardRegions();
    const std::uint64_t guardWords = regions.size() * WatchedMemory::wordsPerGuard;
    memory_.poisonWith(memory_.words().next());

    // Making the digest of a long result leaves the cache without what is still to be written, and the next run would
    // seem faster than one after another. So it comes after another.
    const bool runsBefore = !restores && batch == 1 && !gpu_.isCpu() && !results_.fitsStaging(guardWords, count);
    Repetition done;
    Record setup = [&](Commands& cb) { recordSetup(cb, restores, runsBefore, before); };
    if (start) {
        std::uint32_t sum = 0;
        if (start->sums) {
            std::tie(sum, done.sum) = sumInput(timer, setup);
            setup = [&](Commands& cb) { changes_.record(cb, input_.input()); };  // startFrom() may change more than one
            if (sum != expectedSum()) {
                const auto text = [&](std::uint32_t number) { return expectation_.element().text(number); };
                const std::string sums = fmt::format("add up to {} and not to {}", text(sum), text(expectedSum()));
                if (restores)
                    throw Error(ExitStatus::internal, "the elements of the input " + sums + " on this device");
                done.verdict.findings.push_back(
                    {"input-modified",
                     fmt::format("the elements of buffer 'input' {}: an earlier run has changed them", sums),
                     {}});
                return done;
            }
        }
        changes_.startFrom(start->before(sum));
    }
    RunResults::Gathered results;
    const RunTime time = timedRun_.run(
        timer, setup,
        [&](Commands& cb) {
            changes_.recordStart(cb, input_.input());
            recordInTurns(cb, solutions_, batch);
        },
        [&](Commands& cb) {
            if (changes_.needsFirstResult()) recordFirstResult(cb);
            results = results_.gather(count, regions);
            if (!results.gatheredAt) results_.recordDigests(cb, count, regions);
            if (start) regions.insert(regions.end(), {input_.input().region(0, 1), results_.digests().spareWord()});
            recordGather(gpu_, cb, regions);
        });

    done.time = time.perRun(batch);
    memory_.checkGuards(gathered(gpu_, guardWords), done.verdict.findings);
    results_.judgeDigests(results, guardWords, changes_, done.verdict);
    if (start) {
        const std::uint64_t at = guardWords + results_.wordsOf(results);
        judgeFirstWords(gathered(gpu_, at + 2).subspan(at), done.verdict);
    }
    if (done.verdict.mismatches) findUnwritten(done.verdict);
    memory_.takeMessages(done.verdict.findings);
    return done;
}

}  // namespace a2
