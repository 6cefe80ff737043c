// What the prescan lab counts: additions, the depth of their tree, and bank conflicts.

#include "labs/prescan/PrescanWork.h"

#include "A2Kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace a2 {

namespace {

// A number that knows how many additions it came through; all of them are counted.
struct Counted {
    unsigned depth = 0;
    bool zero = true;
    static inline std::uint64_t additions = 0;
    Counted operator+(const Counted& other) const
    {
        ++additions;
        // To add a zero that stands for no element is an addition, but none that an element's sum rounds in.
        if (zero || other.zero) return zero ? other : *this;
        return {std::max(depth, other.depth) + 1, false};
    }
};

// A2LabPrescanFloat.comp and its Offset kernel, one invocation after the other.
std::vector<Counted> countedScan(const std::vector<Counted>& source, const KernelShape& shape, bool exclusive)
{
    const std::size_t leaf = shape.elements / 2, leaves = treeLeaves(shape), tile = shape.tile();
    std::vector<Counted> target(source.size()), totals;
    for (std::size_t begin = 0; begin < source.size(); begin += tile) {
        std::vector<Counted> scanned(tile), tree(leaves);
        for (std::size_t k = 0; k < tile; ++k) {
            if (begin + k < source.size()) scanned[k] = source[begin + k];
            if (k % leaf != 0) scanned[k] = scanned[k] + scanned[k - 1];
            tree[k / leaf] = scanned[k];
        }
        for (std::size_t span = 1; span < leaves; span *= 2)
            for (std::size_t right = 2 * span - 1; right < leaves; right += 2 * span)
                tree[right] = tree[right] + tree[right - span];
        totals.push_back(tree.back());
        tree.back() = Counted();
        for (std::size_t span = leaves / 2; span > 0; span /= 2)
            for (std::size_t right = 2 * span - 1; right < leaves; right += 2 * span) {
                const Counted left = tree[right - span];
                tree[right - span] = tree[right];
                tree[right] = tree[right] + left;
            }
        for (std::size_t k = 0; k < tile && begin + k < source.size(); ++k)
            target[begin + k] = !exclusive      ? tree[k / leaf] + scanned[k]
                                : k % leaf == 0 ? tree[k / leaf]
                                                : tree[k / leaf] + scanned[k - 1];
    }
    if (totals.size() == 1) return target;
    const std::vector<Counted> offsets = countedScan(totals, shape, true);
    for (std::size_t i = tile; i < target.size(); ++i) target[i] = target[i] + offsets[i / tile];
    return target;
}

}  // namespace

TEST(PrescanWork, CountsWhatTheKernelsAdd)
{
    for (const bool exclusive : {true, false})
        for (const KernelShape& shape : {KernelShape{128, 8, exclusive}, KernelShape{1, 2, exclusive},
                                         KernelShape{3, 6, exclusive}, KernelShape{100, 2, exclusive}})
            for (const std::uint64_t n : {1U, 2U, 6U, 511U, 1024U, 1025U, 3000U}) {
                Counted::additions = 0;
                const auto result = countedScan(std::vector<Counted>(n, Counted{0, false}), shape, exclusive);
                const PrescanWork work = prescanWork(n, shape);
                EXPECT_EQ(work.additions, Counted::additions) << n << " " << shape.workGroup << " " << exclusive;
                unsigned depth = 0;
                for (const Counted& one : result) depth = std::max(depth, one.depth);
                EXPECT_GE(work.depth, depth) << n << " " << shape.workGroup;
            }
    EXPECT_EQ(prescanWork(1024, {128, 8, true}).additions, 2U * 1023) << "the work-efficient scan's own figure";
    EXPECT_EQ(prescanWork(16000000, {}).tiles.front(), 31250U);
}

TEST(PrescanWork, CountsTurnsInTheBanksWithTheKernelsOwnIndex)
{
    const BankTurns turns = bankTurns({128, 8, true});
    EXPECT_LT(turns.padded, turns.plain);
    EXPECT_GE(turns.padded, turns.least);
    // 2 leaves: one pair, two nodes, two sweeps.
    EXPECT_EQ(bankTurns({1, 2, true}).least, 4U);
    EXPECT_EQ(bankTurns({1, 2, true}).plain, 4U);
    // 64 leaves: 32 pairs at span 1 load words 2 apart: two turns each; at span 2, 16 pairs 4 apart: two turns, ...
    EXPECT_EQ(bankTurns({32, 2, true}).plain, 4U * (2 + 2 + 2 + 2 + 2 + 1));
    EXPECT_EQ(paddingWords({128, 8, true}), CONFLICT_FREE_INDEX(255U) - 255U);
}

}  // namespace a2
