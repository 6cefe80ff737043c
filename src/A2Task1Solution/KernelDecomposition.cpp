// Host code of reduce/decomposition, reduce/unroll and reduce/atomic, which differ in their shader only: one dispatch
// per level, each work-group turning its tile into one partial sum, until one sum is left. Two small buffers take turns
// (ping-pong), because a group may write its sum where another group has not read its input yet.
//
// A level that is longer than one binding takes needs one dispatch per slice. No barrier lies between these: they write
// sums of their own.

#include "A2Task1.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

// One dispatch: the elements it reads, the tiles it turns into sums.
struct Part {
    Slice slice;
    vk::DescriptorSet set;
};

struct KernelDecomposition : Solution {
    ComputePipeline kernel{gpu, shaders[0], 2, sizeof(DecompositionPush), shape};
    Buffer partialSums{gpu, "partial sums", ceilDiv(count, shape.tile())};
    Buffer sumsOfSums{gpu, "sums of partial sums", ceilDiv(partialSums.elements(), shape.tile())};
    std::vector<std::vector<Part>> levels;
    const Buffer* last = nullptr;  // what the last level writes

    explicit KernelDecomposition(const Given& given) : Solution(given)
    {
        const Buffer* source = &input;
        // BEGIN SOLUTION: addLevel() from `source` on until one sum is left, into one buffer and the other
        const Buffer* target = &partialSums;
        const Buffer* other = &sumsOfSums;
        std::uint64_t live = count;
        do {
            addLevel(*source, live, *target);
            live = ceilDiv(live, shape.tile());
            source = target;
            std::swap(target, other);
        } while (live > 1);
        // END SOLUTION
        last = source;
    }

    void addLevel(const Buffer& source, std::uint64_t elements, const Buffer& target)
    {
        std::vector<Part>& parts = levels.emplace_back();
        for (const Slice& slice : slices(gpu, elements, shape.tile()))
            parts.push_back({slice, kernel.makeDescriptorSet({source.slice(slice.first, slice.count),
                                                              target.slice(slice.firstTile, slice.tiles)})});
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());

        // BEGIN SOLUTION: for each level: wait for the one before; for each part: its set, push constants, dispatch
        for (std::size_t i = 0; i < levels.size(); ++i) {
            if (i > 0)  // this level reads the sums that the level before wrote, and writes over what that level read
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            for (const Part& part : levels[i]) {
                const std::uint64_t live = part.slice.count, tiles = part.slice.tiles;
                const DecompositionPush push{static_cast<uint>(live)};
                const WorkGroups groups = gpu.foldGroups(tiles);

                cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, part.set, {});
                cb.pushConstants<DecompositionPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
                labelDispatch(cb, shaders[0] + ", " + std::to_string(live) + " to " + std::to_string(tiles));
                cb.dispatch(groups.x, groups.y, 1);
            }
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return *last; }
};

const Factory factory("KernelDecomposition", make<KernelDecomposition>);

}  // namespace

// For reduce/subgroup on devices without what it needs.
std::unique_ptr<Solution> makeKernelDecomposition(const Given& given)
{
    return std::make_unique<KernelDecomposition>(given);
}
