// A compute kernel ready to be recorded: shader module, layouts, pipeline, and its descriptor sets.
#pragma once

#include "a2/Buffer.h"
#include "a2/KernelShape.h"

#include <string>
#include <vector>

namespace a2 {

class ComputePipeline {
public:
    // shader: file name under shaders/ without .comp. bindings: the kernel has storage buffers 0 .. bindings - 1 in set
    // 0. pushBytes: size of the push constant struct. The kernel is compiled when the recording is replayed. Only then
    // it is known whether the file exists, whether it compiles, and whether the device can run it in this shape.
    ComputePipeline(Gpu& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                    const KernelShape& shape);
    ~ComputePipeline();
    ComputePipeline(ComputePipeline&& other) noexcept;
    ComputePipeline& operator=(ComputePipeline&& other) noexcept;

    vk::Pipeline pipeline() const { return pipeline_; }
    vk::PipelineLayout layout() const { return layout_; }

    // A descriptor set that binds buffers[i], or a slice of it, at binding i. It lives as long as this object. Throws
    // LimitError if one of them is longer than a binding of this device can be.
    vk::DescriptorSet makeDescriptorSet(const std::vector<BufferSlice>& buffers);

private:
    Gpu* gpu_ = nullptr;
    std::string shader_;
    vk::DescriptorSetLayout setLayout_;
    vk::PipelineLayout layout_;
    vk::Pipeline pipeline_;
    std::vector<vk::DescriptorSet> sets_;
};

}  // namespace a2
