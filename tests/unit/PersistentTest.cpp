// scan/persistent without help from the device: neighbours that never publish, no patience, odd work-group sizes, more
// tiles than work-groups, run numbers that wrap round.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "a2/Slices.h"
#include "judge/RowLimits.h"
#include "support/ChangedShaders.h"
#include "support/TileStateRuns.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr const char* stayingKernel = "A2Task2Persistent.comp";
constexpr const char* publishesIn = "const uint bits = BITS_OF(sum), tag";
constexpr std::uint64_t mostThatStay = 1024;

std::string stayedText(std::uint64_t n, const KernelShape& shape, const Verdict& verdict)
{
    std::string all =
        fmt::format("n = {}, {} x {}{}: ", n, shape.workGroup, shape.elements, shape.exclusive ? ", exclusive" : "");
    if (verdict.mismatches)
        all += fmt::format("{} wrong, the first at {}: expected {}, got {}\n", verdict.mismatches->count,
                           verdict.mismatches->firstIndex, verdict.mismatches->expected, verdict.mismatches->got);
    for (const Finding& finding : verdict.findings) all += finding.text() + "\n";
    return all;
}

struct StayedRight {
    std::uint32_t fallbacks;
    std::size_t groups;
};

StayedRight expectStaysRight(Device& gpu, std::uint64_t n, const KernelShape& shape, const char* pattern = "random",
                             int times = 3)
{
    const Input input(Pattern::parse(pattern), n, n);
    TileStateRuns runs(gpu, "scan/persistent", input, shape);
    for (int i = 0; i < times; ++i) {
        const Verdict verdict = runs.run();
        EXPECT_TRUE(verdict.passed()) << "run " << i << ", " << stayedText(n, shape, verdict);
        if (!verdict.passed()) break;
    }
    return {runs.fallbacks(), runs.groups()};
}

const std::vector<KernelShape> stayingShapes = {{64, 4, false},   {32, 8, true}, {96, 4, false}, {100, 12, true},
                                                {256, 28, false}, {1, 4, false}, {3, 8, true},   {7, 4, false}};

// Lengths around multiples of tiles; many tiles in two of the shapes. Elements after the last whole vector belong to no
// tile.
void expectHelp(Device& gpu, const std::vector<std::uint64_t>& tiles, std::uint64_t fewestTiles)
{
    for (const KernelShape& shape : stayingShapes)
        for (const std::uint64_t count : tiles) {
            if (count > 10 && shape.workGroup != 64 && shape.workGroup != 100) continue;
            for (const std::uint64_t n : {count * shape.tile() - 1, count * shape.tile(), count * shape.tile() + 1}) {
                const bool always = ceilDiv(n / 4 * 4, shape.tile()) >= fewestTiles;
                EXPECT_TRUE(expectStaysRight(gpu, n, shape).fallbacks > 0 || !always)
                    << "nobody missed a tile: n = " << n << ", " << shape.workGroup << " x " << shape.elements;
            }
        }
}

}  // namespace

TEST(Persistent, IsRightWhereEveryThirdTileKeepsItsSumToItself)
{
    const ChangedShaders folder(stayingKernel, publishesIn, fmt::format("if (tile % 3 == 1) return; {}", publishesIn));
    const auto gpu = openTestGpu(folder.path());
    expectHelp(*gpu, {2, 3, 4, 10, 100}, 3);
}

// The group that takes the last tile adds up all others; a group never adds up the same tile twice.
TEST(Persistent, IsRightWhereNobodyPublishes)
{
    const ChangedShaders folder(stayingKernel, publishesIn, fmt::format("if (true) return; {}", publishesIn));
    const auto gpu = openTestGpu(folder.path());
    expectHelp(*gpu, {2, 3, 40}, 2);
    const KernelShape shape{64, 4, false};
    const std::uint64_t tiles = 40;
    const std::uint32_t fallbacks = expectStaysRight(*gpu, tiles * shape.tile(), shape).fallbacks;
    EXPECT_GE(fallbacks, 3 * (tiles - 1)) << "in three runs";
    EXPECT_LE(fallbacks, 3 * tiles * (tiles - 1) / 2) << "in three runs";
}

TEST(Persistent, IsRightWithoutPatience)
{
    for (const char* patience : {"0", "1"}) {
        const ChangedShaders folder(stayingKernel, "PATIENCE = 256", fmt::format("PATIENCE = {}", patience));
        const auto gpu = openTestGpu(folder.path());
        expectHelp(*gpu, {2, 3, 40}, patience == std::string("0") ? 2 : UINT64_MAX);
    }
}

TEST(Persistent, SumsWrapRound)
{
    const auto gpu = openTestGpu();
    for (const char* pattern : {"max", "random", "ones"})
        for (const KernelShape& shape : {KernelShape{512, 24, false}, KernelShape{64, 4, true}})
            for (const std::uint64_t n : {65535U, 65536U, 65537U, 300001U}) expectStaysRight(*gpu, n, shape, pattern);
}

TEST(Persistent, WorkGroupsOfAnySizeAreRight)
{
    const auto gpu = openTestGpu();
    for (const std::uint32_t workGroup : {1U, 2U, 3U, 7U, 8U, 9U, 33U, 96U, 100U, 127U, 999U, 1024U})
        for (const std::uint32_t elements : {4U, 12U}) {
            const KernelShape shape{workGroup, elements, (workGroup + elements / 4) % 2 == 0};
            for (const std::uint64_t n :
                 {std::uint64_t{1}, shape.tile() - 1, shape.tile(), shape.tile() + 1, 10 * shape.tile() + 5})
                expectStaysRight(*gpu, n, shape);
        }
}

// The tiles' states contain the run's number, which has 8 bits. A last slice that is short leaves older states behind
// it.
TEST(Persistent, OneObjectRunsSixHundredTimes)
{
    const KernelShape shape{64, 4, false};
    const auto gpu = openTestGpu();
    for (const std::uint64_t n : {300U, 5000U}) expectStaysRight(*gpu, n, shape, "random", 600);

    const std::uint64_t slice = DeviceBuffer::sliceAlignment * shape.tile();
    GpuOptions options;
    options.record = recordedHere;
    options.device = "cpu";
    options.bindingLimit = static_cast<std::uint32_t>(slice * sizeof(std::uint32_t));
    const OpenDevice slicing = openDevice(options);
    expectStaysRight(*slicing, 2 * slice + 5, shape, "random", 300);
}

TEST(Persistent, AGroupTakesSeveralTilesWhereThereAreMany)
{
    const auto gpu = openTestGpu();
    for (const std::uint64_t tiles : {mostThatStay - 1, mostThatStay, mostThatStay + 1, std::uint64_t{5000}}) {
        const KernelShape shape{1, 4, tiles % 2 == 1};
        EXPECT_EQ(expectStaysRight(*gpu, tiles * shape.tile() - 3, shape).groups, std::min(tiles, mostThatStay))
            << tiles;
    }
}

// A device that starts few work-groups in a dispatch needs no more.
TEST(Persistent, FewGroupsAreEnough)
{
    const auto gpu = openTestGpu();
    const WithLowerLimits limited(*gpu, LowerLimits{16, 16, 0});
    for (const std::uint64_t tiles : {1U, 16U, 17U, 100U})
        EXPECT_EQ(expectStaysRight(*gpu, tiles * 256 - 3, {64, 4, false}).groups, std::min<std::uint64_t>(tiles, 16))
            << tiles;
}

TEST(Persistent, RefusesWhatItCannotNumber)
{
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.elements = 6;
    const TaskOutcome odd = evaluate(*gpu, taskNamed("scan/persistent"), 1000, settings);
    EXPECT_EQ(odd.status, Status::skipped);
    EXPECT_NE(explanation(odd).find("choose --elements 4, 8"), std::string::npos) << explanation(odd);

    const KernelShape shape{1, 4, false};
    const std::uint64_t most = gpu->limits().maxStorageBufferRange / 32 - 1;  // one binding has all states of a slice
    ASSERT_LT(most, (std::uint64_t{1} << 24) - mostThatStay);
    try {
        checkRow(*gpu, taskNamed("scan/persistent"), shape, (most + 1) * shape.tile());
        ADD_FAILURE() << "it takes more tiles";
    } catch (const LimitError& error) {
        EXPECT_NE(std::string(error.what()).find(fmt::format("at most {} tiles at a time", most)), std::string::npos)
            << error.what();
    }
}

}  // namespace a2
