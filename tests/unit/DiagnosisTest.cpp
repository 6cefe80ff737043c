// The search for the smallest failing length, and one-hot inputs.

#include "GpuFixture.h"
#include "judge/Diagnosis.h"
#include "support/ChangedShaders.h"
#include "support/DecompositionLevels.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

constexpr double plenty = 60;

Probe wrongFrom(std::uint64_t n, std::uint64_t limit)
{
    Probe probe;
    probe.passed = n < limit;
    return probe;
}

}  // namespace

TEST(SmallestFailing, IsFoundExactly)
{
    const std::vector<std::uint64_t> sizes = {0, 255, 1000, 4096, 65536, 1048576};
    for (const std::uint64_t limit : {0U, 1U, 2U, 300U, 301U, 1000U, 1001U, 4095U, 70000U, 2000000U})
        EXPECT_EQ(
            smallestFailing(2000000, sizes, plenty, [&](std::uint64_t n, auto, auto) { return wrongFrom(n, limit); }),
            std::max<std::uint64_t>(1, limit));
}

TEST(SmallestFailing, IsAnyLengthUpTo300)
{
    const auto oddAlone = [](std::uint64_t n, auto, auto) {
        Probe probe;
        probe.passed = n != 299 && n < 4000;
        return probe;
    };
    EXPECT_EQ(smallestFailing(5000, {1000}, plenty, oddAlone), 299U);
}

TEST(SmallestFailing, TakesFewRunsForALongLength)
{
    int runs = 0;
    std::uint64_t longest = 0;
    const auto counted = [&](std::uint64_t n, auto, auto) {
        if (++runs <= 50 && n > 16384) longest = n;
        return wrongFrom(n, 16385);
    };
    EXPECT_EQ(smallestFailing(2000000, {1000, 4096, 65536}, plenty, counted), 16385U);
    EXPECT_EQ(longest, 16385U);
}

TEST(SmallestFailing, FallsBackOnTheLengthItWasGiven)
{
    EXPECT_EQ(smallestFailing(5000, {}, -1, [](std::uint64_t n, auto, auto) { return wrongFrom(n, 10); }), 5000U);
}

TEST(Contributions, AreSortedByWhatIsWrongWithThem)
{
    const auto run = [](std::uint64_t, std::optional<std::uint64_t> position, std::uint64_t watch) {
        Probe probe;
        probe.expected = *position <= watch ? 1 : 0;
        probe.got = probe.expected;
        if (*position == 3) probe.got = 0;
        if (*position == 5) probe.got = 2;
        if (*position == 9) probe.got = 1;
        if (*position == 6) probe.got = 0xDEADBEEF;
        return probe;
    };
    const Contributions found = contributions(10, 8, plenty, run);
    EXPECT_EQ(found.never, std::vector<std::uint64_t>{3});
    EXPECT_EQ(found.repeated, std::vector<std::uint64_t>{5});
    EXPECT_EQ(found.foreign, std::vector<std::uint64_t>{9});
    EXPECT_EQ(found.garbage, std::vector<std::uint64_t>{6});
    EXPECT_FALSE(found.sampled);
    EXPECT_EQ(found.tried, 10U);
}

TEST(Contributions, LookAtTheTailOfALongArrayToo)
{
    const auto run = [](std::uint64_t n, std::optional<std::uint64_t> position, std::uint64_t) {
        Probe probe;
        probe.expected = 1;
        probe.got = *position == n - 1 ? 0 : 1;
        return probe;
    };
    const Contributions found = contributions(1000003, 0, plenty, run);
    EXPECT_TRUE(found.sampled);
    EXPECT_EQ(found.never, std::vector<std::uint64_t>{1000002});
}

TEST(Ranges, AreShort)
{
    EXPECT_EQ(rangesText({}), "none");
    EXPECT_EQ(rangesText({4}), "4 (1 element)");
    EXPECT_EQ(rangesText({0, 1, 2, 3, 8}), "0-3, 8 (5 elements)");
    EXPECT_EQ(rangesText({0, 2, 4, 6, 8, 10, 12, 14}), "0, 2, 4, 6, 8, 10, ... (8 elements)");
}

namespace {

EvaluationSettings ofTheCourse()
{
    EvaluationSettings course;
    course.course = true;
    course.workGroup = 256;
    course.elements = 2;
    return course;
}

}  // namespace

TEST(Smallest, KeepsToTheCoursesShapeWhereTheHostCodeDoes)
{
    // The second tile's sum is wrong by one, in any shape.
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum",
                                 "sums[workGroupNumber()] = sum + min(workGroupNumber(), 1)");
    const auto gpu = openTestGpu(shaders.path());
    const auto smallest = [&](std::uint64_t tile) {
        const Task task = withSolution(taskNamed("reduce/decomposition"), [=](const Given& given) {
            return std::make_unique<DecompositionLevels>(given, Between::memory, tile);
        });
        const TaskOutcome outcome = evaluate(*gpu, task, 4096, ofTheCourse());
        EXPECT_EQ(outcome.status, Status::failed);
        return outcome.diagnosis && outcome.diagnosis->smallest ? *outcome.diagnosis->smallest : CaseOutcome();
    };
    EXPECT_EQ(smallest(0).shape, (KernelShape{4, 2}));
    EXPECT_EQ(smallest(0).n, 16U);
    EXPECT_EQ(smallest(512).shape, (KernelShape{256, 2}));
    EXPECT_EQ(smallest(512).n, 1024U);
}

TEST(Smallest, SaysWhereWorkGroupsAreNoPowerOfTwo)
{
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "NEXT_POWER_OF_TWO(gl_WorkGroupSize.x) / 2",
                                 "gl_WorkGroupSize.x / 2");
    const auto gpu = openTestGpu(shaders.path());
    for (const std::uint32_t workGroup : {96U, 64U}) {
        EvaluationSettings settings;
        settings.workGroup = workGroup;
        settings.elements = 2;
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/decomposition"), 1000, settings);
        const bool isPower = workGroup == 64;
        EXPECT_EQ(outcome.status, isPower ? Status::passed : Status::failed) << explanation(outcome);
        EXPECT_EQ(explanation(outcome).find("96 invocations are no power of two") == std::string::npos, isPower)
            << explanation(outcome);
    }
}

// Faults that no result shows on a CPU driver, in one work-group of many, and with one kind of input.
TEST(Walks, GoThroughEachWorkGroupOnceAndThroughOtherInputs)
{
    const std::string barrier = "barrier();  // every partial sum is written before anyone reads a neighbour's";
    struct Fault {
        const char* condition;
        std::uint64_t n;
        const char* pattern;
    };
    for (const auto& [condition, n, pattern] : {Fault{"workGroupNumber() != 100", 65536, "random"},
                                                Fault{"push.count < 2 || source[0] != source[1]", 1024, "ones"},
                                                Fault{"push.count < 2 || source[0] + 1 != source[1]", 1024, "mod97"}}) {
        const ChangedShaders shaders("A2Task1KernelDecomposition.comp", barrier,
                                     std::string("if (") + condition + ") " + barrier);
        const auto gpu = openTestGpu(shaders.path());
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/decomposition"), 1 << 16, ofTheCourse());
        ASSERT_EQ(outcome.status, Status::failed) << condition;
        const CaseOutcome& failure = *outcome.firstFailure();
        EXPECT_EQ(failure.n, n) << condition;
        EXPECT_EQ(failure.pattern, pattern) << condition;
        EXPECT_EQ(firstThatFails(failure.findings)->rule, "shared-race") << condition;
    }
}

// The row with the most instructions per element: the walk must reach the last tile of the last dispatch.
TEST(Walks, ComeToTheEndOfAScan)
{
    const ChangedShaders shaders("A2Task2KernelDecompositionOffset.comp", "if (push.count - begin >= tile",
                                 "if (number == 127u) dataVectors[push.count] += 1u;\n"
                                 "        if (push.count - begin >= tile");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("scan/work-efficient"), 1 << 16, ofTheCourse());
    ASSERT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.firstFailure()->n, 1U << 16);
    EXPECT_EQ(firstThatFails(outcome.firstFailure()->findings)->rule, "out-of-bounds") << explanation(outcome);
}

TEST(Remark, OfAnExclusiveScanThatIsNotMovedSaysSo)
{
    const ChangedShaders shaders("A2Task2Naive.comp", "index >= push.shift ? source[index - push.shift] : 0",
                                 "source[index - min(index, push.shift)]");
    const auto gpu = openTestGpu(shaders.path());
    EvaluationSettings settings;
    settings.exclusive = true;
    settings.size = 1000;
    const TaskOutcome outcome =
        Evaluator(*gpu, settings, [](const std::string&) {}).run(selectTasks({"scan/naive"}, false).front());
    EXPECT_NE(explanation(outcome).find("the array has not moved one place to the right"), std::string::npos)
        << explanation(outcome);
}

}  // namespace a2
