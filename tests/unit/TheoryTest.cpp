// What a2 theory counts: held against numbers that were worked out by hand, and against following every work-group.

#include "theory/Theory.h"

#include "GpuFixture.h"
#include "gpu/Shaders.h"
#include "lint/CommandLog.h"
#include "support/ChangedShaders.h"
#include "theory/Growth.h"

#include <fmt/format.h>

namespace a2 {

namespace {

std::vector<CountedDispatch> counted(const std::string& id, std::uint64_t n, const KernelShape& shape)
{
    const auto gpu = openTestGpu();
    return countDispatches(*gpu, workloadOf(*gpu, taskNamed(id), n), shape);
}

// "T p W additions reads writes"
std::string text(const Measures& one)
{
    return fmt::format("{} {} {} {} {} {}", one.time, one.processors, one.work, one.additions, one.reads, one.writes);
}

std::string texts(const std::vector<CountedDispatch>& dispatches)
{
    std::string all;
    for (const CountedDispatch& one : dispatches) all += text(measures({one})) + "; ";
    return all;
}

// The worst conflict in any phase of the tile scan, for a memory of 32 banks.
std::optional<std::uint32_t> worstOfTileScan(const std::string& shaderDir, const KernelShape& shape)
{
    const auto gpu = openTestGpu(shaderDir);
    const WorkGroupCheck kernel(loadShader(*gpu, "A2Task2KernelDecomposition"), shape);
    const KernelCounts::Groups groups = {1, 1, 1};
    const KernelCounts::Push push = {static_cast<std::uint32_t>(shape.tile())};
    std::uint64_t budget = UINT64_MAX;
    std::uint32_t worst = 0;
    for (const auto& one : KernelCounts(kernel, groups, push, budget).conflicts(0, 32, 32)) {
        if (!one) return {};
        worst = std::max(worst, *one);
    }
    return worst;
}

KernelShape without(KernelShape shape)
{
    shape.banks = KernelShape::noPadding;
    return shape;
}

}  // namespace

TEST(Theory, CountsASequentialReductionOfEight)
{
    EXPECT_EQ(texts(counted("reduce/sequential", 8, {256, 2})), "1 4 4 4 8 4; 1 2 2 2 4 2; 1 1 1 1 2 1; ");
    EXPECT_EQ(text(measures(counted("reduce/sequential", 8, {256, 2}))), "3 4 7 7 14 7");
    EXPECT_EQ(measures(counted("reduce/sequential", 8, {256, 2})).cost(), 12U);
    // With eight elements per invocation, one of them does it all.
    EXPECT_EQ(text(measures(counted("reduce/sequential", 8, {256, 8}))), "7 1 7 7 8 1");
}

TEST(Theory, CountsANaiveScanOfEight)
{
    // n log2 n - (n - 1) additions; an element without a partner is read and written all the same.
    EXPECT_EQ(texts(counted("scan/naive", 8, {256, 2})), "1 8 8 7 15 8; 1 8 8 6 14 8; 1 8 8 4 12 8; ");
    // The exclusive one begins a place further to the left: 6 + 6 + 4 additions.
    EXPECT_EQ(text(measures(counted("scan/naive", 8, {256, 2, true}))), "3 8 24 16 39 24");
}

TEST(Theory, CountsAWorkEfficientScanOfEight)
{
    const auto tile = counted("scan/work-efficient", 8, {4, 2});
    EXPECT_EQ(text(measures(tile)),
              "10 4 30 22 8 9");  // 7 up, 7 down, and 8 to make it inclusive; 8 results and a total
    ASSERT_EQ(tile.size(), 1U);
    ASSERT_EQ(tile[0].phases->size(), 8U);
    using Active = std::vector<std::uint64_t>;
    EXPECT_EQ((*tile[0].phases)[0].active, (Active{4, 4}));  // two elements each
    EXPECT_EQ((*tile[0].phases)[3].active, (Active{1}));     // the last pair of the up-sweep
    EXPECT_EQ((*tile[0].phases)[7].active, (Active{4, 4}));
    EXPECT_EQ(measures(counted("scan/work-efficient", 8, {4, 2, true})).additions, 14U);
    // Two tiles: their totals are scanned, exclusively, and added to the second one, by two invocations with a vector
    // each; the other two only read the offset.
    EXPECT_EQ(texts(counted("scan/work-efficient", 16, {4, 2})), "10 8 60 44 16 18; 8 4 22 14 2 3; 4 4 10 8 12 8; ");
}

TEST(Theory, CountsVectorsByTheirWords)
{
    // Each of four invocations adds up 16 elements in vectors: 15 additions; then the tree's 3.
    const Measures sum = measures(counted("reduce/decomposition", 64, {4, 16}));
    EXPECT_EQ(sum.additions, 63U);
    EXPECT_EQ(sum.reads, 64U);
    EXPECT_EQ(sum.writes, 1U);
}

TEST(Theory, LetsAtomicsOnOneWordTakeTurns)
{
    const auto atomic = counted("reduce/atomic", 8, {4, 2});
    // Start at zero; add two elements, then one invocation after the other; write the sum.
    EXPECT_EQ(text(measures(atomic)), "7 4 10 8 8 1");
    EXPECT_EQ((*atomic[0].phases)[1].active, (std::vector<std::uint64_t>{4, 1, 1, 1, 1}));
}

TEST(Theory, SaysWhatIsNotFollowed)
{
    EXPECT_TRUE(measures(counted("scan/lookback", 16, {4, 4})).complete) << "one tile waits for nobody";
    const auto many = counted("scan/lookback", 1000, {4, 4});
    EXPECT_FALSE(measures(many).complete);
    EXPECT_FALSE(many[0].complete());
    EXPECT_EQ(many[0].groupCount(), 63U);
}

TEST(Theory, HasNothingToCountOfNothing)
{
    EXPECT_TRUE(counted("scan/naive", 0, {4, 2}).empty());
    EXPECT_EQ(text(measures(counted("reduce/sequential", 1, {4, 2}))), "0 0 0 0 0 0");
}

TEST(Theory, GivesFewerProcessorsMoreSteps)
{
    const auto naive = counted("scan/naive", 1000, {256, 2});
    const Measures most = measures(naive), four = measures(naive, 4), one = measures(naive, 1);
    EXPECT_EQ(most.time, most.shortest);
    EXPECT_EQ(one.time, most.work) << "one processor does all the work";
    EXPECT_GE(four.time, ceilDiv(most.work, 4));
    EXPECT_LE(four.time, most.work / 4 + most.time) << "Brent";
    EXPECT_EQ(four.cost(), 4 * four.time);
}

// The shortcut for work-groups between two equal ones changes nothing.
TEST(Theory, CountsAllWorkGroupsAsIfEachWereFollowed)
{
    const auto gpu = openTestGpu();
    for (const Task& task : selectTasks({}, true))
        for (const std::uint32_t n : {1U, 2U, 3U, 7U, 1000U, 2048U, 5003U}) {
            const KernelShape shape{6, task.elementsUnit * (n % 2 + 1), n % 3 == 0};
            const DeviceBuffer input(*gpu, "input", n);
            const auto solution = workloadOf(*gpu, task, n).prepare(*gpu, shape, input);
            for (const DispatchCommand* one : solution->log().dispatches()) {
                std::uint64_t budget = UINT64_MAX;
                const auto quick = KernelCounts(*one->groupCheck, one->groups, one->push, budget).ofAll();
                const std::uint64_t spent = UINT64_MAX - budget;
                EXPECT_EQ(quick, KernelCounts(*one->groupCheck, one->groups, one->push, budget).ofEach())
                    << task.id << ", n = " << n << ", " << one->label;
                if (one->groupCount() > 400) {
                    EXPECT_LT(spent, 200000U) << task.id << ", " << one->label;
                }
            }
        }
}

TEST(Theory, GivesUpWhereTheBudgetRunsOut)
{
    const auto gpu = openTestGpu();
    const auto counted = countDispatches(*gpu, workloadOf(*gpu, taskNamed("scan/naive"), 1000), {4, 2}, 100);
    EXPECT_FALSE(counted.front().phases);
    EXPECT_FALSE(measures(counted).complete);
}

TEST(BankConflicts, OfTheTileScanAreGoneWithPadding)
{
    for (const std::uint32_t workGroup : {32U, 64U, 128U, 256U, 512U}) {
        EXPECT_EQ(worstOfTileScan("", {workGroup, 2}), 1U) << workGroup;
        EXPECT_EQ(worstOfTileScan("", {workGroup, 8}), 1U) << workGroup;
    }
    // With strides of 1024 words and more, padding by one word is taken back by 32 of them.
    EXPECT_EQ(worstOfTileScan("", {1024, 2}), 2U);
}

TEST(BankConflicts, OfTheTileScanAreThereWithout)
{
    EXPECT_EQ(worstOfTileScan("", without({32, 2})), 2U);
    EXPECT_EQ(worstOfTileScan("", without({256, 2})), 16U);
    EXPECT_EQ(worstOfTileScan("", without({1024, 2})), 32U);
}

TEST(BankConflicts, FollowTheMacroThatTheKernelIsCompiledWith)
{
    const ChangedShaders broken("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)", "(index)");
    EXPECT_EQ(worstOfTileScan(broken.path(), {256, 2}), 16U);
}

TEST(BankConflicts, AreNoneWhereAllReadOneWord)
{
    const auto gpu = openTestGpu();
    const auto kernels =
        countConflicts(*gpu, workloadOf(*gpu, taskNamed("reduce/atomic"), 1000), usualColumns({64, 2}));
    ASSERT_EQ(kernels.size(), 1U);
    EXPECT_TRUE(kernels[0].any());
    EXPECT_FALSE(kernels[0].paddingMatters(usualColumns({64, 2})));
    for (const auto& column : kernels[0].columns)
        for (const auto& phase : column) EXPECT_LE(phase.value_or(99), 1U);
}

TEST(Growth, TellsALogarithmFromAConstant)
{
    EXPECT_EQ(growthOf({6, 8, 10, 12, 14, 16}), Growth::grows);
    EXPECT_EQ(growthOf({4.75, 5.07, 5.12, 5.13, 5.14, 5.14}), Growth::bounded);
    EXPECT_EQ(growthOf({100, 25, 6, 3, 3, 3}), Growth::bounded);
    EXPECT_EQ(growthOf({1, 2, 3}), Growth::unknown);
}

TEST(Growth, MakesTheNaiveScanNotOptimalAndTheOthersSo)
{
    const auto gpu = openTestGpu();
    const auto of = [&](const char* id) { return optimality(*gpu, taskNamed(id), false); };
    EXPECT_EQ(of("scan/naive").work, Growth::grows);
    EXPECT_EQ(of("scan/naive").cost, Growth::grows);
    for (const char* id : {"scan/work-efficient", "reduce/interleaved", "reduce/sequential", "reduce/decomposition"}) {
        EXPECT_EQ(of(id).work, Growth::bounded) << id;
        EXPECT_EQ(of(id).cost, Growth::grows) << id;
    }
    EXPECT_EQ(of("scan/lookback").work, Growth::unknown);
}

}  // namespace a2
