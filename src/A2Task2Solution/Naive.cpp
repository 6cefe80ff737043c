// Host code of scan/naive: one dispatch per doubling of the stride, two buffers that take turns (ping-pong).

#include "A2Kernels.h"
#include "a2/A2Task2.h"
#include "a2/Factory.h"

#include <array>
#include <optional>

namespace a2 {

namespace {

class Naive : public A2Task2Solution {
public:
    Naive(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), kernel_(gpu, shader, 2, sizeof(NaivePush), shape)
    {
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        count_ = count;
        second_.emplace(gpu_, "ping-pong", count_);
        buffers_ = {&input, &*second_};
        // Set i reads buffer i and writes the other one.
        descriptorSets_ = {kernel_.makeDescriptorSet({input, *second_}), kernel_.makeDescriptorSet({*second_, input})};
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());

        // BEGIN SOLUTION: for each step: wait for the step before, bind set source_, push constants, dispatch
        const WorkGroups groups = gpu_.foldGroups(ceilDiv(count_, shape_.tile()));
        source_ = 0;
        std::uint64_t stride = 1;
        do {
            const bool first = stride == 1;
            const NaivePush push{static_cast<uint>(count_), static_cast<uint>(stride),
                                 first && shape_.exclusive ? 1U : 0U};

            if (!first) {
                // This step reads what the step before wrote, and writes over what that step read.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[source_], {});
            cb.pushConstants<NaivePush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "Naive, stride " + std::to_string(stride));
            cb.dispatch(groups.x, groups.y, 1);

            stride *= 2;
            source_ = 1 - source_;
        } while (stride < count_);
        // END SOLUTION
    }

    const Buffer& result() const override { return *buffers_[source_]; }

private:
    Gpu& gpu_;
    KernelShape shape_;
    ComputePipeline kernel_;
    std::uint64_t count_ = 0;
    std::optional<Buffer> second_;
    std::array<const Buffer*, 2> buffers_{};
    std::array<vk::DescriptorSet, 2> descriptorSets_;
    std::size_t source_ = 0;  // which buffer the next step reads
};

}  // namespace

std::unique_ptr<A2Task2Solution> makeNaive(Gpu& gpu, const KernelShape& shape, const std::vector<std::string>& shaders)
{
    return std::make_unique<Naive>(gpu, shape, shaders.at(0));
}

static const Factory factory("Naive", makeNaive);

}  // namespace a2
