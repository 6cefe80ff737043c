// Host code of scan/local and scan/work-efficient.
//
// Level 0 scans every tile of the input on its own and leaves the tiles' totals as level 1's array, and so on until one
// tile is left. The scan of level 1 must be exclusive: its element k is then the sum of all tiles left of tile k, the
// offset of tile k. From the last level back up, the Offset kernel adds these offsets to the tiles of the level below.
//
// A level that is longer than one binding takes needs one dispatch per slice. No barrier lies between these: tiles have
// nothing to do with one another until offsets are added, and each tile has its own.

#include "A2Task2.h"
#include "a2/Solution.h"

#include <optional>

using namespace a2;

namespace {

KernelShape exclusive(KernelShape shape)
{
    shape.exclusive = true;
    return shape;
}

// Without an Offset shader, as in scan/local, it stops after level 0.
struct KernelDecomposition : Solution {
    // One array of the recursion: how long it is, and where its scan goes.
    struct Level {
        Buffer scanned;            // every tile scanned on its own; after the Offset kernel the whole array
        Buffer blockSums;          // total of each tile: the next level's array
        std::vector<Slice> parts;  // that one binding takes
        std::vector<vk::DescriptorSet> scanSets, offsetSets;  // one per slice

        std::uint64_t tiles() const { return blockSums.elements(); }
    };

    ComputePipeline scanInput{gpu, shaders[0], 3, sizeof(TileScanPush), shape};
    std::optional<ComputePipeline> scanSums, offsetKernel;
    std::vector<Level> levels;

    explicit KernelDecomposition(const Given& given) : Solution(given)
    {
        if (shaders.size() > 1) {
            scanSums.emplace(gpu, shaders[0], 3, sizeof(TileScanPush), exclusive(shape));
            offsetKernel.emplace(gpu, shaders[1], 2, sizeof(OffsetPush), shape);
        }
        addLevel(input, count);
        // BEGIN SOLUTION: a level of the last one's totals until one tile is left; addOffsetSets() for all but the last
        while (offsetKernel && levels.back().tiles() > 1) addLevel(levels.back().blockSums, levels.back().tiles());
        for (std::size_t i = 0; i + 1 < levels.size(); ++i) addOffsetSets(levels[i], levels[i + 1].scanned);
        // END SOLUTION
    }

    void addLevel(const Buffer& source, std::uint64_t elements)
    {
        const std::string number = std::to_string(levels.size());
        Level level{Buffer(gpu, "scan, level " + number, elements),
                    Buffer(gpu, "block sums, level " + number, ceilDiv(elements, shape.tile())),
                    slices(gpu, elements, shape.tile()),
                    {},
                    {}};
        ComputePipeline& kernel = levels.empty() ? scanInput : *scanSums;
        for (const Slice& part : level.parts)
            level.scanSets.push_back(kernel.makeDescriptorSet({source.slice(part.first, part.count),
                                                               level.scanned.slice(part.first, part.count),
                                                               level.blockSums.slice(part.firstTile, part.tiles)}));
        levels.push_back(std::move(level));
    }

    // offsets: one element per tile of the level.
    void addOffsetSets(Level& level, const Buffer& offsets)
    {
        for (const Slice& part : level.parts)
            level.offsetSets.push_back(offsetKernel->makeDescriptorSet(
                {level.scanned.slice(part.first, part.count), offsets.slice(part.firstTile, part.tiles)}));
    }

    void record(vk::CommandBuffer cb) override
    {
        for (std::size_t i = 0; i < levels.size(); ++i) {
            // BEGIN SOLUTION: wait for the totals of the level below
            if (i > 0) waitForWrites(cb);  // the totals of the level below
            // END SOLUTION
            scanTiles(cb, i);
        }
        // BEGIN SOLUTION: back down to level 0: wait for the offsets, which the level above has, and add them
        for (std::size_t i = levels.size() - 1; i-- > 0;) {
            waitForWrites(cb);  // the offsets, finished on the level above
            addOffsets(cb, i);
        }
        // END SOLUTION
    }

    void scanTiles(vk::CommandBuffer cb, std::size_t number)
    {
        const ComputePipeline& kernel = number == 0 ? scanInput : *scanSums;
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());

        // BEGIN SOLUTION: for each slice of the level: bind its set, push constants, dispatch
        const Level& level = levels[number];
        for (std::size_t i = 0; i < level.parts.size(); ++i) {
            const Slice& part = level.parts[i];
            const TileScanPush push{static_cast<uint>(part.count)};
            const WorkGroups groups = gpu.foldGroups(part.tiles);

            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, level.scanSets[i], {});
            cb.pushConstants<TileScanPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "scan tiles, level " + std::to_string(number));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    // BEGIN SOLUTION: the Offset kernel on each slice of a level; a pipeline barrier
    void addOffsets(vk::CommandBuffer cb, std::size_t number)
    {
        const Level& level = levels[number];
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, offsetKernel->pipeline());
        for (std::size_t i = 0; i < level.parts.size(); ++i) {
            const Slice& part = level.parts[i];
            const uint firstTile = i == 0 ? 1 : 0;  // nothing lies to the left of the array's first tile
            const OffsetPush push{static_cast<uint>(part.count), firstTile};
            const WorkGroups groups = gpu.foldGroups(part.tiles - firstTile);

            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, offsetKernel->layout(), 0, level.offsetSets[i], {});
            cb.pushConstants<OffsetPush>(offsetKernel->layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "add offsets, level " + std::to_string(number));
            cb.dispatch(groups.x, groups.y, 1);
        }
    }

    static void waitForWrites(vk::CommandBuffer cb)
    {
        cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                           vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                             vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                           {}, {});
    }
    // END SOLUTION

    const Buffer& result() const override { return levels.front().scanned; }
};

const Factory local("LocalScan", make<KernelDecomposition>);
const Factory whole("WorkEfficient", make<KernelDecomposition>);

}  // namespace
