// The formulas in the obstacle report's table for its three scans of N elements, and why a count of these kernels
// differs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

// Additions of data, and words read from and written to global memory.
struct Operations {
    std::uint64_t additions = 0, reads = 0, writes = 0;
    bool operator==(const Operations&) const = default;
};

enum class ScanMethod { bruteForceWhole, bruteForce, koggeStone, brentKung };

const char* methodName(ScanMethod method);  // "KoggeStone"
std::string methodTask(ScanMethod method);  // the row's id; empty for brute force over the whole array

// The report's formulas: N (N + 1) / 2 additions, N log2 N, 2 N - 2 - log2 N; and its reads and writes of global
// memory. Rounded if N is no power of two.
Operations reportFormulas(ScanMethod method, std::uint64_t n);

// A line for each counted number that differs from its formula, and on the tiles' totals; n >= 1. Methods may have
// lines in common. forTotals: the part of the counts for block sums and offsets.
std::vector<std::string> differences(ScanMethod method, std::uint64_t n, std::uint64_t tile, const Operations& counted,
                                     const Operations& forTotals);

}  // namespace a2
