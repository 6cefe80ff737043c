// The costs of a prescan: additions, bytes, the depth of its tree, and turns in the banks of shared memory.

#include "annexes/prescan/PrescanWork.h"

#include "A2Kernels.h"
#include "annexes/prescan/PrescanReport.h"
#include "unit/GpuFixture.h"

#include <algorithm>

namespace a2 {

namespace {

// A number that counts the additions it went through; all of them are counted.
struct Counted {
    unsigned depth = 0;
    bool zero = true;
    static inline std::uint64_t additions = 0;
    Counted operator+(const Counted& other) const
    {
        ++additions;
        // Adding a zero that stands for no element is an addition, but does not round an element's sum.
        if (zero || other.zero) return zero ? other : *this;
        return {std::max(depth, other.depth) + 1, false};
    }
};

// A2Task2KernelDecomposition.comp and its Offset kernel, one invocation after the other.
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

// The emulator counts the same if no tile is filled up: it does not count zeros that are added to nothing as data.
TEST(PrescanWork, IsWhatTheKernelsDo)
{
    for (const ElementType* const element : {&ElementType::float32, &ElementType::uint32}) {
        const auto gpu = openTestGpu("", Validation::off, *element);
        for (const KernelShape& shape : {KernelShape{128, 8, true}, KernelShape{4, 2, false}, KernelShape{4, 2, true}})
            for (std::uint64_t n = shape.tile(); n <= 1024; n *= shape.tile()) {
                const Measures counted = measures(countDispatches(workloadOf(*gpu, prescanRow(*element)), n, shape));
                const PrescanWork work = prescanWork(n, shape);
                EXPECT_EQ(counted.additions, work.additions) << n << " " << shape.workGroup;
                // All invocations of a tile read the same offset; the lab's bytes count it once.
                std::uint64_t bytes = work.bytes;
                for (const std::uint64_t tiles : work.tiles) bytes += (tiles - 1) * (shape.workGroup - 1) * 4;
                EXPECT_EQ((counted.reads + counted.writes) * 4, bytes) << n << " " << shape.workGroup;
            }
    }
}

TEST(PrescanWork, CountsTurnsInTheBanks)
{
    PrescanSettings settings;
    settings.shape = {32, 2, true};
    for (const ElementType* const element : {&ElementType::float32, &ElementType::uint32}) {
        settings.element = element;
        const auto gpu = openTestGpu("", Validation::off, *element);
        const BankTurns turns = bankTurns(*gpu, settings);
        // 64 leaves, and 32 invocations that access together. On each of six levels three accesses up and five down;
        // two of leaves before and two after, and two of the root.
        EXPECT_EQ(turns.requests, 6U * 8 + 6);
        EXPECT_EQ(turns.padded, turns.requests);
        // On all levels except the last, which has one pair, two invocations use the same bank: 32 of them 2 words
        // apart, 16 of them 4 apart, ...
        EXPECT_EQ(turns.plain, 5U * 8 * 2 + 8 + 6);
    }
    EXPECT_EQ(paddingWords({128, 8, true}), CONFLICT_FREE_INDEX(255U) - 255U);
}

}  // namespace a2
