// Host code of the histograms: it clears the bins, and one dispatch counts into them; for an array that is longer than
// one binding takes, one dispatch per slice.

#include "A2Histogram.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct Histogram : Solution {
    using Solution::Solution;
    ComputePipeline kernel{gpu, shaders[0], 2, sizeof(HistogramPush), shape};
    Buffer bins{gpu, "bins", HISTOGRAM_BINS};

    void record(vk::CommandBuffer cb) override
    {
        constexpr auto compute = vk::PipelineStageFlagBits::eComputeShader;
        const vk::AccessFlags shaderReadsAndWrites = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
        // BEGIN SOLUTION: clear the bins, then for each slice: wait for what came before, push constants, dispatch
        cb.fillBuffer(bins.handle(), 0, bins.bytes(), 0);
        cb.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, compute, {},
                           vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, shaderReadsAndWrites), {}, {});

        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        for (const Slice& part : slices(gpu, count, shape.tile())) {
            if (part.first > 0)  // this slice adds to the counts of the slice before
                cb.pipelineBarrier(compute, compute, {},
                                   vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, shaderReadsAndWrites), {}, {});
            const HistogramPush push{static_cast<uint>(part.count)};
            const WorkGroups groups = gpu.foldGroups(part.tiles);
            const vk::DescriptorSet set = kernel.makeDescriptorSet({input.slice(part.first, part.count), bins});
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});
            cb.pushConstants<HistogramPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "count " + std::to_string(part.count));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return bins; }
};

const Factory factory("Histogram", make<Histogram>);

}  // namespace
