#include "recorder/StageAccess.h"

namespace a2 {

namespace {

using Stages = vk::PipelineStageFlags2;
using StageBit = vk::PipelineStageFlagBits2;
using Accesses = vk::AccessFlags2;
using Access = vk::AccessFlagBits2;

// The stages that make an access. eAllCommands includes all of them but the host's; eAllGraphics those of shaders and
// draws.
struct Makers {
    Accesses accesses;
    Stages stages;
};

const Makers makersOfAccesses[] = {
    {Access::eIndirectCommandRead, Stages(StageBit::eDrawIndirect) | StageBit::eAllGraphics | StageBit::eAllCommands},
    {Access::eUniformRead | Access::eShaderRead | Access::eShaderWrite | Access::eShaderSampledRead |
         Access::eShaderStorageRead | Access::eShaderStorageWrite,
     Stages(StageBit::eComputeShader) | StageBit::eVertexShader | StageBit::eTessellationControlShader |
         StageBit::eTessellationEvaluationShader | StageBit::eGeometryShader | StageBit::eFragmentShader |
         StageBit::ePreRasterizationShaders | StageBit::eAllGraphics | StageBit::eAllCommands},
    {Access::eTransferRead,
     Stages(StageBit::eAllTransfer) | StageBit::eCopy | StageBit::eResolve | StageBit::eBlit | StageBit::eAllCommands},
    {Access::eTransferWrite, Stages(StageBit::eAllTransfer) | StageBit::eCopy | StageBit::eResolve | StageBit::eBlit |
                                 StageBit::eClear | StageBit::eAllCommands},
    {Access::eHostRead | Access::eHostWrite, StageBit::eHost},
};

}  // namespace

vk::AccessFlags2 accessesOfNoStage(vk::PipelineStageFlags2 stages, vk::AccessFlags2 accesses)
{
    Accesses none;
    for (const Makers& one : makersOfAccesses)
        if (!(stages & one.stages)) none |= accesses & one.accesses;
    return none;
}

}  // namespace a2
