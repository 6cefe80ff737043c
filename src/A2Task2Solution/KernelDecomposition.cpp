// Host code of scan/local and scan/work-efficient.
//
// Level 0 scans every tile of the input on its own and leaves the tiles' totals as level 1's array, and so on until one
// tile is left. The scan of level 1 must be exclusive: its element k is then the sum of all tiles left of tile k, the
// offset of tile k. From the last level back up, the Offset kernel adds these offsets to the tiles of the level below.
//
// A level that is longer than one binding takes needs one dispatch per slice. No barrier lies between these: tiles have
// nothing to do with one another until offsets are added, and each tile has its own.

#include "A2Kernels.h"
#include "a2/A2Task2.h"
#include "a2/Factory.h"

#include <optional>
#include <vector>

namespace a2 {

namespace {

// One array of the recursion: how long it is, and where its scan goes.
struct Level {
    std::uint64_t count;
    Buffer scanned;    // every tile scanned on its own; after the Offset kernel the whole array
    Buffer blockSums;  // total of each tile: the next level's array
    std::vector<Slice> slices;
    std::vector<vk::DescriptorSet> scanSets, offsetSets;  // one per slice

    std::uint64_t tiles() const { return blockSums.elements(); }
};

KernelShape exclusive(KernelShape shape)
{
    shape.exclusive = true;
    return shape;
}

class WorkEfficient : public A2Task2Solution {
public:
    // Without an Offset shader it stops after level 0, the local scan.
    WorkEfficient(Gpu& gpu, const KernelShape& shape, const std::string& tileShader, const std::string& offsetShader)
        : gpu_(gpu), shape_(shape), scanInput_(gpu, tileShader, 3, sizeof(TileScanPush), shape)
    {
        if (offsetShader.empty()) return;
        scanSums_.emplace(gpu, tileShader, 3, sizeof(TileScanPush), exclusive(shape));
        addOffsets_.emplace(gpu, offsetShader, 2, sizeof(OffsetPush), shape);
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        addLevel(input, count);
        // BEGIN SOLUTION: a level of the last one's totals until one tile is left; addOffsetSets() for all but the last
        while (addOffsets_ && levels_.back().tiles() > 1) addLevel(levels_.back().blockSums, levels_.back().tiles());
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i) addOffsetSets(levels_[i], levels_[i + 1].scanned);
        // END SOLUTION
    }

    void record(vk::CommandBuffer cb) override
    {
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            // BEGIN SOLUTION: wait for the totals of the level below
            if (i > 0) waitForWrites(cb);  // the totals of the level below
            // END SOLUTION
            scanTiles(cb, i);
        }
        // BEGIN SOLUTION: back down to level 0: wait for the offsets, which the level above has, and add them
        for (std::size_t i = levels_.size() - 1; i-- > 0;) {
            waitForWrites(cb);  // the offsets, finished on the level above
            addOffsets(cb, i);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return levels_.front().scanned; }

private:
    void addLevel(const Buffer& source, std::uint64_t count)
    {
        const std::string number = std::to_string(levels_.size());
        Level level{count,
                    Buffer(gpu_, "scan, level " + number, count),
                    Buffer(gpu_, "block sums, level " + number, ceilDiv(count, shape_.tile())),
                    slices(gpu_, count, shape_.tile()),
                    {},
                    {}};
        ComputePipeline& kernel = levels_.empty() ? scanInput_ : *scanSums_;
        for (const Slice& slice : level.slices)
            level.scanSets.push_back(kernel.makeDescriptorSet({source.slice(slice.first, slice.count),
                                                               level.scanned.slice(slice.first, slice.count),
                                                               level.blockSums.slice(slice.firstTile, slice.tiles)}));
        levels_.push_back(std::move(level));
    }

    // offsets: one element per tile of the level.
    void addOffsetSets(Level& level, const Buffer& offsets)
    {
        for (const Slice& slice : level.slices)
            level.offsetSets.push_back(addOffsets_->makeDescriptorSet(
                {level.scanned.slice(slice.first, slice.count), offsets.slice(slice.firstTile, slice.tiles)}));
    }

    void scanTiles(vk::CommandBuffer cb, std::size_t number)
    {
        const ComputePipeline& kernel = number == 0 ? scanInput_ : *scanSums_;
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());

        // BEGIN SOLUTION: for each slice of the level: bind its set, push constants, dispatch
        const Level& level = levels_[number];
        for (std::size_t i = 0; i < level.slices.size(); ++i) {
            const Slice& slice = level.slices[i];
            const TileScanPush push{static_cast<uint>(slice.count)};
            const WorkGroups groups = gpu_.foldGroups(slice.tiles);

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
        const Level& level = levels_[number];
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, addOffsets_->pipeline());
        for (std::size_t i = 0; i < level.slices.size(); ++i) {
            const Slice& slice = level.slices[i];
            const uint firstTile = i == 0 ? 1 : 0;  // nothing lies to the left of the array's first tile
            const OffsetPush push{static_cast<uint>(slice.count), firstTile};
            const WorkGroups groups = gpu_.foldGroups(slice.tiles - firstTile);

            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, addOffsets_->layout(), 0, level.offsetSets[i], {});
            cb.pushConstants<OffsetPush>(addOffsets_->layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
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

    Gpu& gpu_;
    KernelShape shape_;
    ComputePipeline scanInput_;
    std::optional<ComputePipeline> scanSums_, addOffsets_;
    std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<A2Task2Solution> makeLocalScan(Gpu& gpu, const KernelShape& shape,
                                               const std::vector<std::string>& shaders)
{
    return std::make_unique<WorkEfficient>(gpu, shape, shaders.at(0), "");
}

std::unique_ptr<A2Task2Solution> makeWorkEfficient(Gpu& gpu, const KernelShape& shape,
                                                   const std::vector<std::string>& shaders)
{
    return std::make_unique<WorkEfficient>(gpu, shape, shaders.at(0), shaders.at(1));
}

static const Factory factoryLocalScan("LocalScan", makeLocalScan);
static const Factory factoryWorkEfficient("WorkEfficient", makeWorkEfficient);

}  // namespace a2
