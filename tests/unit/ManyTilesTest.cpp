// No row is accused at lengths whose number of tiles is the size of something else, such as of a work-group.

#include "GpuFixture.h"
#include "support/LettersOf.h"

namespace a2 {

class RowOfManyTiles : public testing::TestWithParam<Task> {};

TEST_P(RowOfManyTiles, PassesWithAsManyAsWorkGroupsHaveInvocations)
{
    constexpr std::uint64_t longest = std::uint64_t{1} << 18;  // elements: a CPU driver has no time for more
    const auto gpu = openTestGpu();
    const Task row = GetParam();
    for (const std::uint64_t tiles : {3U, 32U, 64U, 128U, 256U}) {
        const std::uint64_t n = tiles * row.shape.tile() - 1;
        if (n > longest) continue;
        const TaskOutcome outcome = evaluate(*gpu, row, n);
        EXPECT_EQ(outcome.status, Status::passed) << "n = " << n << ": " << explanation(outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(, RowOfManyTiles, testing::ValuesIn(allTasks()),
                         [](const testing::TestParamInfo<Task>& row) { return lettersOf(row.param.id); });

}  // namespace a2
