// Which times are rejected; times of honest work on the fastest devices are not.

#include "GpuFixture.h"
#include "judge/Plausible.h"

namespace a2 {

namespace {

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

// The time for that many bytes at that many GB/s.
double ms(std::uint64_t bytes, double gbps) { return static_cast<double>(bytes) / gbps / 1e6; }

}  // namespace

TEST(Plausible, BelievesTheFastestDevices)
{
    for (const std::uint64_t bytes : {gibi / 16, gibi / 2, gibi, 2 * gibi, 16 * gibi, 32 * gibi}) {
        // An NVIDIA H200's sums, which it reads faster than it copies; next year's memory; a cache that holds all of
        // it, with copies that went to memory.
        EXPECT_FALSE(implausible({ms(bytes, 4600), bytes, 4300})) << bytes;
        EXPECT_FALSE(implausible({ms(bytes, 22000), bytes, 21000})) << bytes;
        EXPECT_FALSE(implausible({ms(bytes, 22000), bytes, 0})) << bytes;
    }
    for (const std::uint64_t bytes : {gibi / 16, gibi / 2, gibi, 2 * gibi})
        EXPECT_FALSE(implausible({ms(bytes, 20000), bytes, 3000})) << "from a cache, " << bytes;
}

TEST(Plausible, BelievesAnyTimeOfAShortArray)
{
    EXPECT_FALSE(implausible({0.0001, 1 << 20, 10}));
    EXPECT_FALSE(implausible({0, 1 << 20, 10}));
    EXPECT_FALSE(implausible({1e-6, gibi / 16 - 1, 10}));
}

// A slow device whose copies were disturbed by another program.
TEST(Plausible, BelievesWhatIsTwoTimesThePeak) { EXPECT_FALSE(implausible({ms(16 * gibi, 100), 16 * gibi, 50})); }

TEST(Plausible, DoesNotBelieveWhatNoMemoryDoes)
{
    // A sum of 2^27 in 2 us, the time of an empty dispatch.
    const auto why = implausible({0.002, gibi / 2, 0});
    ASSERT_TRUE(why);
    EXPECT_EQ(*why,
              "implausible time: 0.002 ms for the 536870912 bytes that any algorithm reads and writes, which is more "
              "than 100 TB/s; was all of the work done?");
    EXPECT_TRUE(implausible({0, gibi / 2, 0}));
    EXPECT_TRUE(implausible({0.0001, gibi / 16, 1e9}));
}

TEST(Plausible, DoesNotBelieveWhatThisDevicesMemoryDoesNot)
{
    const auto why = implausible({ms(16 * gibi, 2000), 16 * gibi, 500});
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("and this device copies at 500 GB/s"), std::string::npos) << *why;
    EXPECT_FALSE(implausible({ms(16 * gibi, 2000), 16 * gibi, 0})) << "nobody knows";
}

// If the two contradict each other the host's clock counts, and the solution is not blamed.
TEST(Plausible, ADevicesClockThatContradictsTheHostsDoesNotCount)
{
    EXPECT_FALSE(contradict(10, 10.5));
    EXPECT_FALSE(contradict(10, 9.9)) << "clocks differ a little";
    EXPECT_FALSE(contradict(0.05, 0.001)) << "and have a resolution";
    EXPECT_TRUE(contradict(10, 9)) << "longer than the submit that it is a part of";
    EXPECT_FALSE(contradict(0.01, 500)) << "a host may be busy with something else";
}

}  // namespace a2
