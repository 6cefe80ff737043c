// The emulated Vulkan's shader modules and pipelines. A kernel that cannot be decoded makes a pipeline all the same,
// and is told of where it would run: only there somebody asks for more than a VkResult.
#include "a2/Error.h"
#include "gpu/EmulatedObjects.h"

#include <span>

namespace a2::emulated {

namespace {

VkResult createModule(VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*,
                      VkShaderModule* made)
{
    return make<Module>(made, std::vector<std::uint32_t>(info->pCode, info->pCode + info->codeSize / 4));
}

VkResult createLayout(VkDevice, const VkPipelineLayoutCreateInfo*, const VkAllocationCallbacks*, VkPipelineLayout* made)
{
    return make<PipelineLayout>(made);
}

Specialisation specialisationOf(const VkSpecializationInfo* info)
{
    Specialisation given;
    if (!info) return given;
    for (const VkSpecializationMapEntry& one : std::span(info->pMapEntries, info->mapEntryCount))
        given.add(one.constantID, {static_cast<const std::uint8_t*>(info->pData) + one.offset, one.size});
    return given;
}

VkResult createPipelines(VkDevice, VkPipelineCache, std::uint32_t count, const VkComputePipelineCreateInfo* infos,
                         const VkAllocationCallbacks*, VkPipeline* made)
{
    for (const VkComputePipelineCreateInfo& info : std::span(infos, count)) {
        auto pipeline = std::make_unique<Pipeline>();
        try {
            const SpirvModule module(objectOf<Module>(info.stage.module).code);
            pipeline->kernel.emplace(module, specialisationOf(info.stage.pSpecializationInfo));
        } catch (const KernelError& error) {
            pipeline->problem = error.what();
        }
        *made++ = handleOf<VkPipeline>(pipeline.release());
    }
    return VK_SUCCESS;
}

}  // namespace

std::vector<EntryPoint> pipelineEntryPoints()
{
    return {
        entry<PFN_vkCreateShaderModule, createModule>("vkCreateShaderModule"),
        entry<PFN_vkDestroyShaderModule, destroy<Module, VkShaderModule>>("vkDestroyShaderModule"),
        entry<PFN_vkCreatePipelineLayout, createLayout>("vkCreatePipelineLayout"),
        entry<PFN_vkDestroyPipelineLayout, destroy<PipelineLayout, VkPipelineLayout>>("vkDestroyPipelineLayout"),
        entry<PFN_vkCreateComputePipelines, createPipelines>("vkCreateComputePipelines"),
        entry<PFN_vkDestroyPipeline, destroy<Pipeline, VkPipeline>>("vkDestroyPipeline"),
    };
}

}  // namespace a2::emulated
