// What a2 bench sweeps.

#include "judge/Sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace a2 {

using Sizes = std::vector<std::uint64_t>;
using Groups = std::vector<std::uint32_t>;

TEST(Sweep, OfSizesGoesUpByFoursToTheLargestPowerThatFits)
{
    EXPECT_EQ(sweepSizes(1 << 14), (Sizes{1 << 10, 1 << 12, 1 << 14}));
    EXPECT_EQ(sweepSizes((1 << 14) - 1), (Sizes{1 << 10, 1 << 12, 1 << 13}));
    EXPECT_EQ(sweepSizes(1 << 15), (Sizes{1 << 10, 1 << 12, 1 << 14, 1 << 15}));
}

TEST(Sweep, OfSizesHoldsLengthsThatAreNoMultipleOfATile)
{
    const Sizes sizes = sweepSizes(1 << 22);
    EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
    EXPECT_EQ(std::count_if(sizes.begin(), sizes.end(), [](std::uint64_t n) { return n % 2 == 1; }), 2);
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), (1U << 16) + 1), 1);
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), (1U << 20) - 3), 1);
}

TEST(Sweep, OfSizesEndsWhereItIsTold)
{
    EXPECT_EQ(sweepSizes(0), Sizes{});
    EXPECT_EQ(sweepSizes(1), Sizes{1});
    EXPECT_EQ(sweepSizes(700), Sizes{512});
    EXPECT_EQ(sweepSizes(1 << 16).back(), 1U << 16);
    EXPECT_EQ(sweepSizes(UINT64_MAX).back(), std::uint64_t{1} << 63);
}

TEST(Sweep, OfWorkGroupsHoldsTheTasksOwn)
{
    EXPECT_EQ(sweepWorkGroups(1024, 256), (Groups{32, 64, 128, 256, 512, 1024}));
    EXPECT_EQ(sweepWorkGroups(1024, 96), (Groups{32, 64, 96, 128, 256, 512, 1024}));
}

TEST(Sweep, OfWorkGroupsKeepsToTheDevicesLimit)
{
    EXPECT_EQ(sweepWorkGroups(128, 256), (Groups{32, 64, 128}));
    EXPECT_EQ(sweepWorkGroups(16, 256), Groups{});
}

}  // namespace a2
