// Host code of reduce/decomposition, reduce/unroll and reduce/atomic, which differ in their shader only: one dispatch
// per level, each work-group turning its tile into one partial sum, until one sum is left. Two small buffers take turns
// (ping-pong), because a group may write its sum where another group has not read its input yet.
//
// A level that is longer than one binding takes needs one dispatch per slice. No barrier lies between these: they write
// sums of their own.

#include "A2Kernels.h"
#include "a2/A2Task1.h"
#include "a2/Factory.h"

#include <optional>
#include <vector>

namespace a2 {

namespace {

// One dispatch: the elements it reads, the tiles it turns into sums.
struct Part {
    Slice slice;
    vk::DescriptorSet descriptorSet;
};
using Level = std::vector<Part>;

class KernelDecomposition : public A2Task1Solution {
public:
    KernelDecomposition(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), shader_(shader), kernel_(gpu, shader, 2, sizeof(DecompositionPush), shape)
    {
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        const std::uint64_t sums = ceilDiv(count, shape_.tile());
        partialSums_.emplace(gpu_, "partial sums", sums);
        sumsOfSums_.emplace(gpu_, "sums of partial sums", ceilDiv(sums, shape_.tile()));

        const Buffer* source = &input;
        // BEGIN SOLUTION: addLevel() from `source` on until one sum is left, into one buffer and the other
        const Buffer* target = &*partialSums_;
        const Buffer* other = &*sumsOfSums_;
        std::uint64_t live = count;
        do {
            addLevel(*source, live, *target);
            live = ceilDiv(live, shape_.tile());
            source = target;
            std::swap(target, other);
        } while (live > 1);
        // END SOLUTION
        result_ = source;
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());

        // BEGIN SOLUTION: for each level: wait for the one before; for each part: its set, push constants, dispatch
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            if (i > 0) {
                // This level reads the sums that the level before wrote, and writes over what that level read.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            for (const Part& part : levels_[i]) {
                const std::uint64_t live = part.slice.count, tiles = part.slice.tiles;
                const DecompositionPush push{static_cast<uint>(live)};
                const WorkGroups groups = gpu_.foldGroups(tiles);

                cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, part.descriptorSet, {});
                cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
                labelDispatch(cb, shader_ + ", " + std::to_string(live) + " to " + std::to_string(tiles));
                cb.dispatch(groups.x, groups.y, 1);
            }
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return *result_; }

private:
    void addLevel(const Buffer& source, std::uint64_t count, const Buffer& target)
    {
        Level level;
        for (const Slice& slice : slices(gpu_, count, shape_.tile()))
            level.push_back({slice, kernel_.makeDescriptorSet({source.slice(slice.first, slice.count),
                                                               target.slice(slice.firstTile, slice.tiles)})});
        levels_.push_back(std::move(level));
    }

    Gpu& gpu_;
    KernelShape shape_;
    std::string shader_;
    ComputePipeline kernel_;
    std::optional<Buffer> partialSums_, sumsOfSums_;
    std::vector<Level> levels_;
    const Buffer* result_ = nullptr;
};

}  // namespace

std::unique_ptr<A2Task1Solution> makeKernelDecomposition(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    return std::make_unique<KernelDecomposition>(gpu, shape, shader);
}

static const Factory factory("KernelDecomposition", makeKernelDecomposition);

}  // namespace a2
