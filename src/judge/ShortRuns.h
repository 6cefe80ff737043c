// The short runs in which a failure is looked for, so that it can be shown on paper.
#pragma once

#include "tasks/Task.h"

#include <cstdint>
#include <vector>

namespace a2 {

// Shapes with smaller tiles, whose trees are easier to follow; smallest first. The course asks for no other.
std::vector<KernelShape> smallerShapes(const Task& task, const KernelShape& own, bool course);
// Lengths up to n that are tried in these shapes: all that fit on paper, and the next where more levels begin.
std::vector<std::uint64_t> smallLengths(std::uint64_t n);

// Lengths that are recorded beside n in the same shape, and not run: with more work-groups, for a kernel that may be
// started with as many for each length; and with many tiles, for a row that may need no dispatch for one.
std::uint64_t lengthOfMoreGroups(std::uint64_t n, const KernelShape& shape);
std::uint64_t lengthOfManyTiles(std::uint64_t n, const KernelShape& shape);
// A shape that is recorded to see whether work-groups follow what is asked for.
KernelShape shapeOfOtherGroups(const KernelShape& shape);

// What the assignment asks for, and lengths that tell whether a task keeps to it.
constexpr KernelShape courseShape{256, 2};
constexpr std::uint64_t courseLengths[] = {1, 2, 32, 512, 4096, 16384};

}  // namespace a2
