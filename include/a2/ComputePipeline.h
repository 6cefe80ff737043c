// A compute kernel ready to be recorded: shader module, layouts, pipeline, and its descriptor sets.
#pragma once

#include "a2/Buffer.h"
#include "a2/KernelShape.h"

#include <string>
#include <vector>

namespace a2 {

struct PipelineObjects;  // src/gpu/PipelineObjects.h

class ComputePipeline {
public:
    // shader: file name under shaders/ without .comp. bindings: storage buffers 0 .. bindings - 1 of set 0.
    // pushBytes: size of the push constant struct. The same shader and shape are compiled once per device.
    // Throws LimitError if the device cannot run the shape, KernelError if the kernel does not compile, or asks for
    // more shared memory or a larger work-group than it was asked to and the device has, EnvironmentError if it is
    // missing.
    ComputePipeline(Gpu& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                    const KernelShape& shape);

    vk::Pipeline pipeline() const;
    vk::PipelineLayout layout() const;

    // A descriptor set that binds buffers[i], or a slice of it, at binding i. It lives as long as this object.
    // Throws LimitError if one of them is more than a binding of this device takes.
    vk::DescriptorSet makeDescriptorSet(const std::vector<BufferSlice>& buffers);

private:
    Gpu* gpu_;
    const PipelineObjects* objects_;
    std::string shader_;
    std::uint32_t bindings_;
    std::vector<vk::raii::DescriptorPool> pools_;
    std::vector<vk::raii::DescriptorSet> sets_;  // freed before the pools: some drivers keep a set's name otherwise
};

}  // namespace a2
