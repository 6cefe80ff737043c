#include "annexes/theory/Textbook.h"

#include <bit>

namespace a2 {

namespace {

// L = ceil(log2 n), the levels of a tree over n elements.
std::uint64_t levels(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n - 1)); }

Formula levelsOf(std::uint64_t n) { return {"L = ceil(log2 n)", levels(n)}; }

Textbook hillisSteele(std::uint64_t n)
{
    // In the step with stride s, n - s elements have a partner to the left.
    const std::uint64_t count = levels(n);
    return {Formula{"n L - (2^L - 1)", n * count - ((std::uint64_t{1} << count) - 1)}, levelsOf(n)};
}

Textbook blelloch(std::uint64_t n, bool exclusive)
{
    const std::uint64_t twoSweeps = 2 * ((std::uint64_t{1} << levels(n)) - 1);
    return {exclusive ? Formula{"2 (2^L - 1)", twoSweeps} : Formula{"2 (2^L - 1) + n", twoSweeps + n},
            Formula{"2 L", 2 * levels(n)}};
}

}  // namespace

Textbook textbook(const std::string& taskId, std::uint64_t n, bool exclusive)
{
    if (taskId.starts_with("reduce/")) return {Formula{"n - 1", n - 1}, levelsOf(n)};
    if (taskId == "scan/work-efficient" || taskId == "scan/local") return blelloch(n, exclusive);
    if (exclusive) return {};
    if (taskId == "scan/naive" || taskId == "scan/kogge-stone") return hillisSteele(n);
    if (taskId == "scan/brute-force") return {Formula{"n (n - 1) / 2", n * (n - 1) / 2}, Formula{"n - 1", n - 1}};
    if (taskId == "scan/brent-kung" && std::has_single_bit(n) && n > 1)
        return {Formula{"2 n - 2 - log2 n", 2 * n - 2 - levels(n)}, Formula{"2 log2 n - 1", 2 * levels(n) - 1}};
    return {};
}

}  // namespace a2
