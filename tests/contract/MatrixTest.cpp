// What `a2 check` tests beyond the lengths and work-groups of `a2 run`; and --course, which leaves it out.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {

namespace {

const Fault missed[] = {
    {"AWorkGroupThatIsNoPowerOfTwo", "A2Task1KernelDecomposition.comp", "NEXT_POWER_OF_TWO(gl_WorkGroupSize.x) / 2",
     "gl_WorkGroupSize.x / 2", "reduce/decomposition", "-w 96 "},
    {"TwoElementsPerInvocation", "A2Task1Sequential.comp", "if (index < push.live) sum",
     "if (index < push.live && ELEMENTS != 2) sum", "reduce/sequential", "--elements 2"},
    {"AnExclusiveScan", "A2Task2Naive.comp", "const uint distance = push.stride + push.shift;",
     "const uint distance = push.stride;", "scan/naive", " --exclusive"},
    {"AFoldedDispatch", "include/A2Kernels.h", "gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x",
     "gl_WorkGroupID.x", "reduce/atomic", "-n 524296 "},
    {"TheSumsOfALocalScansTiles", "A2Task2KernelDecomposition.comp", "blockSums[workGroupNumber()] = tree[root]",
     "blockSums[workGroupNumber()] = 0", "scan/local", "their sums are wrong"},
    {"TheTileBehindSixteenBits", "A2Task2KernelDecomposition.comp", "const uint begin = workGroupNumber() * TILE;",
     "const uint begin = (workGroupNumber() & 0xFFFF) * TILE;", "scan/local", "-n 524296 "},
    {"TheManyTilesOfALargeWorkGroup", "A2Task2KernelDecomposition.comp", "const uint begin = workGroupNumber() * TILE;",
     "const uint begin = (gl_WorkGroupSize.x == 512 ? min(workGroupNumber(), 1024) : workGroupNumber()) * TILE;",
     "scan/local", "-n 1310723 "},
};

// Faults that only one value shows, which a device may pass: they are findings of rules in `a2 run` and in `a2 check`.
const char* const allWritten = "barrier();  // every partial sum is written before anyone reads a neighbour's";
const Fault ofValues[] = {
    {"AnEndlessLoop", "A2Task1KernelDecomposition.comp", allWritten,
     "while (lane == 0 && sum == 0x80000000u) partial[0] = sum; barrier();", "reduce/decomposition", "endless-loop: "},
    {"ARace", "A2Task1KernelDecomposition.comp", allWritten,
     "if (sum == 0x80000000u) partial[0] = partial[0]; barrier();", "reduce/decomposition", "shared-race: "},
    {"ABarrierThatSomeLeaveOut", "A2Task1KernelDecomposition.comp", allWritten,
     "if (lane > 0 && sum == 0x80000000u) return; barrier();", "reduce/decomposition", "barrier-divergence: "},
    {"AScanThatZeroStops", "A2Task2KernelDecomposition.comp", "const uint begin = workGroupNumber() * TILE;",
     "const uint begin = workGroupNumber() * TILE; for (uint i = 0; i < 4 && begin > 0 && begin < push.count && "
     "source[begin] == 0;) i *= 2;",
     "scan/work-efficient", "endless-loop: "},
};

class FaultsOfValues : public testing::TestWithParam<Fault> {};

class TheMatrix : public testing::TestWithParam<Fault> {};

}  // namespace

TEST_P(TheMatrix, Meets)
{
    const Fault& one = GetParam();
    const BrokenShaders shaders(one.file, one.right, one.wrong);
    Words words = {"check", one.task, "--shader-dir", shaders.path()};
    if (!contains(one.told, "-n ")) words.insert(words.end(), {"--up-to", "4200"});
    const Finished check = runA2(words);
    ASSERT_EQ(check.status, 1) << check;
    EXPECT_TRUE(contains(check.out, one.told)) << check;
    EXPECT_EQ(linesOf(check.out).back(), "TEST FAILED") << check;

    const Finished again = pasted(printedCommand(check.out));
    EXPECT_EQ(again.status, 1) << check << again;
    EXPECT_EQ(linesOf(again.out).back(), "TEST FAILED") << again;
}

INSTANTIATE_TEST_SUITE_P(, TheMatrix, testing::ValuesIn(missed),
                         [](const testing::TestParamInfo<Fault>& one) { return std::string(one.param.name); });

TEST_P(FaultsOfValues, AreFoundOnTheHost)
{
    const Fault& one = GetParam();
    const BrokenShaders shaders(one.file, one.right, one.wrong);
    for (const Words& words :
         {Words{one.task, "-n", "4096"}, Words{"check", one.task, "--course", "--up-to", "1024"}}) {
        Words whole = words;
        whole.insert(whole.end(), {"--shader-dir", shaders.path()});
        const Finished finished = runA2(whole);
        EXPECT_EQ(finished.status, 1) << finished;
        EXPECT_TRUE(contains(finished.out, std::string("  ") + one.told)) << finished;
    }
}

INSTANTIATE_TEST_SUITE_P(, FaultsOfValues, testing::ValuesIn(ofValues),
                         [](const testing::TestParamInfo<Fault>& one) { return std::string(one.param.name); });

// With another work-group size only the device runs this pattern: what fails there is walked afterwards.
TEST(Check, SaysWhyAValueIsWrongInEachShape)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", allWritten,
                                "if (lane > 0 && sum == 0x80000000u) return; barrier();");
    const Finished check =
        runA2({"check", "reduce/decomposition", "--up-to", "40", "-w", "64", "--shader-dir", shaders.path()});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_TRUE(contains(check.out, "-p edges")) << check;
    EXPECT_TRUE(contains(check.out, "  barrier-divergence: ")) << check;
}

// If all elements of the largest tile are in one bin, their number is one more than 16 bits hold.
TEST(Check, CountsAsManyInOneBinAsAWorkGroupEverHas)
{
    const BrokenShaders shaders("A2HistogramShared.comp", "atomicAdd(bins[bin], counted[bin])",
                                "atomicAdd(bins[bin], counted[bin] & 0xFFFF)");
    const Finished check =
        runA2({"check", "histogram/shared", "-p", "max", "--up-to", "65536", "--shader-dir", shaders.path()});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_TRUE(contains(check.out, "failed with -n 65536 -p max -w 1024 --elements 64")) << check;
}

TEST(Check, FailsAKernelThatKnowsAnInputByItsFirstElements)
{
    const std::string begin = "workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS";
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum",
                                "sums[workGroupNumber()] = source[" + begin + "] == 1 && source[min(" + begin +
                                    " + 1, push.count - 1)] == 1 ? min(push.count - " + begin +
                                    ", gl_WorkGroupSize.x * ELEMENTS) : sum");
    const Finished check = runA2({"check", "reduce/decomposition", "--up-to", "300", "--shader-dir", shaders.path()});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_TRUE(contains(check.out, "right for the pattern ones itself")) << check;
}

// Work-groups that communicate are walked in other orders, in the shape that was asked for.
TEST(Check, OfTheCourseLetsTheOrderOfWorkGroupsRestOnItsShape)
{
    const BrokenShaders shaders("include/A2Kernels.h", "layout(local_size_x_id = SPEC_WORK_GROUP) in;",
                                "layout(local_size_x = 256) in;");
    const Finished check =
        runA2({"check", "--course", "reduce/subgroup", "--up-to", "4096", "--shader-dir", shaders.path()});
    EXPECT_EQ(check.status, 0) << check;
}

// With one length nothing else is walked, not even an empty array.
TEST(Check, OfOneLengthIsOfThatAlone)
{
    const Finished one = runA2({"check", "histogram/*", "sort/*", "-n", "64"});
    EXPECT_EQ(one.status, 0) << one;
    EXPECT_TRUE(contains(one.out, "1 length up to 64")) << one;
}

TEST(Check, IsDoneWithARowAtItsFirstFailureAndSaysSoThen)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    const Folder folder;
    const Finished check = runA2({"check", "reduce/interleaved", "reduce/sequential", "--up-to", "64", "--shader-dir",
                                  shaders.path(), "--csv", folder / "r.csv"});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_TRUE(check.out.starts_with("[Task1] evaluating Sequential\n")) << "the first verdict known\n" << check;
    EXPECT_TRUE(check.out.ends_with("TEST PASSED\n")) << check;
    const Words rows = linesOf(inspect({"table", folder / "r.csv"}).out);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_TRUE(rows[1].starts_with("reduce/interleaved\t[Task1] Interleaved\tpassed\t")) << "the list's order";
    EXPECT_TRUE(contains(rows[2], "\tfailed\t")) << rows[2];
    const auto cases = [](const std::string& row) {
        std::size_t at = 0;
        for (int field = 0; field < 3; ++field) at = row.find('\t', at) + 1;
        return std::stoi(row.substr(at));
    };
    EXPECT_LT(cases(rows[2]), 100) << rows[2];
    EXPECT_GT(cases(rows[1]), 200) << rows[1];
}

TEST(Check, SaysOfALengthThatTheCourseDoesNotAskFor)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum",
                                "sums[workGroupNumber()] = sum + uint(bitCount(push.count) > 1)");
    const Words words = {"check", "reduce/decomposition", "--up-to", "4096", "--shader-dir", shaders.path()};
    const Finished full = runA2(words);
    EXPECT_EQ(full.status, 1) << full;
    EXPECT_TRUE(contains(full.out, "what the assignment asks for passed")) << full;
    for (const char* command : {"check", "run"}) {
        Words course = {command, "reduce/decomposition", "--course", "--shader-dir", shaders.path()};
        course.insert(course.end(), {std::string(command) == "run" ? "-n" : "--up-to", "4096"});
        const Finished passed = runA2(course);
        EXPECT_EQ(passed.status, 0) << passed;
        EXPECT_EQ(linesOf(passed.out).size(), 3U) << passed;
        EXPECT_TRUE(contains(passed.err, "note: --course asks for powers of two")) << passed;
        EXPECT_TRUE(contains(passed.err, "`a2 check --no-course` asks for every length")) << passed;
    }
}

TEST(Course, JudgesWhatItAsksFor)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    for (const Words& words : {Words{"run", "reduce/sequential", "--course", "-n", "4096"},
                               Words{"check", "reduce/sequential", "--course"}}) {
        Words all = words;
        all.insert(all.end(), {"--shader-dir", shaders.path()});
        const Finished failed = runA2(all);
        EXPECT_EQ(failed.status, 1) << failed;
        EXPECT_TRUE(contains(failed.out, "-n 2 -p mod97 -w 4 --elements 2")) << failed;
        EXPECT_FALSE(contains(failed.err, "note: --course")) << failed;
        EXPECT_EQ(pasted(printedCommand(failed.out)).status, 1) << failed;
    }
}

TEST(Course, TakesWhatTheAssignmentShowsAndSaysWhatElseIsWrong)
{
    const Finished odd = runA2({"run", "reduce/atomic", "--course", "-n", "1000"});
    EXPECT_EQ(odd.status, 2) << odd;
    EXPECT_TRUE(contains(odd.err, "powers of two, such as 1024")) << odd;
    const Finished exclusive = runA2({"check", "scan/naive", "--course", "--exclusive"});
    EXPECT_EQ(exclusive.status, 2) << exclusive;
    EXPECT_EQ(runA2({"bench", "reduce/atomic", "--course", "-n", "4096", "-r", "1"}).status, 0);
    EXPECT_EQ(runA2({"steps", "scan/naive", "--course"}).status, 0);

    // The course itself allows a fixed work-group size in a kernel.
    const BrokenShaders fixed("include/A2Kernels.h", "layout(local_size_x_id = SPEC_WORK_GROUP) in;",
                              "layout(local_size_x = 256) in;");
    const Words task = {"reduce/interleaved", "-n", "4096", "--shader-dir", fixed.path()};
    const auto with = [&](const Words& more) {
        Words words = task;
        words.insert(words.end(), more.begin(), more.end());
        return runA2(words);
    };
    EXPECT_EQ(with({"--course"}).status, 0);
    const Finished other = with({"-w", "1024"});
    EXPECT_EQ(other.status, 1) << other;
    EXPECT_TRUE(contains(other.out, "fixed-shape: dispatch 0 ")) << other;
    const Finished check = runA2({"check", "reduce/interleaved", "--up-to", "4096", "--shader-dir", fixed.path()});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_TRUE(contains(check.out, "fixed-shape: dispatch 0 ")) << check;
}

}  // namespace contract
