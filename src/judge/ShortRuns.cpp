#include "judge/ShortRuns.h"

#include <algorithm>

namespace a2 {

std::vector<KernelShape> smallerShapes(const Task& task, const KernelShape& own, bool course)
{
    std::vector<KernelShape> all;
    for (const std::uint32_t workGroup : {4U, 16U, 64U}) {
        KernelShape shape = own;
        shape.workGroup = workGroup;
        if (!course) shape.elements = task.elementsUnit;  // the course's own shape has two
        if (shape.workGroup <= own.workGroup && shape.tile() < own.tile()) all.push_back(shape);
    }
    return all;
}

std::vector<std::uint64_t> smallLengths(std::uint64_t n)
{
    constexpr std::uint64_t onPaper = 70;
    std::vector<std::uint64_t> all;
    for (std::uint64_t size = 1; size <= onPaper; ++size) all.push_back(size);
    all.insert(all.end(), {129, 513, 1025, 4097});
    std::erase_if(all, [&](std::uint64_t size) { return size > n; });
    return all;
}

std::uint64_t lengthOfMoreGroups(std::uint64_t n, const KernelShape& shape) { return 2 * (n + shape.tile()); }

std::uint64_t lengthOfManyTiles(std::uint64_t n, const KernelShape& shape)
{
    constexpr std::uint64_t many = 64;
    return std::max(n, many * shape.tile());
}

std::uint64_t lengthOfFewTiles(const KernelShape& shape) { return 3 * shape.tile(); }

KernelShape shapeOfOtherGroups(const KernelShape& shape)
{
    KernelShape other = shape;
    other.workGroup = shape.workGroup > 4 ? shape.workGroup / 2 : shape.workGroup * 2;
    return other;
}

}  // namespace a2
