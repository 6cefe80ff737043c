// Host code of reduce/interleaved: one dispatch per step of the tree, in place in the input buffer.

#include "A2Task1.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct Interleaved : Solution {
    using Solution::Solution;  // gpu, shape, shaders, input, count

    ComputePipeline kernel{gpu, shaders[0], 1, sizeof(InterleavedPush), shape};
    vk::DescriptorSet set = kernel.makeDescriptorSet({input});

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});

        // BEGIN SOLUTION: for each step: wait for the step before, push constants, dispatch
        for (std::uint64_t stride = 1; stride < count; stride *= shape.elements) {
            // Start only invocations that have at least one partner to add: the last one reads element count - 1 or
            // a little before.
            const std::uint64_t invocations = ceilDiv(count - stride, stride * shape.elements);
            const InterleavedPush push{static_cast<uint>(count), static_cast<uint>(stride),
                                       static_cast<uint>(invocations)};
            const WorkGroups groups = gpu.groupsFor(invocations, shape.workGroup);

            if (stride > 1)  // this step reads what the step before wrote
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            cb.pushConstants<InterleavedPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Interleaved, stride " + std::to_string(stride));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return input; }
};

const Factory factory("Interleaved", make<Interleaved>);

}  // namespace
