// The judge of prescans: every element of a result against sums that are known more precisely.
#pragma once

#include "annexes/prescan/Prescan.h"

#include <string>

namespace a2 {

// Whether a result is right. A wrong element of float is one that is further off than rounding can explain.
struct PrescanVerdict {
    std::uint64_t wrong = 0;  // elements
    std::uint64_t firstIndex = 0;
    double expected = 0, got = 0, allowed = 0;  // of the first wrong one
    double largestError = 0;                    // of all elements
    std::uint64_t largestAt = 0;
    double mostAllowed = 0;
    bool inputChanged = false;  // the run wrote over its input
    bool passed() const { return wrong == 0 && !inputChanged; }
};

// What elements add up to, known more precisely than a device adds them.
struct PreciseSum {
    double sum = 0, lost = 0;  // floats: both together, a compensated sum of doubles (Neumaier 1974)
    double magnitude = 0;      // floats: sum of |x|
    std::uint32_t modular = 0;

    void add(const ElementType& element, std::uint32_t word);
};

// Floats: an element may differ from the exact sum by
//
//     gamma_k * (sum of the magnitudes of what was added),  gamma_k = k u / (1 - k u),  u = 2^-24,
//
// where k is the number of additions that an element goes through on its way into the result at most (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, sections 3.1 and 4.2). Where all elements are multiples of a
// power of two q and their magnitudes add up to no more than 2^24 q, every sum of some of them is a float: no addition
// rounds, and nothing is allowed. The reference is a PreciseSum; what it and the sum of
// magnitudes may be off themselves, for up to 2^30 elements, is allowed on top: 2^-44 of the magnitudes, 2^-22 of
// gamma. Where sums can be subnormal, devices may take them for zero: 2^-125 per element on top.
//
// uint32: equal modulo 2^32.
class PrescanJudge {
public:
    // depth: k. facts: of the whole input. Where what is looked at is the part of a longer array that begins with
    // element `first`, `before` is what the elements before it add up to.
    PrescanJudge(const PrescanSettings& settings, const InputFacts& facts, std::uint64_t depth,
                 const PreciseSum& before = {}, std::uint64_t first = 0);

    // The next part of the input, and the same elements of the result.
    void look(std::span<const std::uint32_t> input, std::span<const std::uint32_t> result);

    const PrescanVerdict& verdict() const { return verdict_; }
    double gamma() const { return gamma_; }

private:
    void compare(std::uint32_t word);
    double allowed() const;

    PrescanSettings settings_;
    double gamma_;
    bool subnormal_;    // sums may be
    double exactUpTo_;  // magnitudes up to which no addition rounds
    PreciseSum sum_;    // of what was added so far
    std::uint64_t index_;
    PrescanVerdict verdict_;
};

// What the first line of a result file says, without a line break: "# accuracy: ..." and how far off the elements may
// be. Readers of such files know it by its start.
constexpr const char* accuracyMark = "# accuracy:";
std::string accuracyLine(const PrescanSettings& settings, const PrescanVerdict& verdict, std::uint64_t depth);

}  // namespace a2
