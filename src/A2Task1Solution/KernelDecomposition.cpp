// Host code of reduce/decomposition, reduce/unroll and reduce/atomic, which differ in their shader only: one dispatch
// per level, each work-group turning its tile into one partial sum, until one sum is left. Two buffers take turns
// (ping-pong), because a group may write its sum where another group has not read its input yet.

#include "A2Kernels.h"
#include "a2/A2Task1.h"

#include <array>
#include <optional>

namespace a2 {

namespace {

class KernelDecomposition : public A2Task1Solution {
public:
    KernelDecomposition(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), shader_(shader), kernel_(gpu, shader, 2, sizeof(DecompositionPush), shape)
    {
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        count_ = count;
        partialSums_.emplace(gpu_, "partial sums", ceilDiv(count_, shape_.tile()));
        buffers_ = {&input, &*partialSums_};
        // Set i reads buffer i and writes the other one.
        descriptorSets_ = {kernel_.makeDescriptorSet({input, *partialSums_}),
                           kernel_.makeDescriptorSet({*partialSums_, input})};
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());

        source_ = 0;
        std::uint64_t live = count_;
        do {
            const std::uint64_t tiles = ceilDiv(live, shape_.tile());
            const DecompositionPush push{static_cast<uint>(live)};
            const WorkGroups groups = gpu_.foldGroups(tiles);

            if (live < count_) {
                // This level reads the sums that the level before wrote, and writes over what that level read.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[source_], {});
            cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, shader_ + ", " + std::to_string(live) + " to " + std::to_string(tiles));
            cb.dispatch(groups.x, groups.y, 1);

            live = tiles;
            source_ = 1 - source_;
        } while (live > 1);
    }

    const Buffer& result() const override { return *buffers_[source_]; }

private:
    Gpu& gpu_;
    KernelShape shape_;
    std::string shader_;
    ComputePipeline kernel_;
    std::uint64_t count_ = 0;
    std::optional<Buffer> partialSums_;
    std::array<const Buffer*, 2> buffers_{};
    std::array<vk::DescriptorSet, 2> descriptorSets_;
    std::size_t source_ = 0;  // which buffer the next level reads
};

}  // namespace

std::unique_ptr<A2Task1Solution> makeKernelDecomposition(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    return std::make_unique<KernelDecomposition>(gpu, shape, shader);
}

}  // namespace a2
