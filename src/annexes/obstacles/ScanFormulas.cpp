#include "annexes/obstacles/ScanFormulas.h"

#include "a2/KernelShape.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace a2 {

const char* methodName(ScanMethod method)
{
    switch (method) {
        case ScanMethod::bruteForceWhole:
            return "BruteForce whole";
        case ScanMethod::bruteForce:
            return "BruteForce tiles";
        case ScanMethod::koggeStone:
            return "KoggeStone";
        case ScanMethod::brentKung:
            break;
    }
    return "BrentKung";
}

std::string methodTask(ScanMethod method)
{
    switch (method) {
        case ScanMethod::bruteForceWhole:
            return "";
        case ScanMethod::bruteForce:
            return "scan/brute-force";
        case ScanMethod::koggeStone:
            return "scan/kogge-stone";
        case ScanMethod::brentKung:
            break;
    }
    return "scan/brent-kung";
}

Operations reportFormulas(ScanMethod method, std::uint64_t n)
{
    if (n == 0) return {};
    const double elements = static_cast<double>(n), levels = std::log2(elements);
    const auto rounded = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
    const std::uint64_t triangle = n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
    switch (method) {
        case ScanMethod::bruteForceWhole:
        case ScanMethod::bruteForce:
            return {triangle, triangle, triangle + n};
        case ScanMethod::koggeStone:
            return {rounded(elements * levels), n, rounded(elements * levels)};
        case ScanMethod::brentKung:
            break;
    }
    return {n == 1 ? 0 : rounded(2 * elements - 2 - levels), 2 * n, 2 * n};
}

namespace {

bool bruteForce(ScanMethod method) { return method == ScanMethod::bruteForceWhole || method == ScanMethod::bruteForce; }

// Why a method adds more or less often than its formula says.
std::string whyAdditions(ScanMethod method, std::uint64_t n, std::uint64_t tile)
{
    const std::uint64_t tiles = ceilDiv(n, tile);
    const std::string where = tiles == 1 ? fmt::format("in a tile of T = {}", tile)
                                         : fmt::format("in each of {} tiles of T = {}", tiles, tile);
    const char* begins = "because what a sum begins with is added to nothing";
    if (bruteForce(method) && (tiles == 1 || method == ScanMethod::bruteForceWhole))
        return fmt::format("N (N - 1) / 2, not N (N + 1) / 2, {}", begins);
    if (bruteForce(method))
        return fmt::format("T (T - 1) / 2 {}, the last one may be shorter, not N (N + 1) / 2; T - 1, {}", where,
                           begins);
    const char* about = std::has_single_bit(tile) ? "" : "about ";
    const char* filled = n % tile != 0 ? "; the last tile is filled up with zeros, which are added, too" : "";
    if (method == ScanMethod::koggeStone)
        return fmt::format(
            "{}T log2 T - (T - 1) {}, because in the step with stride s the first s elements have no "
            "partner{}",
            about, where, filled);
    return fmt::format("{}2 T - 2 - log2 T {}{}", about, where, filled);
}

std::string whyMemory(ScanMethod method, bool reads)
{
    if (bruteForce(method))
        return reads
                   ? "each tile is gone through on its own"
                   : "the report's kernel writes its growing sum to global memory after each addition, this one keeps "
                     "it in a register and writes it once";
    if (method == ScanMethod::koggeStone)
        return reads ? "the tile's elements alone are read"
                     : "the report's kernel writes every sum in every step, this one at the end, from shared memory";
    return reads ? "the formula has two reads for each of N invocations; N / 2 invocations read two elements each"
                 : "the formula has two writes for each of N invocations; N / 2 invocations write two elements each";
}

}  // namespace

std::vector<std::string> differences(ScanMethod method, std::uint64_t n, std::uint64_t tile, const Operations& counted,
                                     const Operations& forTotals)
{
    const Operations formula = reportFormulas(method, n);
    const bool whole = method == ScanMethod::bruteForceWhole;
    const std::uint64_t totals = whole ? 0 : ceilDiv(n, tile);  // a word per tile, written with the tile
    const char* name = bruteForce(method) ? "BruteForce" : methodName(method);
    std::vector<std::string> lines;
    // Totals and offsets have a line of their own.
    if (counted.additions - forTotals.additions != formula.additions)
        lines.push_back(fmt::format("{}, additions: {}", name, whyAdditions(method, n, tile)));
    if (counted.reads - forTotals.reads != formula.reads)
        lines.push_back(fmt::format("{}, reads: {}", name, whyMemory(method, true)));
    if (counted.writes - forTotals.writes - totals != formula.writes)
        lines.push_back(fmt::format("{}, writes: {}", name, whyMemory(method, false)));
    if (totals == 1) lines.push_back("One write more is the tile's total, which the scan of a longer array would need");
    if (totals > 1)
        lines.push_back(
            fmt::format("{}, {} tiles: their totals are {} of the writes; to scan these and to add offsets "
                        "takes {} additions, {} reads and {} writes",
                        name, totals, totals, forTotals.additions, forTotals.reads, forTotals.writes));
    return lines;
}

}  // namespace a2
