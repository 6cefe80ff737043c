// Brute force, Kogge-Stone and Brent-Kung side by side on the same array: how long they take, and what they do.
#pragma once

#include "annexes/obstacles/ScanFormulas.h"
#include "judge/Comparison.h"
#include "judge/Series.h"
#include "lint/Finding.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

struct MethodOutcome {
    ScanMethod method;
    std::uint64_t n = 0, tile = 0;
    double firstMs = 0;        // the very first run
    Statistics ms;             // of the repetitions, after warming up
    Timer timer = Timer::gpu;  // host where one of these runs had no timestamp that counts
    // Of a run that was followed on the host: all dispatches, and what block sums and offsets take of that, all but
    // the first. Empty where that takes more than mostCounted instructions, or something is wrong.
    struct Counts {
        Operations all, forTotals;
    };
    std::optional<Counts> counts;
    std::optional<Mismatches> mismatches;  // against the expected scan
    std::vector<Finding> findings;         // of lint, guards and validation layer
};

// Runs one method on `input`, which holds `flags`: three times on poisoned memory, between guards, the first one cold;
// warm, in a timed series. What it does is counted on the host.
// expected: their inclusive scan, at least one element. Throws LimitError, DeviceError, and KernelError for a kernel
// that does not compile.
MethodOutcome measureMethod(Device& gpu, ScanMethod method, const KernelShape& shape, const DeviceBuffer& input,
                            std::span<const std::uint32_t> expected, const SeriesSettings& settings);

constexpr std::uint64_t mostCounted = std::uint64_t{1} << 26;  // instructions

// Elements up to which brute force over the whole array is run: it adds up N (N + 1) / 2 times, and Mesa's CPU driver
// ends an invocation after 65,535 loop iterations.
constexpr std::uint64_t longestWhole = std::uint64_t{1} << 14;
// And tile by tile: a thousand additions per element, some seconds on a CPU device.
constexpr std::uint64_t longestInTiles = std::uint64_t{1} << 22;

// The methods that are compared on n elements.
std::vector<ScanMethod> comparedMethods(std::uint64_t n);

// Tiles of 1024 elements, or one that is just long enough; work-groups of up to `mostInvocations`.
KernelShape comparedShape(std::uint64_t n, std::uint32_t mostInvocations);

}  // namespace a2
