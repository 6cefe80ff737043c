#include "a2/ComputePipeline.h"

#include "recorder/Session.h"

#include <utility>

namespace a2 {

ComputePipeline::ComputePipeline(Gpu& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                                 const KernelShape& shape)
    : gpu_(&gpu), shader_(shader)
{
    Recorder& recorder = gpu.recorder();
    const std::lock_guard lock(recorder.mutex);
    recorder.mayMake(shader.size() + bindings * sizeof(RecordedSetLayout::Binding));
    recorder.endIfTooMuch();
    SetLayoutObject set;
    RecordedSetLayout recordedSet;
    for (std::uint32_t i = 0; i < bindings; ++i)
        recordedSet.bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    set.name = shader + " set layout";
    set.index = recorder.intern(std::move(recordedSet));
    LayoutObject layout;
    layout.name = shader + " pipeline layout";
    layout.sets = {set};
    RecordedLayout recordedLayout{{set.index}, {}};
    if (pushBytes > 0) {
        layout.ranges.push_back({VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes});
        recordedLayout.push.push_back({0, pushBytes});
    }
    layout.index = recorder.intern(std::move(recordedLayout));
    PipelineObject pipeline;
    pipeline.name = shader;
    pipeline.index = static_cast<Index>(recorder.recording.pipelines.size());
    RecordedPipeline& recorded = recorder.recording.pipelines.emplace_back();
    recorded.shader = shader;
    recorded.shape = shape;
    recorded.layout = layout.index;
    recorded.name = shader;

    setLayout_ = handleOf<VkDescriptorSetLayout>(recorder.setLayouts.add(std::move(set)));
    layout_ = handleOf<VkPipelineLayout>(recorder.layouts.add(std::move(layout)));
    pipeline_ = handleOf<VkPipeline>(recorder.pipelines.add(std::move(pipeline)));
}

// The recording keeps the pipeline and its layout; objects of the same kernel may share these where they are replayed.
// A solution that binds the pipeline after this gets a fault.
ComputePipeline::~ComputePipeline()
{
    Recorder* recorder = Recorder::current();  // null if a solution keeps this in a global variable
    if (!recorder) return;
    for (const vk::DescriptorSet one : sets_)
        if (SetObject* set = recorder->sets.find(numberOf(static_cast<VkDescriptorSet>(one)))) set->destroyed = true;
    if (PipelineObject* one = recorder->pipelines.find(numberOf(static_cast<VkPipeline>(pipeline_))))
        one->destroyed = true;
}

ComputePipeline::ComputePipeline(ComputePipeline&& other) noexcept { *this = std::move(other); }

ComputePipeline& ComputePipeline::operator=(ComputePipeline&& other) noexcept
{
    std::swap(gpu_, other.gpu_);
    std::swap(shader_, other.shader_);
    std::swap(setLayout_, other.setLayout_);
    std::swap(layout_, other.layout_);
    std::swap(pipeline_, other.pipeline_);
    std::swap(sets_, other.sets_);
    return *this;
}

vk::DescriptorSet ComputePipeline::makeDescriptorSet(const std::vector<BufferSlice>& buffers)
{
    std::vector<vk::DescriptorBufferInfo> infos;
    for (const BufferSlice& one : buffers) infos.push_back(one.descriptor());

    Recorder& recorder = gpu_->recorder();
    const std::lock_guard lock(recorder.mutex);
    const SetLayoutObject* layout = recorder.setLayouts.find(numberOf(static_cast<VkDescriptorSetLayout>(setLayout_)));
    recorder.mayMake();
    recorder.endIfTooMuch();
    SetObject made;
    made.name = shader_ + " descriptor set";
    made.layout = *layout;
    const vk::DescriptorSet set = handleOf<VkDescriptorSet>(recorder.sets.add(std::move(made)));
    sets_.push_back(set);
    std::vector<vk::WriteDescriptorSet> writes;
    for (std::uint32_t i = 0; i < infos.size(); ++i)
        writes.emplace_back(set, i, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &infos[i]);
    gpu_->device().updateDescriptorSets(writes, {});
    return set;
}

}  // namespace a2
