// Host code of reduce/interleaved: one dispatch per step of the tree, in place in the input buffer.

#include "A2Kernels.h"
#include "a2/A2Task1.h"
#include "a2/Factory.h"

namespace a2 {

namespace {

class Interleaved : public A2Task1Solution {
public:
    Interleaved(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), kernel_(gpu, shader, 1, sizeof(InterleavedPush), shape)
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
        for (std::uint64_t stride = 1; stride < count_; stride *= shape_.elements) {
            // Start only invocations that have at least one partner to add: the last one reads element count - 1 or
            // a little before.
            const std::uint64_t invocations = ceilDiv(count_ - stride, stride * shape_.elements);
            const InterleavedPush push{static_cast<uint>(count_), static_cast<uint>(stride),
                                       static_cast<uint>(invocations)};
            const WorkGroups groups = gpu_.groupsFor(invocations, shape_.workGroup);

            if (stride > 1) {
                // This step reads what the step before wrote.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.pushConstants<InterleavedPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Interleaved, stride " + std::to_string(stride));
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

std::unique_ptr<A2Task1Solution> makeInterleaved(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    return std::make_unique<Interleaved>(gpu, shape, shader);
}

static const Factory factory("Interleaved", makeInterleaved);

}  // namespace a2
