// What the runs of a solution, or of several equal ones in flight, have left as their results: brings them back, whole
// or as digests, and judges them.
#pragma once

#include "judge/Digest.h"
#include "judge/InputChanges.h"
#include "judge/StudentSolution.h"
#include "judge/Verdict.h"
#include "judge/WatchedMemory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace a2 {

class RunResults {
public:
    // All arguments must outlive this object. solutions: at least one, and no fewer later.
    RunResults(Device& gpu, const Expectation& expectation,
               const std::vector<std::unique_ptr<StudentSolution>>& solutions, WatchedMemory& memory)
        : gpu_(gpu), expectation_(expectation), solutions_(solutions), memory_(memory)
    {
    }

    struct Gathered {  // of the solutions that were run
        unsigned count = 0;
        std::optional<std::uint64_t> gatheredAt;  // word of the staging buffer; empty: they were not gathered
    };
    // Whether the results of so many solutions fit the staging buffer after the guards, and two words more.
    bool fitsStaging(std::uint64_t guardWords, unsigned count) const;
    // Adds them to `regions`, after the guards, if all of it fits the staging buffer.
    Gathered gather(unsigned count, std::vector<Region>& regions) const;
    // Of each solution, until one is wrong.
    void judge(const Gathered& results, Verdict& verdict);

    // Of results that were not gathered.
    void recordDigests(Commands& cb, unsigned count, std::vector<Region>& regions);
    // After the guards: the results, or their digests.
    std::uint64_t wordsOf(const Gathered& results) const;
    // Of each solution, until one is wrong: by digests, and if these differ, by the whole result.
    void judgeDigests(const Gathered& results, std::uint64_t guardWords, const InputChanges& changes, Verdict& verdict);
    DeviceDigests& digests();

    // judge() keeps the first solution's element at this index.
    void watch(std::uint64_t index) { watch_ = index; }
    std::uint32_t watched() const { return watched_; }
    void setWatched(std::uint32_t number) { watched_ = number; }  // without a run
    std::uint64_t watchedIndex() const { return watch_; }
    double downloadMs() const { return downloadMs_; }  // the last read-back by judge(), without judging

    // Of the last run: the one element of a reduction's result; what of the result is not as another expectation has
    // it.
    std::uint32_t foundSum();
    std::optional<Mismatches> mismatchesWith(const Expectation& other);

private:
    std::uint64_t judgedWords(const StudentSolution& solution) const;
    std::optional<Mismatches> judgeResult(std::size_t solution, std::optional<std::uint64_t> gatheredAt);
    std::vector<Digest> digestsOf(const Gathered& results, std::uint64_t guardWords) const;
    std::optional<Mismatches> mismatchesOf(const StudentSolution& solution, const InputChanges& changes) const;

    Device& gpu_;
    const Expectation& expectation_;
    const std::vector<std::unique_ptr<StudentSolution>>& solutions_;
    WatchedMemory& memory_;
    std::optional<DeviceDigests> digests_;  // made where a result too long to be gathered, or a part, first needs them
    std::optional<Digest> expectedDigest_;  // of the input as it was given
    std::uint64_t watch_ = 0;
    std::uint32_t watched_ = 0;
    double downloadMs_ = 0;
};

}  // namespace a2
