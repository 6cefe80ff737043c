// The matrix rotation: its result, its counts, and its bank conflicts.

#include "annexes/theory/Rotate.h"

#include "gpu/Shaders.h"
#include "support/ChangedShaders.h"
#include "unit/GpuFixture.h"

#include <numeric>

namespace a2 {

TEST(Rotate, TurnsClockwiseOnTheHost)
{
    // 1 2 3        4 1
    // 4 5 6   ->   5 2
    //              6 3
    EXPECT_EQ(rotatedOnHost(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}, {2, 3}),
              (std::vector<std::uint32_t>{4, 1, 5, 2, 6, 3}));
}

TEST(Rotate, IsRightOnTheDeviceForAnySides)
{
    const auto gpu = openTestGpu();
    for (const MatrixSize& size :
         {MatrixSize{1, 1}, MatrixSize{32, 32}, MatrixSize{33, 31}, MatrixSize{100, 7}, MatrixSize{5, 129}})
        for (const std::uint32_t workGroup : {1U, 48U, 256U, 1024U})
            for (const std::uint32_t side : {2U, 16U, 32U})
                for (const std::uint32_t banks : {0U, 16U, KernelShape::noPadding}) {
                    KernelShape shape{workGroup, side};
                    shape.banks = banks;
                    EXPECT_TRUE(runRotation(*gpu, size, shape, {}).passed())
                        << size.rows << " x " << size.columns << ", " << workGroup << ", " << side << ", " << banks;
                }
}

TEST(Rotate, IsFoundWrong)
{
    const ChangedShaders broken("A2LabRotate.comp", "push.rows - 1 - y", "y");
    const auto gpu = openTestGpu(broken.path());
    EXPECT_EQ(runRotation(*gpu, {3, 2}, {64, 32}, {}).wrong, 0U);
}

TEST(Rotate, ThatWritesBehindItsResultIsFound)
{
    const ChangedShaders broken("A2LabRotate.comp", "const uint row = i % SIDE",
                                "if (i == 0) target[push.rows * push.columns] = 1;\n        const uint row = i % SIDE");
    const auto gpu = openTestGpu(broken.path());
    const RotationRun run = runRotation(*gpu, {3, 2}, {64, 32}, {});
    EXPECT_FALSE(run.wrong);
    EXPECT_FALSE(run.passed());
    ASSERT_TRUE(anyFails(run.findings));
    EXPECT_EQ(firstThatFails(run.findings)->rule, "out-of-bounds");
}

// Tiles at the right and lower edges are short; those at the right edge occur in every row of tiles.
TEST(Rotate, ReadsAndWritesEachElementOnce)
{
    const auto gpu = openTestGpu();
    for (const MatrixSize& size : {MatrixSize{70, 33}, MatrixSize{64, 64}, MatrixSize{7, 101}}) {
        const Measures all = measures(countDispatches(rotation(*gpu, size), size.elements(), {8, 4}));
        EXPECT_EQ(all.reads, size.elements());
        EXPECT_EQ(all.writes, size.elements());
        EXPECT_EQ(all.additions, 0U);
    }
}

TEST(Rotate, HasConflictsWithoutPaddingOnly)
{
    const auto gpu = openTestGpu();
    const auto worst = [&](std::uint32_t banks, std::uint32_t padding) {
        KernelShape shape{256, banks};  // a tile as wide as the number of banks
        shape.banks = padding;
        const auto kernels = countConflicts(rotation(*gpu, {100, 100}), 10000, {{"", banks, shape}});
        const Conflicts& phases = kernels.at(0).columns.at(0).worst;
        EXPECT_EQ(phases.at(0), 1U) << "rows have none";
        return phases.at(1);
    };
    EXPECT_EQ(worst(32, 0), 1U);
    EXPECT_EQ(worst(32, KernelShape::noPadding), 32U);
    EXPECT_EQ(worst(16, 16), 1U);
    EXPECT_EQ(worst(16, KernelShape::noPadding), 16U);
}

TEST(Rotate, WithoutItsBarrierIsFound)
{
    const ChangedShaders broken("A2LabRotate.comp", "barrier();", "");
    const auto gpu = openTestGpu(broken.path());
    const RotationRun run = runRotation(*gpu, {100, 70}, KernelShape{64, 32}, {});
    ASSERT_FALSE(run.passed());
    EXPECT_EQ(run.findings[0].rule, "shared-race");
}

}  // namespace a2
