// Host code of scan/persistent: one dispatch, or one per slice of an array that is longer than one binding takes.

#include "A2Task2.h"
#include "a2/Solution.h"

#include <algorithm>

using namespace a2;

namespace {

// In the row's own shape, more work-groups than a large GPU runs at a time. Those that start late find no tile left,
// and end at once.
constexpr std::uint32_t mostGroups = 1024;

struct Persistent : Solution {
    ComputePipeline kernel{gpu, shaders[0], 3, sizeof(PersistentPush), shape};
    std::vector<Slice> parts = slices(gpu, count, shape.tile());
    Buffer scanned{gpu, "scan", count};
    // The counters, then what each tile of a slice has published. The first slice is the longest.
    Buffer tileStates{gpu, "tile states",
                      PERSISTENT_COUNTERS + std::uint64_t{PERSISTENT_WORDS_PER_TILE} * parts.front().tiles,
                      Lifetime::solution};
    std::vector<vk::DescriptorSet> sets;  // one per slice

    explicit Persistent(const Given& given) : Solution(given)
    {
        fillDeviceWithStagingBuffer(gpu, tileStates, std::vector<std::uint32_t>(tileStates.elements(), 0));
        for (const Slice& part : parts)
            sets.push_back(kernel.makeDescriptorSet(
                {input.slice(part.first, part.count), scanned.slice(part.first, part.count), tileStates}));
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        // BEGIN SOLUTION: for each slice: wait for the slice before, bind its set, push constants, dispatch
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i > 0)  // this slice begins with the sum of those before, and uses the same tile states again
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            const PersistentPush push{static_cast<uint>(parts[i].count), static_cast<uint>(i)};
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, sets[i], {});
            cb.pushConstants<PersistentPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "scan by groups that stay");
            // Fewer groups take more tiles each.
            const std::uint32_t most = std::min(mostGroups, gpu.limits().maxComputeWorkGroupCount[0]);
            cb.dispatch(static_cast<uint>(std::min<std::uint64_t>(parts[i].tiles, most)), 1, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return scanned; }
};

const Factory factory("Persistent", make<Persistent>);

}  // namespace
