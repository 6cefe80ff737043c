// Long arrays on all cores: every element once, and the same sums as on one core.

#include "base/Parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace a2 {

TEST(InParallel, GoesThroughEveryElementOnce)
{
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, parallelBlock, parallelBlock + 1,
                                  5 * parallelBlock, 5 * parallelBlock + 3}) {
        std::vector<unsigned char> times(n, 0);
        std::atomic<bool> within = true;
        inParallel(n, [&](std::uint64_t first, std::uint64_t end) {
            if (first >= end || end > n || end - first > parallelBlock) within = false;
            for (std::uint64_t i = first; i < end && within; ++i) ++times[i];
        });
        EXPECT_TRUE(within) << n;
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(n)) << n;
    }
}

TEST(InParallel, AddsUpModuloTwoToThe32)
{
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{3}, 2 * parallelBlock + 1}) {
        const std::vector<std::uint32_t> values(n, UINT32_MAX);
        std::vector<std::uint32_t> sums(n);
        parallelInclusiveScan(values, sums);
        EXPECT_EQ(parallelSum(values), static_cast<std::uint32_t>(0 - n));
        for (std::uint64_t i = 0; i < n; ++i)
            if (sums[i] != static_cast<std::uint32_t>(0 - (i + 1))) FAIL() << i;
    }
}

}  // namespace a2
