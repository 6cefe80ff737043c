// A kernel with its buffers and push constants, recorded as one dispatch: for the harness's own work. (Tasks record
// theirs call by call, as the assignment shows it.)
#pragma once

#include "gpu/Device.h"
#include "gpu/DeviceKernel.h"

#include <cstring>
#include <string>
#include <vector>

namespace a2 {

class OwnDispatch {
public:
    // push: the struct's words.
    OwnDispatch(Device& gpu, const std::string& shader, const KernelShape& shape,
                const std::vector<BoundElements>& buffers, std::vector<std::uint32_t> push, const WorkGroups& groups,
                std::string label)
        : kernel_(gpu, shader, static_cast<std::uint32_t>(buffers.size()),
                  static_cast<std::uint32_t>(push.size() * sizeof(std::uint32_t)), shape),
          set_(kernel_.makeDescriptorSet(buffers)),
          push_(std::move(push)),
          groups_(groups),
          label_(std::move(label))
    {
        for (const BoundElements& one : buffers) {
            bound_.push_back(one.descriptor());
            elements_.push_back(one.count());
        }
    }

    void record(vk::CommandBuffer cb) const
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<std::uint32_t>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push_);
        Device::label(cb, label_);
        cb.dispatch(groups_.x, groups_.y, 1);
    }

    // For who looks at it.
    PipelineObjects& objects() const { return kernel_.objects(); }
    const std::vector<vk::DescriptorBufferInfo>& bound() const { return bound_; }  // at bindings 0, 1, ...
    const std::vector<std::uint64_t>& elements() const { return elements_; }       // there, without the guard after
    const std::vector<std::uint32_t>& push() const { return push_; }
    const WorkGroups& groups() const { return groups_; }
    const std::string& label() const { return label_; }

private:
    DeviceKernel kernel_;
    vk::DescriptorSet set_;
    std::vector<vk::DescriptorBufferInfo> bound_;
    std::vector<std::uint64_t> elements_;
    std::vector<std::uint32_t> push_;
    WorkGroups groups_;
    std::string label_;
};

// The words of a push constant struct.
template <class Push>
std::vector<std::uint32_t> wordsOf(const Push& push)
{
    static_assert(sizeof(Push) % sizeof(std::uint32_t) == 0);
    std::vector<std::uint32_t> words(sizeof(Push) / sizeof(std::uint32_t));
    std::memcpy(words.data(), &push, sizeof push);
    return words;
}

template <class Push>
class SingleDispatch : public OwnDispatch {
public:
    SingleDispatch(Device& gpu, const std::string& shader, const KernelShape& shape,
                   const std::vector<BoundElements>& buffers, const Push& push, const WorkGroups& groups,
                   std::string label)
        : OwnDispatch(gpu, shader, shape, buffers, wordsOf(push), groups, std::move(label))
    {
    }
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
