// A kernel with its buffers and push constants, recorded as one dispatch: for the harness's own work. (Tasks record
// theirs call by call, as the assignment shows it.)
#pragma once

#include "a2/ComputePipeline.h"
#include "a2/Gpu.h"

#include <string>
#include <vector>

namespace a2 {

template <class Push>
class SingleDispatch {
public:
    SingleDispatch(Gpu& gpu, const std::string& shader, const KernelShape& shape,
                   const std::vector<BufferSlice>& buffers, const Push& push, const WorkGroups& groups,
                   std::string label)
        : kernel_(gpu, shader, static_cast<std::uint32_t>(buffers.size()), sizeof(Push), shape),
          set_(kernel_.makeDescriptorSet(buffers)),
          push_(push),
          groups_(groups),
          label_(std::move(label))
    {
    }

    void record(vk::CommandBuffer cb) const
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<Push>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push_);
        labelDispatch(cb, label_);
        cb.dispatch(groups_.x, groups_.y, 1);
    }

private:
    ComputePipeline kernel_;
    vk::DescriptorSet set_;
    Push push_;
    WorkGroups groups_;
    std::string label_;
};

// What the next dispatch reads or writes, the ones before have written.
inline void waitForWrites(vk::CommandBuffer cb)
{
    cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                       vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                         vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                       {}, {});
}

}  // namespace a2
