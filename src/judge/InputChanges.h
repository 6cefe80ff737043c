// An input with a few elements that nobody knows beforehand, and what they do to the result.
#pragma once

#include "judge/DeviceInput.h"
#include "judge/Digest.h"
#include "judge/Poison.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <optional>
#include <span>
#include <vector>

namespace a2 {

// Elements of the input that a random number was added to: one in each of 32 equal blocks, or all of a shorter array;
// among zeros (of a one-hot input) none in a quarter of them.
// Whoever takes a part of the result from an earlier run is wrong if one of them lies in that part.
class InputChanges {
public:
    InputChanges() = default;  // none
    // Likewise, but for what startFrom() adds. The expectation outlives this object.
    explicit InputChanges(const Expectation& expectation) : expectation_(&expectation) {}
    // partOfPositive: the array is a part of a longer one, whose sums of reals are to stay exact, too; whether those
    // are rather above 0 (Input::isRatherPositive).
    InputChanges(const Expectation& expectation, PoisonWords& words, std::optional<bool> partOfPositive = {});

    static constexpr std::uint64_t most = 32;

    // Written into the input as it was given, and taken back.
    void record(Commands& cb, const DeviceBuffer& input) const;
    void recordBack(Commands& cb, const DeviceBuffer& input) const;

    // What lies before a scan's array, which is a part of a longer one: added to its first element beside the other
    // changes, and to the first element of an exclusive result, which none of the array's elements reaches.
    void startFrom(std::uint32_t before);
    void recordStart(Commands& cb, const DeviceBuffer& input) const;  // after record()
    void recordFirstResult(Commands& cb,
                           const DeviceBuffer& result) const;  // after the scan, if needsFirstResult()

    std::uint32_t before() const { return before_; }
    bool needsFirstResult() const { return before_ != 0 && expectation_->shape().exclusive; }
    std::uint32_t firstWord() const;  // of the input with all of them
    std::span<const Change> all() const { return changes_; }
    // What they add to element i of the result, modulo 2^32, and to its digest.
    std::uint32_t effectOn(std::uint64_t i) const;
    // What was added in all: to the sum of the array.
    std::uint32_t sum() const;
    Digest effect() const;

private:
    std::uint32_t changedWord(const Change& one) const;
    void addUpToTheLargest(PoisonWords& words);
    std::uint32_t effectOf(const Effect& one, std::uint64_t i) const;  // on an element that lies in it
    Digest digestOf(const Effect& one) const;

    const Expectation* expectation_ = nullptr;
    std::vector<Change> changes_;      // by index
    std::vector<Effect> effects_;      // of all of them
    std::uint32_t before_ = 0;         // see startFrom()
    std::optional<std::size_t> trap_;  // see addUpToTheLargest(): the change where its quarter begins
};

}  // namespace a2
