#include "gpu/Canary.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"

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
    explicit Copy(Device& gpu) : gpu_(gpu), one_(gpu, "canary source", 4), other_(gpu, "canary target", 4) {}

    // Reads what may not be written yet. Never submitted: the layer already reports it during recording.
    void withHazard()
    {
        const auto there = copy(one_, other_, 1), back = copy(other_, one_, 1);
        const auto commands = gpu_.makeCommands("canary: hazard");
        commands->begin();
        there.record(*commands);
        back.record(*commands);
        commands->end();
    }

    // Copies two uvec4 where there is one; the layer must see this before a driver does.
    void outsideBinding()
    {
        const auto beyond = copy(one_, other_, 2);
        const auto commands = gpu_.makeCommands("canary: outside the binding");
        commands->begin();
        beyond.record(*commands);
        commands->end();
        gpu_.submitAndWait({commands.get()});
    }

private:
    SingleDispatch<std::uint32_t> copy(const DeviceBuffer& from, const DeviceBuffer& to, std::uint32_t vectors)
    {
        return {gpu_, copyShader, KernelShape{2, 2, false}, {from, to}, vectors, WorkGroups{1, 1}, "canary"};
    }

    Device& gpu_;
    DeviceBuffer one_, other_;
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
    if (!reported(state, {"storageBuffers-06936", "None-02706"}))  // the rule's number today, and the earlier one
        throw EnvironmentError(
            "GPU-assisted validation is on but does not report a known access outside a buffer: this device "
            "or layer does not support it; use --validation on");
} catch (const vk::SystemError& error) {
    throw EnvironmentError(fmt::format("whether validation is on could not be tried ({})", error.what()));
}

}  // namespace a2
