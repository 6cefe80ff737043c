// Short runs in which a failure is looked for, so that it can be shown on paper.
#pragma once

#include "tasks/Task.h"

#include <cstdint>
#include <vector>

namespace a2 {

// Shapes with smaller tiles, whose trees are easier to follow; smallest first. The course asks only for its own shape.
std::vector<KernelShape> smallerShapes(const Task& task, const KernelShape& own, bool course);
// Lengths up to n that are tried in these shapes: all that fit on paper, and the next lengths at which levels are
// added.
std::vector<std::uint64_t> smallLengths(std::uint64_t n);

// Lengths that are recorded in addition to n, in the same shape, and not run: one with more work-groups, to recognise a
// kernel that is started with the same number for each length; and one with many tiles, for a row that may need no
// dispatch for one tile.
std::uint64_t lengthOfMoreGroups(std::uint64_t n, const KernelShape& shape);
std::uint64_t lengthOfManyTiles(std::uint64_t n, const KernelShape& shape);
std::uint64_t lengthOfFewTiles(const KernelShape& shape);
// A shape that is recorded to see whether the work-groups follow the settings.
KernelShape shapeOfOtherGroups(const KernelShape& shape);

// The assignment's shape, and lengths that show whether a task keeps to it.
constexpr KernelShape courseShape{256, 2};
constexpr std::uint64_t courseLengths[] = {1, 2, 32, 512, 4096, 16384};

}  // namespace a2
