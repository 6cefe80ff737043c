#include "annexes/prescan/PrescanWork.h"

#include "A2Kernels.h"

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

// For one tile scan kernel; a leaf is `leaf` elements that one invocation adds up alone.
struct Tree {
    std::uint64_t leaf, leaves;
    unsigned levels;  // log2(leaves)

    explicit Tree(const KernelShape& shape)
        : leaf(shape.elements / 2), leaves(treeLeaves(shape)), levels(static_cast<unsigned>(std::countr_zero(leaves)))
    {
    }
    unsigned toTotal() const { return static_cast<unsigned>(leaf) - 1 + levels; }
    // Into the largest left subtree: levels - 1 additions. From there into a right one's prefix, and so on to the last
    // leaf: as many again and one. Onto the leaf's own elements: one.
    unsigned toResult() const { return static_cast<unsigned>(leaf) - 1 + 2 * levels; }
};

std::uint64_t tileScanAdditions(std::uint64_t count, const KernelShape& shape, bool exclusive)
{
    const Tree tree(shape);
    const std::uint64_t sweeps = 2 * (tree.leaves - 1), inLeaves = 2 * shape.workGroup * (tree.leaf - 1);
    // The sum to the left of a leaf is added to its elements; in an exclusive scan the first of them equals that sum.
    const std::uint64_t finishing = exclusive ? count - ceilDiv(count, tree.leaf) : count;
    return ceilDiv(count, shape.tile()) * (inLeaves + sweeps) + finishing;
}

}  // namespace

std::uint32_t treeLeaves(const KernelShape& shape) { return NEXT_POWER_OF_TWO(2 * shape.workGroup); }

std::uint32_t paddingWords(const KernelShape& shape)
{
    const std::uint32_t last = treeLeaves(shape) - 1;
    return CONFLICT_FREE_INDEX(last) - last;
}

PrescanWork prescanWork(std::uint64_t n, const KernelShape& shape)
{
    constexpr std::uint64_t word = sizeof(std::uint32_t);
    const Tree tree(shape);
    PrescanWork work;
    std::vector<unsigned> depths;  // of the elements of each level's array
    std::uint64_t count = n;
    while (true) {
        const std::uint64_t tiles = ceilDiv(count, shape.tile());
        work.additions += tileScanAdditions(count, shape, work.tiles.empty() ? shape.exclusive : true);
        work.bytes += (2 * count + tiles) * word;
        if (tiles > 1) {  // the Offset kernel: every element but the first tile's, and an offset for each tile
            const std::uint64_t moved = count - shape.tile();
            work.additions += moved;
            work.bytes += (2 * moved + tiles - 1) * word;
        }
        depths.push_back(depths.empty() ? 0 : depths.back() + tree.toTotal());
        work.tiles.push_back(tiles);
        if (tiles == 1) break;
        count = tiles;
    }
    work.depth = depths.back() + tree.toResult();
    for (std::size_t level = depths.size() - 1; level-- > 0;)
        work.depth = std::max(depths[level] + tree.toResult(), work.depth) + 1;
    return work;
}

}  // namespace a2
