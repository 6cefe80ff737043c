// A compute kernel of a2's own, ready to be recorded: pipeline and descriptor sets.
#pragma once

#include "gpu/DeviceBuffer.h"
#include "gpu/PipelineObjects.h"

#include <string>
#include <vector>

namespace a2 {

class DeviceKernel {
public:
    // shader: file name under shaders/ without .comp. bindings: storage buffers 0 .. bindings - 1 of set 0.
    // pushBytes: size of the push constant struct. Throws as pipelineFor does.
    DeviceKernel(Device& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                 const KernelShape& shape);

    vk::Pipeline pipeline() const { return compiled(*gpu_, *objects_); }
    vk::PipelineLayout layout() const { return *objects_->layout; }
    PipelineObjects& objects() const { return *objects_; }

    // A descriptor set that binds buffers[i], or a slice of it, at binding i. It lives as long as this object.
    // Throws LimitError if one of them is more than a binding of this device takes.
    vk::DescriptorSet makeDescriptorSet(const std::vector<BoundElements>& buffers);

private:
    Device* gpu_;
    PipelineObjects* objects_;
    std::string shader_;
    std::uint32_t bindings_;
    std::vector<vk::raii::DescriptorPool> pools_;
    std::vector<vk::raii::DescriptorSet> sets_;  // freed before the pools: some drivers keep a set's name otherwise
};

}  // namespace a2
