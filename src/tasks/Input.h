// The array a task works on: a named pattern, reproducible from its name, seed and length.
#pragma once

#include "base/ElementType.h"
#include "base/Parallel.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

// SplitMix64 (Steele, Lea, Flood 2014): element i depends on seed and i alone, so any length starts the same way.
std::uint32_t randomElement(std::uint64_t seed, std::uint64_t i);

class Pattern {
public:
    // mod97, ones, iota, random, onehot:K, max, shuffled, edges, file:PATH. All elements of onehot:K are 0 but element
    // K, which is 1, or V in onehot:K=V. Throws UsageError for anything else, or a file that cannot be read, is empty,
    // or holds something that is no whole number of the type: from 0 to 4294967295, -2147483648 to 2147483647, or
    // -16777216 to 16777216.
    static Pattern parse(const std::string& text, const ElementType& element = ElementType::uint32);
    static Pattern oneHot(std::uint64_t position, std::uint32_t value = 1);
    // file:PATH, whose numbers were read already: a pipe can be read only once.
    static Pattern ofFile(const std::string& text, std::vector<std::uint32_t> values);

    const std::string& text() const { return text_; }
    // The path in file:PATH; empty for other patterns.
    std::string file() const;
    // The number of elements of a file; 0 for patterns of any length.
    std::uint64_t fileLength() const { return values_.size(); }

    // Whether the one of onehot:K lies beyond n elements, so that they are all 0.
    bool missesAll(std::uint64_t n) const { return kind_ == Kind::onehot && position_ >= n; }

    const std::vector<std::uint32_t>& fileValues() const { return values_; }

    // Elements first .. first + values.size() - 1, none beyond fileLength() for a file. Each depends only on pattern,
    // seed and its index, on every machine. Reals are small, and as often negative as positive, so that sums of long
    // arrays stay in the range in which float32 holds every whole number; those of a file are taken as they are.
    void fill(std::span<std::uint32_t> values, std::uint64_t seed, std::uint64_t first = 0,
              const ElementType& element = ElementType::uint32) const;

private:
    enum class Kind { mod97, ones, iota, random, onehot, max, shuffled, edges, file };
    std::uint32_t realAt(std::uint64_t index, std::uint64_t seed) const;

    Kind kind_ = Kind::mod97;
    std::string text_ = "mod97";
    std::uint64_t position_ = 0;         // onehot
    std::uint32_t value_ = 1;            // onehot
    std::vector<std::uint32_t> values_;  // file
};

// An input with its CPU reference, computed once. Host memory: 8 bytes per element.
class Input {
public:
    // Elements first .. first + n - 1 of the pattern; of a file no more than it has. Throws LimitError if an element or
    // a sum of neighbours is outside the range in which the type holds every whole number. Of random reals, two have
    // all bits that such numbers have, and their sum is smaller than that of others.
    Input(const Pattern& pattern, std::uint64_t n, std::uint64_t seed, std::uint64_t first = 0,
          const ElementType& element = ElementType::uint32);

    // Throws LimitError if so many elements of the pattern always add up to too much.
    static void checkLength(const Pattern& pattern, std::uint64_t n, const ElementType& element);

    std::uint64_t size() const { return size_; }
    std::uint64_t first() const { return first_; }  // in the pattern; indices here start from it
    std::uint64_t seed() const { return seed_; }
    const std::string& patternText() const { return pattern_; }
    const ElementType& element() const { return *element_; }  // the type of values() and of all sums
    // For reals: how far sums of neighbours stay within the range in which float32 holds every whole number; and
    // whether they lie above 0 rather than below.
    std::int64_t room() const { return room_; }
    bool isRatherPositive() const { return positive_; }

    std::span<const std::uint32_t> values() const { return {values_.get(), size_}; }
    // Sum of elements 0 .. i - 1, modulo 2^32; i from 0 to size().
    std::uint32_t sumBefore(std::uint64_t i) const { return i == 0 ? 0 : prefix_[i - 1]; }
    std::span<const std::uint32_t> prefixSums() const { return {prefix_.get(), size_}; }  // element i: sumBefore(i + 1)
    std::uint32_t sum() const { return sumBefore(size()); }

    // The time of one CPU thread for the sum, and for the whole scan, in milliseconds; measured on the first call.
    // Throws Error (internal) if the result differs from that of all cores.
    double cpuReduceMs() const;
    double cpuScanMs() const;

private:
    void addLargeReals();
    void checkSums();

    std::string pattern_;
    const ElementType* element_;
    std::uint64_t seed_, first_, size_;
    std::int64_t room_ = 0;
    bool positive_ = true;
    HostArray values_, prefix_;
    mutable std::optional<double> cpuReduceMs_, cpuScanMs_;
};

}  // namespace a2
