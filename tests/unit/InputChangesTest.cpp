// Elements of an input that change before a further run.

#include "judge/InputChanges.h"

#include <gtest/gtest.h>

namespace a2 {

// A solution that treats 2^32 - 1 as a sum that is not there yet must get it as a sum.
TEST(InputChanges, AmongZerosAddUpToTheLargestNumber)
{
    for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U})
        for (const std::uint64_t n : {std::uint64_t{64}, std::uint64_t{1000}, std::uint64_t{65537}}) {
            const Input input(Pattern::oneHot(n - 1), n, 1);
            const Expectation expectation(TaskClass::scan, input, {});
            PoisonWords words(seed);
            const InputChanges changes(expectation, words);
            std::uint64_t met = 0;
            for (std::uint64_t i = 0; i < n; ++i) met += expectation.result(i) + changes.effectOn(i) == UINT32_MAX;
            EXPECT_GE(met, n / 5) << "seed " << seed << ", n = " << n;
        }
}

}  // namespace a2
