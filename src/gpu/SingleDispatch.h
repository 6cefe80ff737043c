// A kernel with its buffers and push constants, recorded as one dispatch, for the harness's own work. (Solutions record
// theirs call by call, as the assignment shows it.)
#pragma once

#include "gpu/Device.h"
#include "gpu/DeviceBuffer.h"
#include "gpu/PipelineObjects.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace a2 {

class OwnDispatch {
public:
    // shader: file name under shaders/ without .comp. buffers[i], or a part of it, is bound at binding i of set 0.
    // push: the struct's words. Throws as pipelineFor does, and LimitError if one of the buffers is longer than a
    // binding of this device can be.
    OwnDispatch(Device& gpu, const std::string& shader, const KernelShape& shape,
                const std::vector<BoundElements>& buffers, std::vector<std::uint32_t> push, const WorkGroups& groups,
                std::string label);

    void record(Commands& commands) const;

    // For code that inspects the dispatch.
    PipelineObjects& objects() const { return *objects_; }
    const std::vector<BoundRange>& bound() const { return bound_; }           // at bindings 0, 1, ...
    const std::vector<std::uint64_t>& elements() const { return elements_; }  // in each binding, without the guard
    const std::vector<std::uint32_t>& push() const { return push_; }
    const WorkGroups& groups() const { return groups_; }
    const std::string& label() const { return label_; }

private:
    Device* gpu_;
    PipelineObjects* objects_;
    std::unique_ptr<DeviceSet> set_;
    std::vector<BoundRange> bound_;
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

// The next dispatch sees what the earlier ones wrote, and may overwrite it.
inline void waitForWrites(Commands& commands)
{
    commands.barrier(vk::PipelineStageFlagBits::eComputeShader, vk::AccessFlagBits::eShaderWrite,
                     vk::PipelineStageFlagBits::eComputeShader,
                     vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite);
}

}  // namespace a2
