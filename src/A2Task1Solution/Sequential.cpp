// Host code of reduce/sequential: one dispatch per step of the tree, in place in the input buffer.

#include "A2Task1.h"
#include "a2/Solution.h"

#include <algorithm>

using namespace a2;

namespace {

struct Sequential : Solution {
    using Solution::Solution;  // gpu, shape, shaders, input, count

    ComputePipeline kernel{gpu, shaders[0], 1, sizeof(SequentialPush), shape};
    vk::DescriptorSet set = kernel.makeDescriptorSet({input});

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});

        // BEGIN SOLUTION: for each step: wait for the step before, push constants, dispatch
        for (std::uint64_t live = count, width = 0; live > 1; live = width) {
            width = ceilDiv(live, shape.elements);
            // Elements of the first chunk without a partner in the second stay as they are: no invocation for them.
            const WorkGroups groups = gpu.groupsFor(std::min(width, live - width), shape.workGroup);
            const SequentialPush push{static_cast<uint>(live), static_cast<uint>(width)};

            if (live < count)  // this step reads what the step before wrote
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            cb.pushConstants<SequentialPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Sequential, " + std::to_string(live) + " to " + std::to_string(width));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return input; }
};

const Factory factory("Sequential", make<Sequential>);

}  // namespace
