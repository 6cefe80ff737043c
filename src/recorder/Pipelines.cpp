// Shader modules, pipeline layouts and compute pipelines. Nothing is compiled here.
#include "recorder/EntryPoints.h"

#include <fmt/format.h>

namespace a2 {

namespace {

VkResult createModule(Recorder& recorder, VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*,
                      VkShaderModule* made)
{
    if (!recorder.mayMake(info->codeSize)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    ModuleObject module;
    if (info->codeSize == 0 || info->codeSize % 4 != 0)
        recorder.fault("call", fmt::format("vkCreateShaderModule: {} bytes are no SPIR-V", info->codeSize));
    module.code.assign(info->pCode, info->pCode + info->codeSize / 4);
    *made = handleOf<VkShaderModule>(recorder.modules.add(std::move(module)));
    return VK_SUCCESS;
}

void destroyModule(Recorder& recorder, VkDevice, VkShaderModule module, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.modules, numberOf(module));
}

VkResult createLayout(Recorder& recorder, VkDevice, const VkPipelineLayoutCreateInfo* info,
                      const VkAllocationCallbacks*, VkPipelineLayout* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    LayoutObject object;
    RecordedLayout layout;
    for (const VkDescriptorSetLayout one : std::span(info->pSetLayouts, info->setLayoutCount)) {
        const SetLayoutObject* set = recorder.need(recorder.setLayouts, numberOf(one));
        if (!set) return VK_ERROR_INITIALIZATION_FAILED;
        object.sets.push_back(*set);
        layout.setLayouts.push_back(set->index);
    }
    for (const VkPushConstantRange& one : std::span(info->pPushConstantRanges, info->pushConstantRangeCount)) {
        object.ranges.push_back(one);
        if ((one.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) && one.size > 0)
            layout.push.push_back({one.offset, one.size});
    }
    if (layout.push.size() > 1)  // VUID-VkPipelineLayoutCreateInfo-pPushConstantRanges-00292
        recorder.fault("call", fmt::format("vkCreatePipelineLayout: {} push constant ranges are for eCompute: give one "
                                           "from the first byte to the last",
                                           layout.push.size()));
    object.index = recorder.intern(std::move(layout));
    *made = handleOf<VkPipelineLayout>(recorder.layouts.add(std::move(object)));
    return VK_SUCCESS;
}

void destroyLayout(Recorder& recorder, VkDevice, VkPipelineLayout layout, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.layouts, numberOf(layout));
}

std::vector<RecordedPipeline::Constant> constantsOf(Recorder& recorder, const VkSpecializationInfo* info)
{
    std::vector<RecordedPipeline::Constant> constants;
    if (!info) return constants;
    const auto* data = static_cast<const std::uint8_t*>(info->pData);
    for (const VkSpecializationMapEntry& one : std::span(info->pMapEntries, info->mapEntryCount)) {
        if (one.size == 0 || one.size > 8 || one.offset > info->dataSize || one.size > info->dataSize - one.offset)
            recorder.fault("call",
                           fmt::format("vkCreateComputePipelines: specialisation constant {} has bytes {} to {}, "
                                       "and there are {}; one has 1 to 8 bytes",
                                       one.constantID, one.offset, one.offset + one.size, info->dataSize));
        else
            constants.push_back({one.constantID, {data + one.offset, data + one.offset + one.size}});
    }
    return constants;
}

VkPipeline makePipeline(Recorder& recorder, const VkComputePipelineCreateInfo& info)
{
    const LayoutObject* layout = recorder.need(recorder.layouts, numberOf(info.layout));
    const ModuleObject* module = recorder.need(recorder.modules, numberOf(info.stage.module));
    if (!layout || !module || !recorder.mayMake(module->code.size() * sizeof(std::uint32_t))) return nullptr;
    RecordedPipeline pipeline;
    pipeline.code = module->code;
    pipeline.entry = info.stage.pName ? info.stage.pName : "";
    if (pipeline.entry.empty())
        recorder.fault("call", "vkCreateComputePipelines: pName is empty: give the entry point's name, \"main\"");
    pipeline.constants = constantsOf(recorder, info.stage.pSpecializationInfo);
    pipeline.layout = layout->index;
    PipelineObject object;
    object.index = static_cast<Index>(recorder.recording.pipelines.size());
    object.dispatchBase = (info.flags & VK_PIPELINE_CREATE_DISPATCH_BASE) != 0;
    recorder.recording.pipelines.push_back(std::move(pipeline));
    return handleOf<VkPipeline>(recorder.pipelines.add(object));
}

VkResult createPipelines(Recorder& recorder, VkDevice, VkPipelineCache, std::uint32_t count,
                         const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks*, VkPipeline* made)
{
    VkResult result = VK_SUCCESS;
    for (const VkComputePipelineCreateInfo& one : std::span(infos, count)) {
        *made = makePipeline(recorder, one);
        if (!*made++) result = VK_ERROR_INITIALIZATION_FAILED;
    }
    return result;
}

void destroyPipeline(Recorder& recorder, VkDevice, VkPipeline pipeline, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.pipelines, numberOf(pipeline));
}

}  // namespace

std::vector<EntryPoint> pipelineEntryPoints()
{
    return {
        entry<"vkCreateShaderModule", PFN_vkCreateShaderModule, createModule>(),
        entry<"vkDestroyShaderModule", PFN_vkDestroyShaderModule, destroyModule>(),
        entry<"vkCreatePipelineLayout", PFN_vkCreatePipelineLayout, createLayout>(),
        entry<"vkDestroyPipelineLayout", PFN_vkDestroyPipelineLayout, destroyLayout>(),
        entry<"vkCreateComputePipelines", PFN_vkCreateComputePipelines, createPipelines>(),
        entry<"vkDestroyPipeline", PFN_vkDestroyPipeline, destroyPipeline>(),
    };
}

}  // namespace a2
