// Arrays longer than one binding of the CPU driver (2^25 elements): here with the real limit; unit tests lower it.

#include "RunA2.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

class LongArray : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(LongArray, IsGoneThroughInSlices)
{
    const Finished run = runA2({"check", GetParam(), "-n", "33554435", "-p", "random", "-w", "256", "--quiet"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
}

INSTANTIATE_TEST_SUITE_P(, LongArray, testing::Values("reduce/atomic", "scan/work-efficient", "scan/offset"),
                         [](const testing::TestParamInfo<std::string>& row) { return testName(row.param); });

TEST(LongArrays, OfMoreThanTwoSlicesAreTimedToo)
{
    const Finished run = runA2({"reduce/atomic", "-n", "67108865", "-r", "1", "--verbose", "--quiet"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
}

TEST(LongArrays, AreRefusedWithTheFigureWhereATaskBindsThemWhole)
{
    for (const char* task : {"reduce/interleaved", "reduce/sequential", "scan/naive"}) {
        const Finished run = runA2({"check", task, "-n", "33554435", "-p", "ones", "-w", "256", "--quiet"});
        EXPECT_EQ(run.status, 3) << run;
        EXPECT_TRUE(contains(run.out,
                             "SKIPPED: 33554435 elements of buffer 'input' need 128 MiB in one binding, and "
                             "this device binds at most 33554432 elements (maxStorageBufferRange of 128 MiB)"))
            << run;
    }
}

TEST(LongArrays, AreRefusedWithTheFigureWhereTheMemoryHoldsNone)
{
    const Finished run = runA2({"scan/work-efficient", "-n", "1024Gi", "--quiet"});
    EXPECT_EQ(run.status, 3) << run;
    EXPECT_TRUE(contains(run.out, "SKIPPED: n = 1099511627776 needs 12 TiB of device memory, this device has ")) << run;
    EXPECT_TRUE(contains(run.out, ": choose a smaller --size, up to ")) << run;
}

}  // namespace contract
