// Host code of scan/offset: the Offset kernel alone, one dispatch, in place in the array of local scans. An array that
// is longer than one binding takes needs one dispatch per slice.

#include "A2Kernels.h"
#include "a2/A2Task2.h"
#include "a2/Factory.h"

#include <vector>

namespace a2 {

namespace {

class Offset : public A2Task2OffsetSolution {
public:
    Offset(Gpu& gpu, const KernelShape& shape, const std::string& shader)
        : gpu_(gpu), shape_(shape), kernel_(gpu, shader, 2, sizeof(OffsetPush), shape)
    {
    }

    void prepare(const Buffer& localScans, const Buffer& blockOffsets, std::uint64_t count) override
    {
        data_ = &localScans;
        count_ = count;
        slices_ = slices(gpu_, count, shape_.tile());
        for (const Slice& slice : slices_)
            descriptorSets_.push_back(kernel_.makeDescriptorSet(
                {localScans.slice(slice.first, slice.count), blockOffsets.slice(slice.firstTile, slice.tiles)}));
    }

    void record(vk::CommandBuffer cb) override
    {
        const std::uint64_t tiles = ceilDiv(count_, shape_.tile());
        if (tiles < 2) return;  // the only tile has nothing to its left: its local scan is the scan

        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        // BEGIN SOLUTION: for each slice: bind its set, push constants, dispatch; nothing is added to the first tile
        for (std::size_t i = 0; i < slices_.size(); ++i) {
            const uint firstTile = i == 0 ? 1 : 0;  // nothing lies to the left of the array's first tile
            const OffsetPush push{static_cast<uint>(slices_[i].count), firstTile};
            const WorkGroups groups = gpu_.foldGroups(slices_[i].tiles - firstTile);
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[i], {});
            cb.pushConstants<OffsetPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            labelDispatch(cb, "add offsets");
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
    std::vector<Slice> slices_;
    std::vector<vk::DescriptorSet> descriptorSets_;  // one per slice
};

}  // namespace

std::unique_ptr<A2Task2OffsetSolution> makeOffset(Gpu& gpu, const KernelShape& shape, const std::string& shader)
{
    return std::make_unique<Offset>(gpu, shape, shader);
}

static const Factory factory("Offset", makeOffset);

}  // namespace a2
