#include "judge/WalkedRuns.h"

#include "gpu/Device.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"

#include <algorithm>
#include <set>

namespace a2 {

namespace {

// So many tiles on the first level that they are an even or an odd number: tiles are even.
std::uint64_t threeLevels(std::uint64_t tile, bool odd = false) { return tile * tile + (odd ? 2 : 1) * tile + 3; }

std::uint64_t fourLevels(std::uint64_t tile) { return tile * tile * tile + tile + 3; }

KernelShape shapeOf(const Task& task, std::uint32_t workGroup, std::uint32_t elements, bool exclusive)
{
    KernelShape shape;
    shape.workGroup = workGroup;
    shape.elements = static_cast<std::uint32_t>(ceilDiv(elements, task.elementsUnit) * task.elementsUnit);
    shape.exclusive = exclusive;
    return shape;
}

// With vectors of four elements; without them, and with several places, below.
WalkedRun folded(const Task& task, bool exclusive)
{
    const KernelShape shape = shapeOf(task, smallestWorkGroup, 8, exclusive);
    return {shape, foldedTiles * shape.tile(), foldsSoon};
}

// Two slices and a few tiles: no more elements than are walked on the host. A binding takes a little more than a slice,
// and tiles are not the shortest, so that the solution's own data for each tile fits as well. groupsAlongX: if it does
// not divide the tiles of a slice, folded dispatches have spare work-groups in each of them.
WalkedRun sliced(const Task& task, bool exclusive, std::uint32_t groupsAlongX = 0)
{
    const KernelShape shape = shapeOf(task, smallestWorkGroup, 8, exclusive);
    const std::uint64_t slice = elementsOfAlignment * shape.tile();
    const auto bytes = static_cast<std::uint32_t>((slice + slice / 4) * sizeof(std::uint32_t));
    return {shape, 2 * slice + 3 * shape.tile() + 1, LowerLimits{groupsAlongX, groupsAlongX > 0 ? 65535U : 0, bytes}};
}

// So many slices of a tile's sums that the sums are sliced, too: those of the second slice continue after those of the
// first.
WalkedRun slicedSums(const KernelShape& shape)
{
    const std::uint64_t slice = elementsOfAlignment * shape.tile();
    return {shape, shape.tile() * (slice + shape.tile() + 4) + 1,
            LowerLimits{0, 0, static_cast<std::uint32_t>(slice * sizeof(std::uint32_t))}};
}

// So many tiles that an upper level of another, larger shape has several tiles, too; in subgroups of each size.
WalkedRun manySums(const KernelShape& shape)
{
    WalkedRun run{shape, 525 * shape.tile() - 7};
    run.subgroupSizes.assign(allSubgroupSizes.begin(), allSubgroupSizes.end());
    return run;
}

// As in arrays so long that tiles that run at the same time would use the same rows of memory.
WalkedRun inPlaces(const Task& task, bool exclusive)
{
    KernelShape shape = shapeOf(task, smallestWorkGroup, 2, exclusive);
    shape.places = 4;
    return {shape, foldedTiles * shape.tile(), foldsSoon};
}

}  // namespace

// No subgroup size divides it. And a tile's size times its reciprocal is less than 1 in doubles, which 49 is the
// smallest number for: who divides so starts a work-group too few for one element more than a tile.
constexpr std::uint32_t oddGroup = 98;

std::vector<WalkedRun> walkedShapes(const Device& gpu, const Task& task, ScanKinds kinds)
{
    struct Kind {
        std::uint32_t workGroup, elements;
    };
    const std::uint32_t largest = matrixWorkGroups(gpu).back();
    std::vector<WalkedRun> runs;
    std::set<KernelShape> known;
    for (const Kind& kind : {Kind{4, 2}, Kind{4, 6}, Kind{8, 4}, Kind{4, 8}, Kind{4, 12}, Kind{4, 16},
                             Kind{4, mostPerInvocation}, Kind{5, 2}, Kind{25, 2}, Kind{oddGroup, 8}, Kind{96, 10},
                             Kind{129, 2}, Kind{257, 2}, Kind{64, 32}, Kind{256, 2}, Kind{largest, 2}})
        for (const bool exclusive : {false, true}) {
            if (exclusive ? kinds == ScanKinds::inclusive || !task.taskClass->hasExclusive
                          : kinds == ScanKinds::exclusive && task.taskClass->hasExclusive)
                continue;
            const KernelShape shape = shapeOf(task, kind.workGroup, kind.elements, exclusive);
            if (shape.workGroup > largest || !known.insert(shape).second) continue;
            const std::uint64_t tile = shape.tile();
            const std::uint64_t two = 2 * tile + tile / 2 + 1;
            if (const std::uint64_t n = std::min(two, largestOnHost); n > tile) {
                runs.push_back({shape, n});
                // The smaller subgroups of a large work-group: they are as many in the next smaller one.
                const bool isLarge = shape.workGroup > 257;
                runs.back().subgroupSizes.assign(allSubgroupSizes.begin() + (isLarge ? 3 : 0), allSubgroupSizes.end());
            }
            if (kind.workGroup == oddGroup) runs.push_back({shape, tile + 1});
            for (const bool odd : {false, true})
                if (const std::uint64_t n = threeLevels(tile, odd); n <= largestOnHost) runs.push_back({shape, n});
            if (kind.workGroup == smallestWorkGroup && kind.elements == 2) runs.push_back(manySums(shape));
            if (kind.workGroup != smallestWorkGroup || kind.elements != 2) continue;
            runs.push_back(folded(task, exclusive));
            runs.push_back(sliced(task, exclusive, 7));
            runs.push_back(slicedSums(shape));
            runs.push_back(inPlaces(task, exclusive));
        }
    return runs;
}

std::vector<WalkedRun> runsOfPatterns(const Task& task, bool exclusive)
{
    const KernelShape shape = shapeOf(task, 8, 4, exclusive && task.taskClass->hasExclusive);
    const std::uint64_t n = 8 * shape.tile() - 3;
    std::vector<WalkedRun> runs;
    for (const std::string& pattern : {std::string("ones"), std::string("max"), std::string("edges"),
                                       Pattern::oneHot(n - 1).text(), Pattern::oneHot(0).text()})
        runs.push_back({.shape = shape, .n = n, .pattern = pattern});
    runs.back().triesSuspectNumbers = true;
    return runs;
}

std::vector<WalkedRun> runsOfValues(const Task& task, const KernelShape& own, std::uint64_t longest)
{
    if (!task.taskClass->valuesArePlaces) return {};
    const std::uint64_t n = std::min({2 * own.tile() + own.tile() / 2 + 1, longest, largestOnHost});
    if (n == 0) return {};  // a single length was asked for
    return {{.shape = own, .n = n, .pattern = "ones"}, {.shape = own, .n = n, .pattern = "edges"}};
}

std::vector<WalkedRun> shortDeviceRuns(const Task& task, bool exclusive)
{
    const KernelShape smallest = shapeOf(task, smallestWorkGroup, task.elementsUnit, exclusive);
    const std::uint64_t tile = smallest.tile();
    return {{smallest, threeLevels(tile)}, {smallest, fourLevels(tile)}, sliced(task, exclusive)};
}

std::uint64_t foldedLength(const KernelShape& shape) { return manyTiles * shape.tile(); }

std::optional<LowerLimits> promisedGroups(const Device& gpu)
{
    constexpr std::uint32_t promised = 65535;
    const auto& own = gpu.limits().maxComputeWorkGroupCount;
    if (own[0] <= promised && own[1] <= promised) return {};
    return LowerLimits{std::min(own[0], promised), std::min(own[1], promised)};
}

std::vector<WalkedRun> recordedLengths(const Device& gpu, const Task& task, const KernelShape& own)
{
    constexpr std::uint64_t twoRows = 2 * 65535 + 1;  // tiles of three folded rows
    const std::uint64_t longest = gpu.limits().maxStorageBufferRange / sizeof(std::uint32_t) / 4 * 3;
    KernelShape small = own, smallest = own;
    small.workGroup = 64;
    smallest.workGroup = smallestWorkGroup;
    small.elements = smallest.elements = task.elementsUnit;
    small.places = smallest.places = 1;
    return {{own, longest},
            {small, std::min(longest, twoRows * small.tile())},
            {smallest, std::min(longest, manyTiles * smallest.tile())}};
}

}  // namespace a2
