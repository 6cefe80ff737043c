// The methods that `a2 obstacles` compares; their counts are compared with counts made by hand.

#include "annexes/obstacles/ScanMethods.h"

#include "a2/Error.h"
#include "base/Parallel.h"
#include "judge/RowLimits.h"
#include "support/ChangedShaders.h"
#include "unit/GpuFixture.h"

#include <fmt/format.h>

#include <bit>

namespace a2 {

inline std::ostream& operator<<(std::ostream& stream, const Operations& all)
{
    return stream << all.additions << " additions, " << all.reads << " reads, " << all.writes << " writes";
}

namespace {

MethodOutcome measured(Device& gpu, ScanMethod method, std::uint64_t n, const KernelShape& shape)
{
    std::vector<std::uint32_t> flags(n), expected(n);
    for (std::uint64_t i = 0; i < n; ++i) flags[i] = i % 3 == 0;
    parallelInclusiveScan(flags, expected);
    const DeviceBuffer input(gpu, "flags", n);
    fillDevice(gpu, input, flags);
    SeriesSettings settings = ofThree(1);
    return measureMethod(gpu, method, shape, input, expected, settings);
}

// The kernels' operations, step by step, for tiles of `tile` elements filled up with zeros.
Operations byHand(ScanMethod method, std::uint64_t n, std::uint64_t tile)
{
    Operations sum{0, n, n};
    const std::uint64_t tiles = ceilDiv(n, tile);
    for (std::uint64_t stride = 1; method == ScanMethod::koggeStone && stride < tile; stride *= 2)
        sum.additions += tiles * (tile - stride);
    for (std::uint64_t stride = 1; method == ScanMethod::brentKung && stride < tile; stride *= 2) {
        sum.additions += tiles * (tile / (2 * stride));
        for (std::uint64_t last = 2 * stride - 1; last + stride < tile; last += 2 * stride) sum.additions += tiles;
    }
    for (std::uint64_t i = 0; method == ScanMethod::bruteForce && i < n; ++i) sum.additions += i % tile;
    if (method == ScanMethod::bruteForce) sum.reads = sum.additions + n;  // the first element is read, but not added
    if (tiles > 0) sum.writes += tiles;                                   // totals
    if (tiles > 1) {
        const Operations above = byHand(method, tiles, tile);
        sum.additions += above.additions + n - tile;  // offsets, except in the first tile
        sum.reads += above.reads + n - tile;
        sum.writes += above.writes + n - tile;
    }
    return sum;
}

}  // namespace

TEST(ScanMethods, CountWhatTheReportsTableSaysAndWhatItDoesNot)
{
    const auto gpu = openTestGpu();
    const KernelShape shape = comparedShape(1024, 1024);
    EXPECT_EQ(shape.tile(), 1024U);
    const auto counted = [&](ScanMethod method) { return measured(*gpu, method, 1024, shape).counts.value().all; };
    EXPECT_EQ(counted(ScanMethod::bruteForceWhole), (Operations{523776, 524800, 1024}));
    EXPECT_EQ(counted(ScanMethod::bruteForce), (Operations{523776, 524800, 1025}));
    EXPECT_EQ(counted(ScanMethod::koggeStone), (Operations{9217, 1024, 1025}));
    EXPECT_EQ(counted(ScanMethod::brentKung), (Operations{2036, 1024, 1025}));

    const auto formula = [&](ScanMethod method) { return reportFormulas(method, 1024); };
    EXPECT_EQ(formula(ScanMethod::bruteForce), (Operations{524800, 524800, 525824}));
    EXPECT_EQ(formula(ScanMethod::koggeStone), (Operations{10240, 1024, 10240}));
    EXPECT_EQ(formula(ScanMethod::brentKung), (Operations{2036, 2048, 2048}));
}

TEST(ScanMethods, CountAsManyAsByHandAtAnyLengthAndShape)
{
    const auto gpu = openTestGpu();
    for (const ScanMethod method : {ScanMethod::bruteForce, ScanMethod::koggeStone, ScanMethod::brentKung})
        for (const KernelShape& shape : {KernelShape{4, 2}, KernelShape{3, 2}, KernelShape{1, 2}, KernelShape{8, 4}})
            for (const std::uint64_t n : {1U, 2U, 7U, 8U, 9U, 64U, 100U}) {
                SCOPED_TRACE(
                    fmt::format("{}, n = {}, {} x {}", methodName(method), n, shape.workGroup, shape.elements));
                const MethodOutcome outcome = measured(*gpu, method, n, shape);
                EXPECT_FALSE(outcome.mismatches);
                Operations byHands = byHand(method, n, shape.tile());
                // Each invocation of a tile reads the offset once, except in the first tile.
                const Operations got = outcome.counts.value().all;
                for (std::uint64_t tiles = ceilDiv(n, shape.tile()); tiles > 1; tiles = ceilDiv(tiles, shape.tile()))
                    byHands.reads += (tiles - 1) * shape.workGroup;
                EXPECT_EQ(got, byHands);
                EXPECT_EQ(outcome.ms.count, 3U);
            }
}

TEST(ScanMethods, AreAllRightAtLongerLengthsAndBruteForceIsLeftOutThere)
{
    EXPECT_EQ(comparedMethods(longestWhole).size(), 4U);
    EXPECT_EQ(comparedMethods(longestWhole + 1).size(), 3U);
    EXPECT_EQ(comparedMethods(longestInTiles).size(), 3U);
    EXPECT_EQ(comparedMethods(longestInTiles + 1).size(), 2U);
    const auto gpu = openTestGpu();
    for (const std::uint64_t n : {2048U, 4097U, 50003U})
        for (const ScanMethod method : comparedMethods(n))
            EXPECT_FALSE(measured(*gpu, method, n, comparedShape(n, 1024)).mismatches) << methodName(method) << n;
}

TEST(BruteForce, RefusesWhatNoDeviceShouldDo)
{
    const auto gpu = openTestGpu();
    const Task task = taskNamed("scan/brute-force");
    const auto check = [&](const KernelShape& shape, std::uint64_t n) { checkRow(*gpu, task, shape, n); };
    EXPECT_THROW(check({64, 64}, 1), LimitError) << "loop iterations of one invocation";
    EXPECT_THROW(check({1024, 2}, 1 << 25), LimitError) << "additions in all";
    EXPECT_THROW(check(task.shape, std::uint64_t{1} << 32), LimitError);
    EXPECT_NO_THROW(check({1024, 2}, 1));
    EXPECT_NO_THROW(check({1024, 8}, 1));
}

// It takes about ten instructions for each of n (n - 1) / 2 additions.
TEST(ScanMethods, AreNotCountedWhereThatTakesTooLong)
{
    const auto gpu = openTestGpu();
    EXPECT_TRUE(measured(*gpu, ScanMethod::bruteForceWhole, 2000, comparedShape(2000, 1024)).counts);
    const MethodOutcome longer = measured(*gpu, ScanMethod::bruteForceWhole, 12000, comparedShape(12000, 1024));
    EXPECT_FALSE(longer.counts);
    EXPECT_FALSE(longer.mismatches);
    EXPECT_TRUE(measured(*gpu, ScanMethod::koggeStone, 40000, comparedShape(40000, 1024)).counts)
        << "700 instructions or so for an element";
}

TEST(ScanMethods, AWrongKernelIsTold)
{
    const ChangedShaders folder("A2LabKoggeStone.comp", "stride < TILE; stride *= 2", "2 * stride < TILE; stride *= 2");
    const auto gpu = openTestGpu(folder.path());
    const MethodOutcome outcome = measured(*gpu, ScanMethod::koggeStone, 1000, {64, 2});
    ASSERT_TRUE(outcome.mismatches);
    EXPECT_EQ(outcome.mismatches->firstIndex, 64U);
}

TEST(ScanMethods, AKernelThatWritesBehindItsResultIsFound)
{
    const ChangedShaders folder("A2LabBruteForceWhole.comp", "target[index] = sum;",
                                "target[index] = sum; if (index == 0) target[push.count] = sum;");
    const auto gpu = openTestGpu(folder.path());
    const MethodOutcome outcome = measured(*gpu, ScanMethod::bruteForceWhole, 1000, {64, 2});
    EXPECT_FALSE(outcome.mismatches);
    ASSERT_TRUE(anyFails(outcome.findings));
    EXPECT_EQ(firstThatFails(outcome.findings)->rule, "out-of-bounds");
}

TEST(ScanMethods, DifferencesFromTheFormulasAreExplained)
{
    const auto lines = [](ScanMethod method, std::uint64_t n, std::uint64_t tile, const Operations& all,
                          const Operations& above = {}) { return differences(method, n, tile, all, above); };
    EXPECT_EQ(lines(ScanMethod::bruteForceWhole, 1024, 1024, {523776, 524800, 1024}).size(), 2U) << "additions, writes";
    EXPECT_EQ(lines(ScanMethod::koggeStone, 1024, 1024, {9217, 1024, 1025}).size(), 3U) << "additions, writes, total";
    EXPECT_EQ(lines(ScanMethod::brentKung, 1024, 1024, {2036, 1024, 1025}).size(), 3U) << "reads, writes, total";
    // Numbers that equal the formulas need no remark, except for the total.
    EXPECT_EQ(lines(ScanMethod::koggeStone, 1024, 1024, {10240, 1024, 10241}).size(), 1U);
    const auto many = lines(ScanMethod::brentKung, 2048, 1024, {7000, 5000, 5000}, {3000, 1500, 1500});
    ASSERT_EQ(many.size(), 4U);
    EXPECT_NE(many[0].find("each of 2 tiles of T = 1024"), std::string::npos) << many[0];
    EXPECT_NE(many[3].find("takes 3000 additions, 1500 reads and 1500 writes"), std::string::npos) << many[3];
}

}  // namespace a2
