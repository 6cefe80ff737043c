// Brute force, Kogge-Stone and Brent-Kung side by side on the same array: their times and their operations.
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
    Timer timer = Timer::gpu;  // host if one of these runs had no valid timestamp
    // From a run that was followed on the host: all dispatches, and the part for block sums and offsets, which is all
    // but the first dispatch. Empty if it needs more than mostCounted instructions, or something is wrong.
    struct Counts {
        Operations all, forTotals;
    };
    std::optional<Counts> counts;
    std::optional<Mismatches> mismatches;  // against the expected scan
    std::vector<Finding> findings;         // of lint, guards and validation layer
};

// Runs one method on `input`, which holds `flags`: three times on poisoned memory, between guards, the first one cold;
// then warm, in a timed series. Its operations are counted on the host. expected: their inclusive scan, at least one
// element. Throws LimitError, DeviceError, and KernelError for a kernel that does not compile.
MethodOutcome measureMethod(Device& gpu, ScanMethod method, const KernelShape& shape, const DeviceBuffer& input,
                            std::span<const std::uint32_t> expected, const SeriesSettings& settings);

constexpr std::uint64_t mostCounted = std::uint64_t{1} << 26;  // instructions

// The most elements for brute force over the whole array: it makes N (N + 1) / 2 additions, and Mesa's CPU driver ends
// an invocation after 65,535 loop iterations.
constexpr std::uint64_t longestWhole = std::uint64_t{1} << 14;
// The most for brute force tile by tile: a thousand additions per element, some seconds on a CPU device.
constexpr std::uint64_t longestInTiles = std::uint64_t{1} << 22;

// The methods that are compared on n elements.
std::vector<ScanMethod> comparedMethods(std::uint64_t n);

// Tiles of 1024 elements, or one that is just long enough; work-groups of up to `mostInvocations`.
KernelShape comparedShape(std::uint64_t n, std::uint32_t mostInvocations);

}  // namespace a2
