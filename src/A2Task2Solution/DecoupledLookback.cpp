// Host code of scan/lookback: one dispatch, or one per slice of an array that is longer than one binding takes.

#include "A2Task2.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct DecoupledLookback : Solution {
    ComputePipeline kernel{gpu, shaders[0], 3, sizeof(LookbackPush), shape};
    std::vector<Slice> parts = slices(gpu, count, shape.tile());
    uint allGroups = groupsOf(parts);  // of all slices; a2 checks that a ticket can count them
    Buffer scanned{gpu, "scan", count};
    // Two counters, then what each tile has published.
    Buffer tileStates{gpu, "tile states", TILE_STATE_COUNTERS + std::uint64_t{WORDS_PER_TILE_STATE} * allGroups,
                      Lifetime::solution};
    std::vector<vk::DescriptorSet> sets;  // one per slice

    explicit DecoupledLookback(const Given& given) : Solution(given)
    {
        fillDeviceWithStagingBuffer(gpu, tileStates, std::vector<std::uint32_t>(tileStates.elements(), 0));
        for (const Slice& part : parts)
            sets.push_back(kernel.makeDescriptorSet(
                {input.slice(part.first, part.count), scanned.slice(part.first, part.count), tileStates}));
    }

    uint groupsOf(const std::vector<Slice>& all) const
    {
        uint sum = 0;
        for (const Slice& part : all) {
            const WorkGroups groups = gpu.foldGroups(part.tiles);
            sum += groups.x * groups.y;
        }
        return sum;
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        // BEGIN SOLUTION: for each slice: wait for the slice before, bind its set, push constants, dispatch
        uint firstGroup = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const LookbackPush push{static_cast<uint>(parts[i].count), firstGroup, allGroups};
            const WorkGroups groups = gpu.foldGroups(parts[i].tiles);

            if (i > 0)  // the first tiles of this slice look back at the last ones of the slice before
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, sets[i], {});
            cb.pushConstants<LookbackPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "scan, looking back");
            cb.dispatch(groups.x, groups.y, 1);
            firstGroup += groups.x * groups.y;
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return scanned; }
};

const Factory factory("DecoupledLookback", make<DecoupledLookback>);

}  // namespace
