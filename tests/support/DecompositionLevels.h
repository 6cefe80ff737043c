// The host code of reduce/decomposition, with changes for tests.
#pragma once

#include "A2Task1.h"
#include "a2/Solution.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace a2 {

// Barriers between its levels. nothing: right on the CPU driver, wrong on others; memory: for all memory; array:
// exactly for what the previous level wrote; start: for the first 32 sums of it.
enum class Between { nothing, memory, array, start };

class DecompositionLevels : public Solution {
public:
    // tile: how many elements each work-group counts as adding up, whatever the shape; 0: the shape's.
    DecompositionLevels(const Given& given, Between between, std::uint64_t tile = 0)
        : Solution(given),
          between_(between),
          kernel_(gpu, "A2Task1KernelDecomposition", 2, sizeof(DecompositionPush), shape)
    {
        for (std::uint64_t live = count; sums_.empty() || live > 1;) {
            live = ceilDiv(live, tile > 0 ? tile : shape.tile());
            sums_.emplace_back(gpu, "sums", live);
        }
        for (std::size_t i = 0; i < sums_.size(); ++i)
            sets_.push_back(kernel_.makeDescriptorSet({i == 0 ? input : sums_[i - 1], sums_[i]}));
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        std::uint64_t live = count;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            if (i > 0) separate(cb, sums_[i - 1]);
            const DecompositionPush push{static_cast<uint>(live)};
            live = sums_[i].elements();
            const WorkGroups groups = gpu.foldGroups(live);
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, sets_[i], {});
            cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(groups.x, groups.y, 1);
        }
    }
    const Buffer& result() const override { return sums_.back(); }

private:
    void separate(vk::CommandBuffer cb, const Buffer& left) const
    {
        constexpr auto stage = vk::PipelineStageFlagBits::eComputeShader;
        constexpr auto written = vk::AccessFlagBits::eShaderWrite, read = vk::AccessFlagBits::eShaderRead;
        if (between_ == Between::memory) cb.pipelineBarrier(stage, stage, {}, vk::MemoryBarrier(written, read), {}, {});
        constexpr std::uint64_t startBytes = 128;
        if (between_ == Between::array || between_ == Between::start)
            cb.pipelineBarrier(
                stage, stage, {}, {},
                vk::BufferMemoryBarrier(
                    written, read, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, left.handle(), 0,
                    between_ == Between::start ? std::min<std::uint64_t>(startBytes, left.bytes()) : left.bytes()),
                {});
    }

    Between between_;
    ComputePipeline kernel_;
    std::vector<Buffer> sums_;
    std::vector<vk::DescriptorSet> sets_;
};

}  // namespace a2
