// The counting kernels, held against counts made by hand, and the methods that `a2 obstacles` compares.

#include "labs/prescan/ScanMethods.h"

#include "GpuFixture.h"
#include "a2/Error.h"
#include "base/Parallel.h"
#include "gpu/Shaders.h"
#include "judge/RowLimits.h"
#include "labs/prescan/CountedRun.h"
#include "spirv/DataFlow.h"
#include "support/ChangedShaders.h"

#include <fmt/format.h>

#include <bit>

namespace a2 {

namespace {

struct Numbers {
    std::uint64_t additions, reads, writes;
    bool operator==(const Numbers&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Numbers& numbers)
{
    return stream << numbers.additions << " additions, " << numbers.reads << " reads, " << numbers.writes << " writes";
}
Numbers numbersOf(const KernelTotals& totals) { return {totals.additions, totals.reads, totals.writes}; }

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

// What the kernels do, step by step, for tiles of `tile` elements filled up with zeros.
Numbers byHand(ScanMethod method, std::uint64_t n, std::uint64_t tile)
{
    Numbers sum{0, n, n};
    const std::uint64_t tiles = ceilDiv(n, tile);
    for (std::uint64_t stride = 1; method == ScanMethod::koggeStone && stride < tile; stride *= 2)
        sum.additions += tiles * (tile - stride);
    for (std::uint64_t stride = 1; method == ScanMethod::brentKung && stride < tile; stride *= 2) {
        sum.additions += tiles * (tile / (2 * stride));
        for (std::uint64_t last = 2 * stride - 1; last + stride < tile; last += 2 * stride) sum.additions += tiles;
    }
    for (std::uint64_t i = 0; method == ScanMethod::bruteForce && i < n; ++i) sum.additions += i % tile + 1;
    if (method == ScanMethod::bruteForce) sum.reads = sum.additions;
    if (tiles > 0) sum.writes += tiles;  // totals
    if (tiles > 1) {
        const Numbers above = byHand(method, tiles, tile);
        sum.additions += above.additions + n - tile;  // offsets, but for the first tile
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
    const auto counted = [&](ScanMethod method) { return numbersOf(measured(*gpu, method, 1024, shape).counted); };
    EXPECT_EQ(counted(ScanMethod::bruteForceWhole), (Numbers{524800, 524800, 1024}));
    EXPECT_EQ(counted(ScanMethod::bruteForce), (Numbers{524800, 524800, 1025}));
    EXPECT_EQ(counted(ScanMethod::koggeStone), (Numbers{9217, 1024, 1025}));
    EXPECT_EQ(counted(ScanMethod::brentKung), (Numbers{2036, 1024, 1025}));

    const auto formula = [&](ScanMethod method) { return numbersOf(reportFormulas(method, 1024)); };
    EXPECT_EQ(formula(ScanMethod::bruteForce), (Numbers{524800, 524800, 525824}));
    EXPECT_EQ(formula(ScanMethod::koggeStone), (Numbers{10240, 1024, 10240}));
    EXPECT_EQ(formula(ScanMethod::brentKung), (Numbers{2036, 2048, 2048}));
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
                Numbers byHands = byHand(method, n, shape.tile());
                // Offsets are read once by each invocation of a tile, but for the first.
                Numbers got = numbersOf(outcome.counted);
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

TEST(ScanMethods, TotalsGoBeyondThirtyTwoBits)
{
    EXPECT_EQ(numbersOf(readTotals(std::vector<std::uint32_t>{1, 2, 3, 0, 0, 1})),
              (Numbers{(std::uint64_t{2} << 32) + 1, 3, std::uint64_t{1} << 32}));
}

// 16 vectors are copied on top of totals that are about to overflow.
TEST(CountedKernel, CarriesIntoTheHighWordsAndCountsVectorsByWords)
{
    const auto gpu = openTestGpu();
    const DeviceBuffer from(*gpu, "from", 64), to(*gpu, "to", 64), totals(*gpu, "totals", totalsWords);
    std::vector<std::uint32_t> words = {UINT32_MAX, 0, UINT32_MAX, 0, UINT32_MAX, 0};
    fillDevice(*gpu, totals, words);
    DeviceKernel kernel(*gpu, copyShader + countedSuffix, 3, sizeof(std::uint32_t), {32, 2});
    const vk::DescriptorSet set = kernel.makeDescriptorSet({from, to, totals});
    TimedRun(*gpu).run(Timer::gpu, {}, [&](vk::CommandBuffer cb) {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});
        cb.pushConstants<std::uint32_t>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, 16U);
        cb.dispatch(1, 1, 1);
    });
    fillHost(*gpu, totals, words);
    constexpr std::uint64_t before = UINT32_MAX;
    EXPECT_EQ(numbersOf(readTotals(words)), (Numbers{before, before + 64, before + 64}));
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
    const auto lines = [](ScanMethod method, std::uint64_t n, std::uint64_t tile, const Numbers& all,
                          const Numbers& above = {}) {
        return differences(method, n, tile, {all.additions, all.reads, all.writes},
                           {above.additions, above.reads, above.writes});
    };
    EXPECT_EQ(lines(ScanMethod::bruteForceWhole, 1024, 1024, {524800, 524800, 1024}).size(), 1U) << "writes";
    EXPECT_EQ(lines(ScanMethod::koggeStone, 1024, 1024, {9217, 1024, 1025}).size(), 3U) << "additions, writes, total";
    EXPECT_EQ(lines(ScanMethod::brentKung, 1024, 1024, {2036, 1024, 1025}).size(), 3U) << "reads, writes, total";
    // The formulas' own numbers need no word but for the total.
    EXPECT_EQ(lines(ScanMethod::koggeStone, 1024, 1024, {10240, 1024, 10241}).size(), 1U);
    const auto many = lines(ScanMethod::brentKung, 2048, 1024, {7000, 5000, 5000}, {3000, 1500, 1500});
    ASSERT_EQ(many.size(), 4U);
    EXPECT_NE(many[0].find("each of 2 tiles of T = 1024"), std::string::npos) << many[0];
    EXPECT_NE(many[3].find("takes 3000 additions, 1500 reads and 1500 writes"), std::string::npos) << many[3];
}

// Sums of indices are none of data, and what a tile's data is made of is.
TEST(DataFlow, TellsDataFromIndices)
{
    const auto gpu = openTestGpu();
    for (const auto& [kernel, expected] : {std::pair{"A2LabBruteForceWhole", 1}, std::pair{"A2LabBrentKung", 2},
                                           std::pair{"A2LabKoggeStone", 1}, std::pair{"Copy", 0}}) {
        const auto module = loadShader(*gpu, kernel);
        const DataFlow flow(module);
        int additions = 0, all = 0;
        forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
            if (opcode != spv::OpIAdd) return;
            ++all;
            additions += flow.isData(words[3]) || flow.isData(words[4]);
        });
        EXPECT_EQ(additions, expected) << kernel;
        EXPECT_GT(all, additions) << kernel;
    }
}

}  // namespace a2
