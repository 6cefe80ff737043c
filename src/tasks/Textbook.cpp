#include "tasks/Textbook.h"

#include <bit>

namespace a2 {

namespace {

// L = ceil(log2 n), the levels of a tree over n elements.
std::uint64_t levels(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n - 1)); }

Formula levelsOf(std::uint64_t n) { return {"L = ceil(log2 n)", levels(n)}; }

}  // namespace

Textbook noTextbook(std::uint64_t, bool) { return {}; }

Textbook treeOfSums(std::uint64_t n, bool) { return {Formula{"n - 1", n - 1}, levelsOf(n)}; }

Textbook hillisSteele(std::uint64_t n, bool exclusive)
{
    if (exclusive) return {};
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

Textbook brentKung(std::uint64_t n, bool exclusive)
{
    if (exclusive || n < 2 || !std::has_single_bit(n)) return {};
    return {Formula{"2 n - 2 - log2 n", 2 * n - 2 - levels(n)}, Formula{"2 log2 n - 1", 2 * levels(n) - 1}};
}

Textbook bruteForceScan(std::uint64_t n, bool exclusive)
{
    if (exclusive) return {};
    return {Formula{"n (n - 1) / 2", n * (n - 1) / 2}, Formula{"n - 1", n - 1}};
}

}  // namespace a2
