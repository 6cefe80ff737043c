// The judge: compares every element of a result with the CPU reference.
#pragma once

#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <optional>
#include <span>

namespace a2 {

struct Mismatches {
    std::uint64_t count = 0;              // elements that differ
    std::uint64_t firstIndex = 0;         // the first of them
    std::uint32_t expected = 0, got = 0;  // numbers (ElementType)
};

class Judge {
public:
    explicit Judge(const Expectation& expectation) : expectation_(expectation) {}

    // The next part of the result, as words of memory, in order, from element 0 on.
    void look(std::span<const std::uint32_t> part);

    // Empty if every element was shown and right. Elements that were never shown count as wrong.
    std::optional<Mismatches> verdict() const;

private:
    const Expectation& expectation_;
    std::uint64_t seen_ = 0;
    Mismatches found_;
};

// Judges a whole result; words after its last element are allowed.
std::optional<Mismatches> judged(std::span<const std::uint32_t> words, const Expectation& expectation);

}  // namespace a2
