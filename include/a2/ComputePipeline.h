// A compute kernel ready to be recorded: shader module, layouts, pipeline, and its descriptor sets.
#pragma once

#include "a2/Buffer.h"
#include "a2/KernelShape.h"

#include <functional>
#include <string>
#include <vector>

namespace a2 {

struct PipelineObjects;  // src/gpu/PipelineObjects.h

class ComputePipeline {
public:
    // shader: file name under shaders/ without .comp. bindings: storage buffers 0 .. bindings - 1 of set 0.
    // pushBytes: size of the push constant struct. The same shader and shape are compiled once per device.
    // Throws LimitError if the device cannot run the shape, EnvironmentError if the shader is missing or does not
    // compile.
    ComputePipeline(Gpu& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                    const KernelShape& shape);

    vk::Pipeline pipeline() const;
    vk::PipelineLayout layout() const;

    // A descriptor set that binds buffers[i] at binding i. It lives as long as this object, which makes at most 64.
    vk::DescriptorSet makeDescriptorSet(const std::vector<std::reference_wrapper<const Buffer>>& buffers);

private:
    Gpu* gpu_;
    const PipelineObjects* objects_;
    std::string shader_;
    vk::raii::DescriptorPool pool_ = nullptr;
    std::vector<vk::raii::DescriptorSet> sets_;  // freed before the pool: some drivers keep a set's name otherwise
};

}  // namespace a2
