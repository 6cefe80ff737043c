// The cost of a prescan, computed from its length and the shape of its kernels: additions, bytes, and the depth of the
// tree they form. For A2Task2KernelDecomposition.comp, with any type of elements.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <vector>

namespace a2 {

struct PrescanWork {
    std::vector<std::uint64_t> tiles;  // of each level: level 0 is the array, level 1 its tiles' totals, ...
    std::uint64_t additions = 0;       // executed by the invocations, including those on the zeros of a padded tree
    std::uint64_t bytes = 0;           // read and written in buffers
    unsigned depth = 0;                // most additions on an element's way into a result
};

// n >= 1.
PrescanWork prescanWork(std::uint64_t n, const KernelShape& shape);

// Leaves of a tile's tree, and words of padding in it.
std::uint32_t treeLeaves(const KernelShape& shape);
std::uint32_t paddingWords(const KernelShape& shape);

}  // namespace a2
