// The counts of a2 theory, compared with numbers worked out by hand.

#include "judge/CountedWork.h"

#include "a2/Error.h"
#include "annexes/theory/Growth.h"
#include "support/ChangedShaders.h"
#include "tasks/Task.h"
#include "unit/GpuFixture.h"

#include <fmt/format.h>

namespace a2 {

namespace {

std::vector<CountedDispatch> counted(const std::string& id, std::uint64_t n, const KernelShape& shape)
{
    const auto gpu = openTestGpu();
    return countDispatches(workloadOf(*gpu, taskNamed(id)), n, shape);
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
std::uint32_t worstOfTileScan(const std::string& shaderDir, const KernelShape& shape)
{
    const auto gpu = openTestGpu(shaderDir);
    const auto kernels = countConflicts(workloadOf(*gpu, taskNamed("scan/local")), shape.tile(), {{"", 32, shape}});
    const Conflicts& worst = kernels.at(0).columns.at(0).worst;
    return *std::max_element(worst.begin(), worst.end());
}

// Requests, sectors and transactions of each dispatch.
std::string requests(const std::vector<CountedDispatch>& dispatches)
{
    std::string all;
    for (const CountedDispatch& one : dispatches)
        all += fmt::format("{} {} {}; ", one.requests, one.sectors, one.transactions);
    return all;
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
    // With eight elements per invocation, one invocation does everything.
    EXPECT_EQ(text(measures(counted("reduce/sequential", 8, {256, 8}))), "7 1 7 7 8 1");
}

TEST(Theory, CountsANaiveScanOfEight)
{
    // n log2 n - (n - 1) additions; an element without a partner is also read and written.
    EXPECT_EQ(texts(counted("scan/naive", 8, {256, 2})), "1 8 8 7 15 8; 1 8 8 6 14 8; 1 8 8 4 12 8; ");
    // The exclusive one begins one place further left: 6 + 6 + 4 additions.
    EXPECT_EQ(text(measures(counted("scan/naive", 8, {256, 2, true}))), "3 8 24 16 39 24");
}

TEST(Theory, CountsAWorkEfficientScanOfEight)
{
    const auto tile = counted("scan/work-efficient", 8, {4, 2});
    EXPECT_EQ(text(measures(tile)),
              "10 4 30 22 8 9");  // 7 up, 7 down, and 8 to make it inclusive; 8 results and a total
    ASSERT_EQ(tile.size(), 1U);
    ASSERT_EQ(tile[0].phases.size(), 8U);
    using Active = std::vector<std::uint64_t>;
    EXPECT_EQ(tile[0].phases[0].active, (Active{4, 4}));  // two elements each
    EXPECT_EQ(tile[0].phases[3].active, (Active{1}));     // the last pair of the up-sweep
    EXPECT_EQ(tile[0].phases[7].active, (Active{4, 4}));
    EXPECT_EQ(measures(counted("scan/work-efficient", 8, {4, 2, true})).additions, 14U);
    // Two tiles: their totals are scanned, exclusively, and added to the second tile by two invocations with one vector
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
    EXPECT_EQ(atomic[0].phases[1].active, (std::vector<std::uint64_t>{4, 1, 1, 1, 1}));
}

// It waits for words that other work-groups write; these words are in memory.
TEST(Theory, FollowsWhatDependsOnMemory)
{
    const auto one = counted("scan/lookback", 16, {4, 4}), many = counted("scan/lookback", 1000, {4, 4});
    ASSERT_EQ(many.size(), one.size());
    EXPECT_EQ(many[0].groups[0] * std::uint64_t{many[0].groups[1]}, 63U);
    EXPECT_GE(measures(many).writes, 1000U + 63U) << "results, and a word at least for each tile";
    EXPECT_GE(measures(many).additions, 999U);
    EXPECT_LT(measures(many).work, 8000U);
}

// The first work-group, which is followed to its end before another one begins, takes every tile.
TEST(Theory, FollowsWorkGroupsThatStay)
{
    const auto one = counted("scan/persistent", 16, {4, 4}), many = counted("scan/persistent", 1000, {4, 4});
    EXPECT_EQ(many[0].groups[0], 63U);
    EXPECT_GT(many[0].phases.size(), 63 * (one[0].phases.size() - 3)) << "several for each tile";
    EXPECT_GE(measures(many).writes, 1000U + 2 * 63U) << "results, and two words for each tile";
    EXPECT_GE(measures(many).additions, 999U);
}

TEST(Theory, AddsAsOftenAsTextbooksSay)
{
    for (const std::uint64_t n : {1U, 2U, 100U, 1000U})
        for (const char* id : {"reduce/interleaved", "reduce/sequential"})
            EXPECT_EQ(measures(counted(id, n, {64, 2})).additions, n - 1) << id << ", n = " << n;
    // One tile, not filled up with zeros. Atomics begin with a 0, and adding to it counts, too.
    for (const char* id :
         {"reduce/decomposition", "reduce/unroll", "reduce/atomic", "reduce/local-modulo", "reduce/local-sequential"})
        EXPECT_EQ(measures(counted(id, 128, {64, 2})).additions, id == std::string("reduce/atomic") ? 128U : 127U)
            << id;
    for (const char* id :
         {"scan/naive", "scan/work-efficient", "scan/local", "scan/kogge-stone", "scan/brent-kung", "scan/brute-force"})
        for (const std::uint32_t workGroup : {4U, 64U}) {
            const std::uint64_t n = 2 * workGroup;  // one tile
            EXPECT_EQ(measures(counted(id, n, {workGroup, 2})).additions,
                      taskNamed(id).scheme.textbook(n, false).additions->value)
                << id << ", n = " << n;
        }
}

TEST(Theory, CountsWhatAStrideCosts)
{
    // Two loads and a store by 512 invocations, then by half as many ...; two words apart, then four ... A subgroup's
    // 32 words are in 8 sectors, then in 16, then each in its own sector.
    const auto interleaved = counted("reduce/interleaved", 1024, {64, 2});
    EXPECT_TRUE(requests(interleaved).starts_with("48 384 96; 24 384 96; 12 384 96; 6 192 96; 3 96 96; "))
        << requests(interleaved);
    // Always neighbours: 32 words in 4 sectors and one transaction.
    const auto sequential = counted("reduce/sequential", 1024, {64, 2});
    EXPECT_TRUE(requests(sequential).starts_with("48 192 48; 24 96 24; 12 48 12; 6 24 6; 3 12 3; "))
        << requests(sequential);
}

TEST(Theory, CountsBranchesThatPart)
{
    // 256 invocations in eight subgroups, a && as two branches. At strides 2 to 32 all subgroups diverge at t % stride,
    // then 4, 2 and 1 of them; at the end the first one diverges, because one invocation writes the sum.
    EXPECT_EQ(counted("reduce/local-modulo", 512, {256, 2})[0].divergentBranches, 2U * (5 * 8 + 4 + 2 + 1 + 1));
    // Neighbours work: the first subgroup diverges at strides 16, 8, 4, 2 and 1, and at the end.
    EXPECT_EQ(counted("reduce/local-sequential", 512, {256, 2})[0].divergentBranches, 5U + 2);
    // Up and down a tree over 512 leaves: it diverges where there are 16, 8, 4, 2 and 1 pairs, and at the root.
    EXPECT_EQ(counted("scan/local", 512, {256, 2})[0].divergentBranches, 5U + 5 + 1);
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

// The length that a refusal names is accepted, and the next one is not.
TEST(Theory, NamesTheLargestLengthThatFits)
{
    constexpr std::uint64_t budget = 3'000'000;
    const auto gpu = openTestGpu();
    for (const char* id : {"scan/naive", "scan/work-efficient", "reduce/sequential", "scan/brute-force"}) {
        const Workload work = workloadOf(*gpu, taskNamed(id));
        const KernelShape shape{64, 2};
        std::uint64_t largest = 0;
        try {
            countDispatches(work, 10'000'000, shape, budget);
        } catch (const LimitError& error) {
            const std::string text = error.what(), before = "the largest n is ";
            ASSERT_NE(text.find(before), std::string::npos) << text;
            largest = std::stoull(text.substr(text.find(before) + before.size()));
        }
        std::uint64_t instructions = 0;
        for (const CountedDispatch& one : countDispatches(work, largest, shape, budget))
            instructions += one.instructions;
        EXPECT_GT(instructions, budget / 2) << id << ", n = " << largest;
        // As many dispatches as levels are more at some length or other than a power of n says.
        EXPECT_LT(instructions, budget * 5 / 4) << id << ", n = " << largest;
        EXPECT_THROW(countDispatches(work, largest + 1, shape, budget), LimitError) << id;
    }
}

TEST(Theory, SaysWhatIsWrongWithAKernel)
{
    const ChangedShaders broken("A2Task1Sequential.comp", "void main()\n{", "void main()\n{\n    while (true) {}");
    const auto gpu = openTestGpu(broken.path());
    try {
        countDispatches(workloadOf(*gpu, taskNamed("reduce/sequential")), 8, {4, 2});
        ADD_FAILURE();
    } catch (const KernelError& error) {
        EXPECT_NE(std::string(error.what()).find("endless-loop: dispatch 0"), std::string::npos) << error.what();
    }
}

TEST(BankConflicts, OfTheTileScanAreGoneWithPadding)
{
    for (const std::uint32_t workGroup : {32U, 64U, 128U, 256U, 512U}) {
        EXPECT_EQ(worstOfTileScan("", {workGroup, 2}), 1U) << workGroup;
        EXPECT_EQ(worstOfTileScan("", {workGroup, 8}), 1U) << workGroup;
    }
    // With strides of 1024 words and more, 32 paddings of one word cancel each other.
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
    const auto kernels = countConflicts(workloadOf(*gpu, taskNamed("reduce/atomic")), 1000, usualColumns({64, 2}));
    ASSERT_EQ(kernels.size(), 1U);
    EXPECT_TRUE(kernels[0].any());
    EXPECT_FALSE(kernels[0].paddingMatters(usualColumns({64, 2})));
    for (const ConflictCount& column : kernels[0].columns) {
        for (const std::uint32_t phase : column.worst) EXPECT_LE(phase, 1U);
        EXPECT_EQ(column.turns, column.requests);
    }
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
    const auto of = [&](const char* id) { return optimality(workloadOf(*gpu, taskNamed(id)), taskNamed(id), false); };
    EXPECT_EQ(of("scan/naive").work, Growth::grows);
    EXPECT_EQ(of("scan/naive").cost, Growth::grows);
    for (const char* id : {"scan/work-efficient", "reduce/sequential"}) {
        EXPECT_EQ(of(id).work, Growth::bounded) << id;
        EXPECT_EQ(of(id).cost, Growth::grows) << id;
    }
    // Each work-group scans its invocations' sums in log2 of them steps.
    const Optimality lookback = of("scan/lookback");
    EXPECT_EQ(lookback.work, Growth::grows);
    EXPECT_LT(lookback.longer.back().measures.work, 8 * lookback.longer.back().n);
}

}  // namespace a2
