// What the obstacle report's table says its three scans do to N elements, and why a count of these kernels differs.
#pragma once

#include "spirv/CountedKernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

enum class ScanMethod { bruteForceWhole, bruteForce, koggeStone, brentKung };

const char* methodName(ScanMethod method);  // "KoggeStone"
std::string methodTask(ScanMethod method);  // the row's id; empty for brute force over the whole array, which is none

// The report's formulas: N (N + 1) / 2 additions, N log2 N, 2 N - 2 - log2 N; and its reads and writes of global
// memory. Rounded where N is no power of two.
KernelTotals reportFormulas(ScanMethod method, std::uint64_t n);

// A line for each number that was counted and is not the formula's, and on the tiles' totals; n >= 1. Methods may have
// lines in common. forTotals: what block sums and offsets
// take of it.
std::vector<std::string> differences(ScanMethod method, std::uint64_t n, std::uint64_t tile,
                                     const KernelTotals& counted, const KernelTotals& forTotals);

}  // namespace a2
