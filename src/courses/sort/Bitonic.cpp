// Host code of sort/global and sort/shared, in place: runs of sorted keys, twice as long after each merge, until one
// run is left. The steps of a merge go from the most distant pairs to neighbours.

#include "A2Sort.h"
#include "a2/Solution.h"

#include <bit>

using namespace a2;

namespace {

struct Bitonic : Solution {
    using Solution::Solution;

    // Pairs of which both keys exist.
    std::uint64_t pairs(std::uint64_t stride) const
    {
        const std::uint64_t rest = count % (2 * stride);
        return count / (2 * stride) * stride + (rest > stride ? rest - stride : 0);
    }

    // starts, stride: as in SortStepPush.
    void recordStep(vk::CommandBuffer cb, const ComputePipeline& kernel, vk::DescriptorSet keys,
                    std::uint64_t workGroups, std::uint64_t stride, bool starts, const std::string& label) const
    {
        constexpr auto compute = vk::PipelineStageFlagBits::eComputeShader;
        // BEGIN SOLUTION: wait for the step before, bind, push constants, dispatch
        const vk::AccessFlags readsAndWrites = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
        if (!starts || stride > 1)
            cb.pipelineBarrier(compute, compute, {},
                               vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, readsAndWrites), {}, {});
        const SortStepPush push{static_cast<uint>(count), static_cast<uint>(stride), starts ? 1U : 0U};
        const WorkGroups groups = gpu.foldGroups(workGroups);
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, keys, {});
        cb.pushConstants<SortStepPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        labelDispatch(cb, label);
        cb.dispatch(groups.x, groups.y, 1);
        // END SOLUTION
    }

    static std::string labelOf(std::uint64_t run, std::uint64_t stride)
    {
        return (stride == run ? "merge runs of " : "stride ") + std::to_string(stride);
    }

    const Buffer& result() const override { return input; }
};

struct SortGlobal : Bitonic {
    using Bitonic::Bitonic;
    ComputePipeline step{gpu, shaders[0], 1, sizeof(SortStepPush), shape};
    vk::DescriptorSet keys = step.makeDescriptorSet({input});

    void record(vk::CommandBuffer cb) override
    {
        // BEGIN SOLUTION: merge runs of 1, 2, 4, ... keys, each merge by steps of half the stride
        for (std::uint64_t run = 1; run < count; run *= 2)
            for (std::uint64_t stride = run; stride > 0; stride /= 2)
                recordStep(cb, step, keys, ceilDiv(2 * pairs(stride), shape.tile()), stride, stride == run,
                           labelOf(run, stride));
        // END SOLUTION
    }
};

struct SortShared : Bitonic {
    using Bitonic::Bitonic;
    ComputePipeline near{gpu, shaders[0], 1, sizeof(SortStepPush), shape};  // pairs within tiles
    ComputePipeline far{gpu, shaders[1], 1, sizeof(SortStepPush), shape};
    vk::DescriptorSet nearKeys = near.makeDescriptorSet({input}), farKeys = far.makeDescriptorSet({input});

    void record(vk::CommandBuffer cb) override
    {
        // BEGIN SOLUTION: sort tiles; then merge them, as in sort/global, and end each merge within tiles
        const std::uint64_t tile = std::bit_floor(shape.tile());
        const std::uint64_t tiles = ceilDiv(count, tile);
        recordStep(cb, near, nearKeys, tiles, 1, true, "sort tiles of " + std::to_string(tile));
        for (std::uint64_t run = tile; run < count; run *= 2) {
            for (std::uint64_t stride = run; stride >= tile; stride /= 2)
                recordStep(cb, far, farKeys, ceilDiv(2 * pairs(stride), shape.tile()), stride, stride == run,
                           labelOf(run, stride));
            recordStep(cb, near, nearKeys, tiles, tile / 2, false, "end merges in tiles of " + std::to_string(tile));
        }
        // END SOLUTION
    }
};

const Factory globalFactory("SortGlobal", make<SortGlobal>);
const Factory sharedFactory("SortShared", make<SortShared>);

}  // namespace
