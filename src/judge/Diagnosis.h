// Why a task fails: the smallest length at which it fails, and which elements it loses or counts twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A moment that many seconds from now; a negative number gives one in the past.
class Deadline {
public:
    explicit Deadline(double seconds)
        : end_(std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds)))
    {
    }
    bool passed() const { return std::chrono::steady_clock::now() > end_; }

private:
    std::chrono::steady_clock::time_point end_;
};

// One run of the failing task: length, and the position of a one-hot input, or no position for a random input.
// Returns what is at `watch` in the result and what should be there; empty if the run could not be judged.
struct Probe {
    bool passed = true;
    std::uint32_t expected = 0, got = 0;  // at `watch`
};
using ProbeRun = std::function<Probe(std::uint64_t n, std::optional<std::uint64_t> oneHot, std::uint64_t watch)>;

struct Contributions {
    std::uint64_t n = 0, index = 0;                       // length, and the index of the result element
    bool sampled = false;                                 // not every input element was tried
    std::uint64_t tried = 0;                              // how many were tried
    std::vector<std::uint64_t> never, repeated, foreign;  // missing; added more than once; added but not wanted
    std::vector<std::uint64_t> garbage;                   // gave another number
};

// The smallest failing length up to n, as far as it is found within `seconds`. Tries powers of two and the lengths
// after them, and the lengths of `sizes`; then halves the gap below the first failing one; then tries every length up
// to 300.
std::uint64_t smallestFailing(std::uint64_t n, const std::vector<std::uint64_t>& sizes, double seconds,
                              const ProbeRun& run);

// Uses one-hot inputs of length n to find what each input element contributes to result element `index`.
Contributions contributions(std::uint64_t n, std::uint64_t index, double seconds, const ProbeRun& run);

// "0-3, 8 (5 elements)"; "none" for none. Positions ascending.
std::string rangesText(const std::vector<std::uint64_t>& positions);

}  // namespace a2
