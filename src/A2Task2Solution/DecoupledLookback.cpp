// Host code of scan/lookback: one dispatch, or one per slice of an array that is longer than one binding takes.

#include "A2Kernels.h"
#include "a2/A2Task2.h"
#include "a2/Factory.h"

#include <optional>
#include <vector>

namespace a2 {

namespace {

class DecoupledLookback : public A2Task2Solution {
public:
    DecoupledLookback(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), kernel_(gpu, shader, 3, sizeof(LookbackPush), shape)
    {
    }

    void prepare(const Buffer& input, std::uint64_t count) override
    {
        slices_ = slices(gpu_, count, shape_.tile());
        std::uint64_t groups = 0;
        for (const Slice& slice : slices_) {
            const WorkGroups folded = gpu_.foldGroups(slice.tiles);
            groups += std::uint64_t{folded.x} * folded.y;
        }
        groups_ = static_cast<uint>(groups);

        const std::uint64_t words = TILE_STATE_COUNTERS + WORDS_PER_TILE_STATE * groups;
        scanned_.emplace(gpu_, "scan", count);
        tileStates_.emplace(gpu_, "tile states", words, Lifetime::solution);
        fillDeviceWithStagingBuffer(gpu_, *tileStates_, std::vector<std::uint32_t>(words, 0));
        for (const Slice& slice : slices_)
            descriptorSets_.push_back(kernel_.makeDescriptorSet(
                {input.slice(slice.first, slice.count), scanned_->slice(slice.first, slice.count), *tileStates_}));
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        // BEGIN SOLUTION: for each slice: wait for the slice before, bind its set, push constants, dispatch
        uint firstGroup = 0;
        for (std::size_t i = 0; i < slices_.size(); ++i) {
            const LookbackPush push{static_cast<uint>(slices_[i].count), firstGroup, groups_};
            const WorkGroups groups = gpu_.foldGroups(slices_[i].tiles);

            if (i > 0) {
                // The first tiles of this slice look back at the last ones of the slice before.
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                    {}, {});
            }
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[i], {});
            cb.pushConstants<LookbackPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "scan, looking back");
            cb.dispatch(groups.x, groups.y, 1);
            firstGroup += groups.x * groups.y;
        }
        // END SOLUTION
    }

    const Buffer& result() const override { return *scanned_; }

private:
    Gpu& gpu_;
    KernelShape shape_;
    ComputePipeline kernel_;
    std::vector<Slice> slices_;
    std::vector<vk::DescriptorSet> descriptorSets_;  // one per slice
    std::optional<Buffer> scanned_;
    std::optional<Buffer> tileStates_;  // two counters, then what each tile has published
    uint groups_ = 0;                   // of all slices; a2 checks that a ticket can count them
};

}  // namespace

std::unique_ptr<A2Task2Solution> makeDecoupledLookback(Gpu& gpu, const KernelShape& shape,
                                                       const std::vector<std::string>& shaders)
{
    return std::make_unique<DecoupledLookback>(gpu, shape, shaders.at(0));
}

static const Factory factory("DecoupledLookback", makeDecoupledLookback);

}  // namespace a2
