#include "recorder/StageAccess.h"

namespace a2 {

namespace {

using Stages = vk::PipelineStageFlags2;
using Stage = vk::PipelineStageFlagBits2;
using Accesses = vk::AccessFlags2;
using Access = vk::AccessFlagBits2;

// The stages that make an access. All but the host's are in eAllCommands, and shaders' and draws' in eAllGraphics.
struct Makers {
    Accesses accesses;
    Stages stages;
};

const Makers makersOfAccesses[] = {
    {Access::eIndirectCommandRead, Stages(Stage::eDrawIndirect) | Stage::eAllGraphics | Stage::eAllCommands},
    {Access::eUniformRead | Access::eShaderRead | Access::eShaderWrite | Access::eShaderSampledRead |
         Access::eShaderStorageRead | Access::eShaderStorageWrite,
     Stages(Stage::eComputeShader) | Stage::eVertexShader | Stage::eTessellationControlShader |
         Stage::eTessellationEvaluationShader | Stage::eGeometryShader | Stage::eFragmentShader |
         Stage::ePreRasterizationShaders | Stage::eAllGraphics | Stage::eAllCommands},
    {Access::eTransferRead,
     Stages(Stage::eAllTransfer) | Stage::eCopy | Stage::eResolve | Stage::eBlit | Stage::eAllCommands},
    {Access::eTransferWrite,
     Stages(Stage::eAllTransfer) | Stage::eCopy | Stage::eResolve | Stage::eBlit | Stage::eClear | Stage::eAllCommands},
    {Access::eHostRead | Access::eHostWrite, Stage::eHost},
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
