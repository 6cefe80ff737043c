// Host code of reduce/sequential: one dispatch per step of the tree, in place in the input buffer.

#include "A2Kernels.h"
#include "a2/A2Task1.h"
#include "a2/Factory.h"

#include <algorithm>

namespace a2 {

namespace {

class Sequential : public A2Task1Solution {
public:
    Sequential(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), kernel_(gpu, shader, 1, sizeof(SequentialPush), shape)
    {
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        data_ = &input;
        count_ = count;
        descriptorSet_ = kernel_.makeDescriptorSet({input});
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSet_, {});

        // BEGIN SOLUTION: for each step: wait for the step before, push constants, dispatch
        std::uint64_t width = 0;
        for (std::uint64_t live = count_; live > 1; live = width) {
            width = ceilDiv(live, shape_.elements);
            // Elements of the first chunk without a partner in the second stay as they are: no invocation for them.
            const std::uint64_t invocations = std::min(width, live - width);
            const SequentialPush push{static_cast<uint>(live), static_cast<uint>(width)};
            const WorkGroups groups = gpu_.groupsFor(invocations, shape_.workGroup);

            if (live < count_) {
                // This step reads what the step before wrote.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.pushConstants<SequentialPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Sequential, " + std::to_string(live) + " to " + std::to_string(width));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return *data_; }

private:
    Gpu& gpu_;
    KernelShape shape_;
    ComputePipeline kernel_;
    const Buffer* data_ = nullptr;
    std::uint64_t count_ = 0;
    vk::DescriptorSet descriptorSet_;
};

}  // namespace

std::unique_ptr<A2Task1Solution> makeSequential(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    return std::make_unique<Sequential>(gpu, shape, shader);
}

static const Factory factory("Sequential", makeSequential);

}  // namespace a2
