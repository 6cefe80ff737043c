// The judge of prescans: compares every element of a result with sums that are known more precisely.
#pragma once

#include "annexes/prescan/Prescan.h"

#include <string>

namespace a2 {

// Whether a result is right. A wrong float element is one whose error exceeds what rounding can explain.
struct PrescanVerdict {
    std::uint64_t wrong = 0;  // elements
    std::uint64_t firstIndex = 0;
    double expected = 0, got = 0, allowed = 0;  // of the first wrong one
    double largestError = 0;                    // of all elements
    std::uint64_t largestAt = 0;
    double mostAllowed = 0;
    bool inputChanged = false;  // the run overwrote its input
    bool passed() const { return wrong == 0 && !inputChanged; }
};

// The sum of elements, known more precisely than a device adds them.
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
// where k is the largest number of additions on an element's way into the result (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, sections 3.1 and 4.2). If all elements are multiples of a power of two q and their
// magnitudes add up to no more than 2^24 q, every sum of some of them is a float: no addition rounds, and no error is
// allowed. The reference is a PreciseSum; its own error and that of the sum of magnitudes, for up to 2^30 elements, are
// allowed in addition: 2^-44 of the magnitudes, 2^-22 of gamma. If sums can be subnormal, devices may replace them with
// zero: 2^-125 per element in addition.
//
// uint32: equal modulo 2^32.
class PrescanJudge {
public:
    // depth: k. facts: of the whole input. To judge the part of a longer array that begins with element `first`,
    // `before` is the sum of the elements before it.
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
    PreciseSum sum_;    // of the elements added so far
    std::uint64_t index_;
    PrescanVerdict verdict_;
};

// The first line of a result file, without a line break: "# accuracy: ..." and how large the errors of elements may be.
// Readers of such files recognise the line by its start.
constexpr const char* accuracyMark = "# accuracy:";
std::string accuracyLine(const PrescanSettings& settings, const PrescanVerdict& verdict, std::uint64_t depth);

}  // namespace a2
