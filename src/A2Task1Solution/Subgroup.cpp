// Host code of reduce/subgroup: one dispatch, or one per slice of an array that is longer than one binding takes.

#include "A2Kernels.h"
#include "a2/A2Task1.h"
#include "a2/Factory.h"

#include <array>
#include <optional>
#include <vector>

namespace a2 {

A2Task1Factory makeKernelDecomposition;  // KernelDecomposition.cpp

namespace {

class Subgroup : public A2Task1Solution {
public:
    Subgroup(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu),
          shape_(shape),
          kernel_(gpu, shader, 3, sizeof(SubgroupPush), shape),
          sum_(gpu, "sum", 1),
          runningSum_(gpu, "running sum", 2, Lifetime::solution)
    {
        fillDeviceWithStagingBuffer(gpu_, runningSum_, std::array<std::uint32_t, 2>{0, 0});
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        slices_ = slices(gpu_, count, shape_.tile());
        for (const Slice& slice : slices_) {
            const WorkGroups groups = gpu_.foldGroups(slice.tiles);
            groups_ += groups.x * groups.y;
            descriptorSets_.push_back(
                kernel_.makeDescriptorSet({input.slice(slice.first, slice.count), sum_, runningSum_}));
        }
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        // BEGIN SOLUTION: for each slice: wait for the slice before, bind its set, push constants, dispatch
        for (std::size_t i = 0; i < slices_.size(); ++i) {
            const SubgroupPush push{static_cast<uint>(slices_[i].count), groups_};
            const WorkGroups groups = gpu_.foldGroups(slices_[i].tiles);

            if (i > 0) {
                // This slice adds to the running sum that the slice before left.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[i], {});
            cb.pushConstants<SubgroupPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "add up " + std::to_string(slices_[i].count));
            cb.dispatch(groups.x, groups.y, 1);
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return sum_; }

private:
    Gpu& gpu_;
    KernelShape shape_;
    ComputePipeline kernel_;
    Buffer sum_;
    Buffer runningSum_;  // every run leaves it at zero
    std::vector<Slice> slices_;
    std::vector<vk::DescriptorSet> descriptorSets_;  // one per slice
    uint groups_ = 0;                                // of all slices
};

}  // namespace

std::unique_ptr<A2Task1Solution> makeSubgroup(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    if (!gpu.hasInt64Atomics()) return makeKernelDecomposition(gpu, shape, shader + "Levels");
    return std::make_unique<Subgroup>(gpu, shape, shader);
}

static const Factory factory("Subgroup", makeSubgroup);

}  // namespace a2
