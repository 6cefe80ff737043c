// Devices with smaller limits than the present one: a2's own kernels must fit all of them.

#include "Faults.h"

#include <gtest/gtest.h>

namespace faults {

class Capped : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    }
    static Finished run(const Words& words) { return runFaulty(words, {{"INVOCATIONS", GetParam()}}); }
};

TEST_P(Capped, EveryTaskRuns)
{
    const Folder folder;
    const Finished all = run({"run", "--all", "-n", "5000", "-r", "2", "--json", folder / "r.json"});
    EXPECT_EQ(all.status, 0) << all;
    EXPECT_EQ(count(all.out, "TEST PASSED"), contract::allRows().size()) << all;
    EXPECT_FALSE(contains(all.err, "copy kernel")) << all;
    EXPECT_FALSE(contains(textOf(folder / "r.json"), "\"copy_peak_GBps\": null")) << textOf(folder / "r.json");
}

TEST_P(Capped, PrescanIsTimed)
{
    const Finished prescan = run({"prescan", "-n", "100000", "-r", "2"});
    EXPECT_EQ(prescan.status, 0) << prescan;
    EXPECT_TRUE(contains(prescan.out, "TEST PASSED")) << prescan;
}

TEST_P(Capped, ObstaclesAreFound)
{
    const Finished obstacles = run({"obstacles", "-r", "2"});
    EXPECT_EQ(obstacles.status, 0) << obstacles;
    EXPECT_TRUE(contains(obstacles.out, "TEST PASSED")) << obstacles;
}

TEST_P(Capped, TheoryHasASmallerWorkGroup)
{
    for (const Words& words : {Words{"theory", "scan/work-efficient", "--measure", "-r", "2"},
                               Words{"theory", "rotate", "--measure", "-r", "2"}}) {
        const Finished theory = run(words);
        EXPECT_EQ(theory.status, 0) << theory;
        EXPECT_TRUE(contains(theory.out, "work-group " + std::string(GetParam()))) << theory;
    }
}

INSTANTIATE_TEST_SUITE_P(, Capped, testing::Values("256", "128"),
                         [](const auto& one) { return std::string("At") + one.param; });

TEST(SmallDevice, ShortBindingsAreGoneThroughInSlices)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Words words = {"run", "scan/local", "scan/work-efficient", "-n", "2^19", "-r", "2"};
    const Finished run = runFaulty(words, {{"BINDING", "1048576"}, {"SHARED", "16384"}, {"PUSH", "128"}});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(count(run.out, "TEST PASSED"), 2U) << run;
}

TEST(SmallDevice, WhatItsHeapDoesNotHoldIsNotTried)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Finished run = runFaulty({"run", "scan/naive", "-n", "2^24", "-r", "2"}, {{"HEAP", "67108864"}});
    EXPECT_TRUE(contains(run.out, "64 MiB")) << run;
    EXPECT_FALSE(contains(run.out, "TEST PASSED")) << run;
    EXPECT_NE(run.status, 0) << run;
}

}  // namespace faults
