#include "gpu/Canary.h"

#include "a2/ComputePipeline.h"
#include "a2/Error.h"
#include "gpu/GpuState.h"
#include "gpu/Shaders.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

bool reported(GpuState& state, const char* id)
{
    const auto messages = state.instance.messages().take();
    return std::any_of(messages.begin(), messages.end(),
                       [&](const std::string& message) { return message.find(id) != std::string::npos; });
}

void copyHazard(Gpu& gpu)
{
    const Buffer from(gpu, "canary source", 1), to(gpu, "canary target", 1);
    const vk::raii::CommandBuffer cb = gpu.state().makeCommandBuffer("canary: hazard");
    (*cb).begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    const vk::BufferCopy region(0, 0, from.bytes());
    (*cb).copyBuffer(from.handle(), to.handle(), region);
    (*cb).copyBuffer(to.handle(), from.handle(), region);  // reads what may not be written yet
    (*cb).end();                                           // never submitted: the layer reports while recording
}

void outsideBinding(Gpu& gpu)
{
    // The copy kernel told to copy two uvec4 where there is one; a driver may only see this after the layer has.
    const Buffer from(gpu, "canary source", 4), to(gpu, "canary target", 4);
    const std::uint32_t count = 2;
    const KernelShape shape{2, 2, false};
    ComputePipeline kernel(gpu, copyShader, 2, sizeof count, shape);
    const vk::DescriptorSet set = kernel.makeDescriptorSet({from, to});
    const vk::raii::CommandBuffer cb = gpu.state().makeCommandBuffer("canary: outside the binding");
    (*cb).begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    (*cb).bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
    (*cb).bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});
    (*cb).pushConstants<std::uint32_t>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, count);
    labelDispatch(*cb, "canary: outside the binding");
    (*cb).dispatch(1, 1, 1);
    (*cb).end();
    gpu.state().submitAndWait({*cb});
}

}  // namespace

void proveValidation(Gpu& gpu)
try {
    GpuState& state = gpu.state();
    state.instance.messages().take();  // what was said while the device was opened is about no task
    copyHazard(gpu);
    if (!reported(state, "SYNC-HAZARD"))
        throw EnvironmentError(
            "the validation layer is installed but does not report a known hazard: it is too old, or switched "
            "off by VK_LAYER_* variables or vk_layer_settings.txt");
    if (state.instance.validation() != Validation::gpu) return;
    outsideBinding(gpu);
    if (!reported(state, "None-02706"))
        throw EnvironmentError(
            "GPU-assisted validation is on but does not report a known access outside a buffer: this device "
            "or layer does not support it; use --validation on");
} catch (const vk::SystemError& error) {
    throw EnvironmentError(fmt::format("whether validation is on could not be tried ({})", error.what()));
}

}  // namespace a2
