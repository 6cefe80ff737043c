// Host code of scan/offset: the Offset kernel alone, one dispatch, in place in the array of local scans. An array that
// is longer than one binding takes needs one dispatch per slice.

#include "A2Task2.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct Offset : Solution {
    ComputePipeline kernel{gpu, shaders[0], 2, sizeof(OffsetPush), shape};
    std::vector<Slice> parts = slices(gpu, count, shape.tile());
    std::vector<vk::DescriptorSet> sets;  // one per slice

    explicit Offset(const Given& given) : Solution(given)
    {
        for (const Slice& part : parts)
            sets.push_back(kernel.makeDescriptorSet(
                {input.slice(part.first, part.count), blockOffsets->slice(part.firstTile, part.tiles)}));
    }

    void record(vk::CommandBuffer cb) override
    {
        const std::uint64_t tiles = ceilDiv(count, shape.tile());
        if (tiles < 2) return;  // the only tile has nothing to its left: its local scan is the scan

        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        // BEGIN SOLUTION: for each slice: bind its set, push constants, dispatch; nothing is added to the first tile
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const uint firstTile = i == 0 ? 1 : 0;  // nothing lies to the left of the array's first tile
            const OffsetPush push{static_cast<uint>(parts[i].count), firstTile};
            const WorkGroups groups = gpu.foldGroups(parts[i].tiles - firstTile);
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, sets[i], {});
            cb.pushConstants<OffsetPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "add offsets");
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return input; }
};

const Factory factory("Offset", make<Offset>);

}  // namespace
