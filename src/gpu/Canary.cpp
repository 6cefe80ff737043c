#include "gpu/Canary.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/DeviceKernel.h"
#include "gpu/Shaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace a2 {

namespace {

bool reported(Device& state, std::initializer_list<const char*> ids)
{
    const auto messages = state.instance.messages().take();
    return std::any_of(messages.begin(), messages.end(), [&](const std::string& message) {
        return std::any_of(ids.begin(), ids.end(),
                           [&](const char* id) { return message.find(id) != std::string::npos; });
    });
}

// The copy kernel between two buffers of one uvec4.
class Copy {
public:
    explicit Copy(Device& gpu)
        : gpu_(gpu),
          kernel_(gpu, copyShader, 2, sizeof(std::uint32_t), KernelShape{2, 2, false}),
          one_(gpu, "canary source", 4),
          other_(gpu, "canary target", 4),
          there_(kernel_.makeDescriptorSet({one_, other_})),
          back_(kernel_.makeDescriptorSet({other_, one_}))
    {
    }

    // Reads what may not be written yet. Never submitted: the layer reports while recording.
    void withHazard()
    {
        const vk::raii::CommandBuffer cb = begin("canary: hazard");
        dispatch(*cb, there_, 1);
        dispatch(*cb, back_, 1);
        (*cb).end();
    }

    // Told to copy two uvec4 where there is one; a driver may only see this after the layer has.
    void outsideBinding()
    {
        const vk::raii::CommandBuffer cb = begin("canary: outside the binding");
        dispatch(*cb, there_, 2);
        (*cb).end();
        gpu_.submitAndWait({*cb});
    }

private:
    vk::raii::CommandBuffer begin(const char* name)
    {
        vk::raii::CommandBuffer cb = gpu_.makeCommandBuffer(name);
        (*cb).begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
        (*cb).bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        return cb;
    }
    void dispatch(vk::CommandBuffer cb, vk::DescriptorSet set, std::uint32_t vectors)
    {
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set, {});
        cb.pushConstants<std::uint32_t>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, vectors);
        Device::label(cb, "canary");
        cb.dispatch(1, 1, 1);
    }

    Device& gpu_;
    DeviceKernel kernel_;
    DeviceBuffer one_, other_;
    vk::DescriptorSet there_, back_;
};

}  // namespace

void proveValidation(Device& gpu)
try {
    Device& state = gpu;
    Copy copy(gpu);
    copy.withHazard();
    if (!reported(state, {"SYNC-HAZARD-READ-AFTER-WRITE"}))
        throw EnvironmentError(
            "the validation layer is installed but does not report a known hazard: it is too old, or switched "
            "off by VK_LAYER_* variables or vk_layer_settings.txt");
    if (state.instance.validation() != Validation::gpu) return;
    copy.outsideBinding();
    if (!reported(state, {"storageBuffers-06936", "None-02706"}))  // the rule's number of today, and the one before
        throw EnvironmentError(
            "GPU-assisted validation is on but does not report a known access outside a buffer: this device "
            "or layer does not support it; use --validation on");
} catch (const vk::SystemError& error) {
    throw EnvironmentError(fmt::format("whether validation is on could not be tried ({})", error.what()));
}

}  // namespace a2
