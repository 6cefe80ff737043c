// Host code of reduce/subgroup: one dispatch, or one per slice of an array that is longer than one binding takes.

#include "A2Task1.h"
#include "a2/Solution.h"

#include <array>

using namespace a2;

std::unique_ptr<Solution> makeKernelDecomposition(const Given& given);  // KernelDecomposition.cpp

namespace {

struct Subgroup : Solution {
    ComputePipeline kernel{gpu, shaders[0], 3, sizeof(SubgroupPush), shape};
    Buffer sum{gpu, "sum", 1};
    Buffer runningSum{gpu, "running sum", 2, Lifetime::solution};  // every run leaves it at zero
    std::vector<Slice> parts = slices(gpu, count, shape.tile());
    std::vector<vk::DescriptorSet> sets;  // one per slice
    uint allGroups = 0;                   // of all slices

    explicit Subgroup(const Given& given) : Solution(given)
    {
        fillDeviceWithStagingBuffer(gpu, runningSum, std::array<std::uint32_t, 2>{0, 0});
        for (const Slice& part : parts) {
            const WorkGroups groups = gpu.foldGroups(part.tiles);
            allGroups += groups.x * groups.y;
            sets.push_back(kernel.makeDescriptorSet({input.slice(part.first, part.count), sum, runningSum}));
        }
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        // BEGIN SOLUTION: for each slice: wait for the slice before, bind its set, push constants, dispatch
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const SubgroupPush push{static_cast<uint>(parts[i].count), allGroups};
            const WorkGroups groups = gpu.foldGroups(parts[i].tiles);

            if (i > 0)  // this slice adds to the running sum that the slice before left
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, sets[i], {});
            cb.pushConstants<SubgroupPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "add up " + std::to_string(parts[i].count));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return sum; }
};

// Where 64-bit atomics are missing, level by level.
std::unique_ptr<Solution> makeSubgroup(const Given& given)
{
    if (given.gpu.hasInt64Atomics()) return std::make_unique<Subgroup>(given);
    Given levels = given;
    levels.shaders = {given.shaders[0] + "Levels"};
    return makeKernelDecomposition(levels);
}

const Factory factory("Subgroup", makeSubgroup);

}  // namespace
