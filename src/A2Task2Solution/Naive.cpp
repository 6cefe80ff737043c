// Host code of scan/naive: one dispatch per doubling of the stride, two buffers that take turns (ping-pong).

#include "A2Task2.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct Naive : Solution {
    using Solution::Solution;  // gpu, shape, shaders, input, count

    ComputePipeline kernel{gpu, shaders[0], 2, sizeof(NaivePush), shape};
    Buffer second{gpu, "ping-pong", count};
    vk::DescriptorSet fromInput = kernel.makeDescriptorSet({input, second});
    vk::DescriptorSet fromSecond = kernel.makeDescriptorSet({second, input});
    bool inSecond{};  // where the sums are by now

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        // BEGIN SOLUTION: for each step: wait for the step before, bind a set, push constants, dispatch
        const WorkGroups groups = gpu.foldGroups(ceilDiv(count, shape.tile()));
        inSecond = false;
        for (std::uint64_t stride = 1; stride == 1 || stride < count; stride *= 2) {
            const uint shift = stride == 1 && shape.exclusive ? 1 : 0;
            const NaivePush push{static_cast<uint>(count), static_cast<uint>(stride), shift};
            if (stride > 1)  // this step reads what the step before wrote, and writes over what that step read
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            const vk::DescriptorSet reading = inSecond ? fromSecond : fromInput;
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, reading, {});
            cb.pushConstants<NaivePush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Naive, stride " + std::to_string(stride));
            cb.dispatch(groups.x, groups.y, 1);
            inSecond = !inSecond;
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return inSecond ? second : input; }
};

const Factory factory("Naive", make<Naive>);

}  // namespace
