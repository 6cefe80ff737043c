// scan/lookback without help from the device: neighbours that never publish, no patience, odd work-group sizes, run
// numbers that wrap round.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "judge/RowLimits.h"
#include "support/ChangedShaders.h"
#include "support/TileStateRuns.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr const char* lookback = "A2Task2DecoupledLookback.comp";
constexpr const char* publishSum = "subgroupElect()) publish(tile, run, tile == 0";
constexpr const char* publishPrefix = "if (missing == NONE) publish(";

std::string text(const Verdict& verdict)
{
    std::string all;
    if (verdict.mismatches)
        all = fmt::format("{} wrong, the first at {}: expected {}, got {}\n", verdict.mismatches->count,
                          verdict.mismatches->firstIndex, verdict.mismatches->expected, verdict.mismatches->got);
    for (const Finding& finding : verdict.findings) all += finding.text() + "\n";
    return all;
}

std::string text(std::uint64_t n, const KernelShape& shape)
{
    return fmt::format("n = {}, {} x {}{}: ", n, shape.workGroup, shape.elements, shape.exclusive ? ", exclusive" : "");
}

// Runs three times; returns the number of fallbacks.
std::uint32_t expectRight(Device& gpu, std::uint64_t n, const KernelShape& shape, const char* pattern = "random")
{
    const Input input(Pattern::parse(pattern), n, n);
    TileStateRuns runs(gpu, "scan/lookback", input, shape);
    for (int i = 0; i < 3; ++i) {
        const Verdict verdict = runs.run();
        EXPECT_TRUE(verdict.passed()) << text(n, shape) << text(verdict);
    }
    return runs.fallbacks();
}

const std::vector<KernelShape> oddShapes = {{64, 4, false},   {32, 8, true}, {96, 4, false}, {100, 12, true},
                                            {256, 28, false}, {1, 4, false}, {3, 8, true},   {7, 4, false}};

// Lengths around multiples of tiles; many tiles in two of the shapes.
void expectFallbacks(Device& gpu, const std::vector<std::uint64_t>& tiles, bool always = true)
{
    for (const KernelShape& shape : oddShapes)
        for (const std::uint64_t count : tiles) {
            if (count > 10 && shape.workGroup != 64 && shape.workGroup != 100) continue;
            for (const std::uint64_t n : {count * shape.tile() - 1, count * shape.tile(), count * shape.tile() + 1}) {
                const std::uint32_t fallbacks = expectRight(gpu, n, shape);
                EXPECT_TRUE(fallbacks > 0 || !always) << text(n, shape) << "nobody missed a tile";
            }
        }
}

}  // namespace

TEST(Lookback, IsRightWhereEveryThirdTileKeepsItsSumToItself)
{
    ChangedShaders folder(lookback, publishSum, fmt::format("tile % 3 != 1 && {}", publishSum));
    folder.change(lookback, publishPrefix, "if (missing == NONE && tile % 3 != 1) publish(");
    const auto gpu = openTestGpu(folder.path());
    expectFallbacks(*gpu, {3, 4, 10, 100});
}

// Every look-back goes to the first tile, and past missing tiles.
TEST(Lookback, IsRightWhereOnlyTheFirstTileHasAPrefix)
{
    ChangedShaders folder(lookback, publishPrefix, "if (false) publish(");
    {
        const auto gpu = openTestGpu(folder.path());
        expectFallbacks(*gpu, {3, 100}, false);
    }
    folder.change(lookback, publishSum, fmt::format("tile % 3 != 1 && {}", publishSum));
    const auto gpu = openTestGpu(folder.path());
    expectFallbacks(*gpu, {3, 10, 100});
}

// Not even the first one publishes: every work-group adds up everything before its tile, tile by tile.
TEST(Lookback, IsRightWhereNobodyPublishes)
{
    ChangedShaders folder(lookback, publishSum, fmt::format("false && {}", publishSum));
    folder.change(lookback, publishPrefix, "if (false) publish(");
    const auto gpu = openTestGpu(folder.path());
    expectFallbacks(*gpu, {2, 3, 40});
    const KernelShape shape{64, 4, false};
    const std::uint64_t tiles = 40;
    EXPECT_EQ(expectRight(*gpu, tiles * shape.tile(), shape), 3 * tiles * (tiles - 1) / 2) << "in three runs";
}

TEST(Lookback, IsRightWithoutPatience)
{
    for (const char* patience : {"0", "1"}) {
        const ChangedShaders folder(lookback, "PATIENCE = 256", fmt::format("PATIENCE = {}", patience));
        const auto gpu = openTestGpu(folder.path());
        expectFallbacks(*gpu, {2, 3, 40}, patience == std::string("0"));
    }
}

TEST(Lookback, SumsWrapRound)
{
    const auto gpu = openTestGpu();
    for (const char* pattern : {"max", "random", "ones"})
        for (const KernelShape& shape : {KernelShape{256, 28, false}, KernelShape{64, 4, true}})
            for (const std::uint64_t n : {65535U, 65536U, 65537U, 300001U}) expectRight(*gpu, n, shape, pattern);
}

TEST(Lookback, WorkGroupsOfAnySizeAreRight)
{
    const auto gpu = openTestGpu();
    for (const std::uint32_t workGroup : {1U, 2U, 3U, 7U, 8U, 9U, 33U, 96U, 100U, 127U, 999U, 1024U})
        for (const std::uint32_t elements : {4U, 12U}) {
            const KernelShape shape{workGroup, elements, (workGroup + elements / 4) % 2 == 0};
            for (const std::uint64_t n :
                 {std::uint64_t{1}, shape.tile() - 1, shape.tile(), shape.tile() + 1, 10 * shape.tile() + 5})
                expectRight(*gpu, n, shape);
        }
}

// The tiles' states contain 8 bits of the run's number.
TEST(Lookback, OneObjectRunsSixHundredTimes)
{
    const auto gpu = openTestGpu();
    const KernelShape shape{64, 4, false};
    for (const std::uint64_t n : {300U, 5000U}) {
        const Input input(Pattern::parse("random"), n, 1);
        TileStateRuns runs(*gpu, "scan/lookback", input, shape);
        for (int run = 0; run < 600; ++run) {
            const Verdict verdict = runs.run();
            ASSERT_TRUE(verdict.passed()) << "run " << run << ", " << text(n, shape) << text(verdict);
        }
    }
}

// Work-groups that only fill up the last row of the dispatch have an empty tile.
TEST(Lookback, FoldedDispatchesAreRight)
{
    const auto gpu = openTestGpu();
    for (const std::uint64_t tiles : {65535U, 65536U, 65537U, 131071U, 131072U}) {
        const KernelShape shape{1, 4, tiles % 2 == 1};
        const std::uint64_t n = tiles * shape.tile() - 3;
        const Input input(Pattern::parse("random"), n, 1);
        TileStateRuns runs(*gpu, "scan/lookback", input, shape);
        for (int i = 0; i < 2; ++i) {
            const Verdict verdict = runs.run();
            EXPECT_TRUE(verdict.passed()) << text(n, shape) << text(verdict);
        }
        const WorkGroups folded = gpu->foldGroups(tiles);
        EXPECT_EQ(runs.groups(), std::size_t{folded.x} * folded.y);
        EXPECT_EQ(runs.groups() > tiles, tiles == 65537 || tiles == 131071 || tiles == 131072) << tiles;
    }
}

TEST(Lookback, RefusesWhatItCannotNumber)
{
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.elements = 6;
    const TaskOutcome odd = evaluate(*gpu, taskNamed("scan/lookback"), 1000, settings);
    EXPECT_EQ(odd.status, Status::skipped);
    EXPECT_NE(explanation(odd).find("choose --elements 4, 8"), std::string::npos) << explanation(odd);

    const KernelShape shape{1, 4, false};
    const std::uint64_t most = gpu->limits().maxStorageBufferRange / 64 - 1;  // one binding has all states
    ASSERT_LT(most, std::uint64_t{1} << 24);
    const std::uint64_t tooMany = (most + 1) * shape.tile();
    try {
        checkRow(*gpu, taskNamed("scan/lookback"), shape, tooMany);
        ADD_FAILURE() << "it takes more tiles";
    } catch (const LimitError& error) {
        EXPECT_NE(std::string(error.what()).find(fmt::format("at most {} tiles", most)), std::string::npos)
            << error.what();
    }
}

}  // namespace a2
