// Timestamps and statistics.

#include "gpu/TimedRun.h"
#include "gpu/VulkanObjects.h"
#include "judge/Statistics.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(Timestamp, IsScaledByThePeriod)
{
    EXPECT_DOUBLE_EQ(*timestampMs(1000, 2001000, 64, 1.0), 2.0);
    EXPECT_DOUBLE_EQ(*timestampMs(0, 1000000, 64, 52.08), 52.08);
}

TEST(Timestamp, MayWrapRound)
{
    EXPECT_DOUBLE_EQ(*timestampMs((1ULL << 36) - 500000, 500000, 36, 1.0), 1.0);
    EXPECT_DOUBLE_EQ(*timestampMs(UINT64_MAX - 499999, 500000, 64, 1.0), 1.0);
    // Bits above the valid ones mean nothing.
    EXPECT_DOUBLE_EQ(*timestampMs((1ULL << 40) | 1000000, 3000000, 36, 1.0), 2.0);
}

TEST(Timestamp, CountsForNothingWithoutBitsOrDifference)
{
    EXPECT_FALSE(timestampMs(1, 2, 0, 1.0));
    EXPECT_FALSE(timestampMs(7, 7, 64, 1.0));
    EXPECT_FALSE(timestampMs(0, 0, 36, 1.0));
}

TEST(Statistics, OfOddAndEvenCounts)
{
    const Statistics odd = statistics({5, 1, 3});
    EXPECT_EQ(odd.count, 3U);
    EXPECT_DOUBLE_EQ(odd.min, 1);
    EXPECT_DOUBLE_EQ(odd.median, 3);
    EXPECT_DOUBLE_EQ(odd.max, 5);
    EXPECT_DOUBLE_EQ(odd.cv, 2.0 / 3.0);
    EXPECT_DOUBLE_EQ(statistics({4, 1, 3, 2}).median, 2.5);
}

TEST(Statistics, OfOneSampleAndOfNone)
{
    EXPECT_DOUBLE_EQ(statistics({2}).median, 2);
    EXPECT_DOUBLE_EQ(statistics({2}).cv, 0);
    EXPECT_EQ(statistics({}).count, 0U);
}

}  // namespace a2
