// a2 doctor: what this machine offers a2, one line each, and one line of advice for each thing that is missing.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "gpu/DeviceChoice.h"
#include "gpu/DriverManifests.h"
#include "gpu/EmulatedBackend.h"
#include "gpu/Instance.h"
#include "gpu/KernelCheck.h"
#include "gpu/KernelCompiler.h"
#include "gpu/RenderDoc.h"
#include "gpu/VulkanBackend.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

namespace a2 {

namespace {

void say(const char* what, const std::string& text) { fmt::print("{:<12} {}\n", what, text); }
void advise(const std::string& text) { fmt::print("{:<12} -> {}\n", "", text); }

void showDevice(const DeviceDescription& device, const DeviceCandidate& candidate, bool emulated)
{
    const vk::PhysicalDeviceLimits& limits = device.properties.limits;
    say("device", fmt::format("{}: {} ({})", candidate.index, candidate.name, typeText(candidate.type)));
    say("", fmt::format("driver {} {}, Vulkan {}", device.driver.driverName.data(), device.driver.driverInfo.data(),
                        versionText(candidate.apiVersion)));
    say("", fmt::format("work-group {} invocations, {} KiB shared memory, subgroup {}",
                        limits.maxComputeWorkGroupInvocations, limits.maxComputeSharedMemorySize / 1024,
                        device.subgroupSize));
    say("", fmt::format("{} work-groups along x, {:.6g} MiB per binding", limits.maxComputeWorkGroupCount[0],
                        limits.maxStorageBufferRange / (1024.0 * 1024.0)));
    if (candidate.queueFamily && !emulated)
        say("", device.timestampBits
                    ? fmt::format("timestamps of {} bits, {} ns", device.timestampBits, limits.timestampPeriod)
                    : "no timestamps: times will be the host's");
    if (!candidate.rejection.empty()) advise("cannot be used: it " + candidate.rejection);
}

void describeLayer(const Instance& instance)
{
    bool layer = false;
    for (const auto& properties : instance.layers())
        layer = layer || std::strcmp(properties.layerName, validationLayerName) == 0;
    say("validation",
        layer ? "the Khronos validation layer is installed" : "the Khronos validation layer is not installed");
    if (!layer) advise("for --validation: install vulkan-validationlayers, or the Vulkan SDK");
}

void describePrograms()
{
    const auto compiler = KernelCompiler().installed();
    say("glslang", compiler ? *compiler + " is installed" : "glslangValidator is not installed");
    if (!compiler) advise("for --shader-dir and changed kernels: install glslang-tools, or the Vulkan SDK");
    const bool validator = kernelValidatorInstalled();
    say("spirv-val", validator ? "spirv-val is installed" : "spirv-val is not installed");
    if (!validator)
        advise("for a closer look at kernels before a driver sees them: install spirv-tools, or the Vulkan SDK");
    const bool renderDoc = RenderDoc::installed();
    say("RenderDoc", renderDoc ? "RenderDoc is installed" : "RenderDoc is not installed");
    if (!renderDoc) advise("for a2 capture: install librenderdoc, or RenderDoc; a2 steps shows the same without it");
    if (!RenderDoc::builtWithHeader())
        advise("for a2 capture: this a2 was built without renderdoc_app.h; install librenderdoc-dev and build again");
}

void mentionEmulator() { say("emulator", "`-d emulator` judges without a driver, on this processor, without times"); }

ExitStatus describeDevices(const Options& options, const Instance& instance)
{
    const std::vector<DeviceCandidate> candidates = listDevices(instance);
    if (instance.isEmulated()) {
        showDevice(describeEmulator(), candidates.front(), true);
    } else {
        const std::vector<vk::PhysicalDevice> devices = instance.physicalDevices();
        for (const DeviceCandidate& candidate : candidates)
            showDevice(describeDevice(devices.at(candidate.index), candidate.queueFamily), candidate, false);
    }
    try {
        const DeviceChoice choice = chooseDevice(candidates, options.gpu.device);
        say("a2 uses", choice.reasons[choice.chosen]);
    } catch (const Error& error) {
        say("a2 uses", "no device");
        advise(error.what());
        return error.status();
    }
    return ExitStatus::passed;
}

// A driver is installed, but does not work.
ExitStatus noDevices(const std::string& why)
{
    say("devices", fmt::format("cannot be asked for: {}", why));
    advise(
        "is there memory left (`free -h`, `ulimit -v`), may you open the device's files, and do the driver and the "
        "kernel's module have one version? A reboot after an update mends the last");
    return ExitStatus::environment;
}

// The loader, the devices, and which of them a2 uses.
ExitStatus describeVulkan(const Options& options)
{
    std::unique_ptr<Instance> instance;
    const auto notUsable = [](const std::string& advice) {
        say("Vulkan", "not usable");
        advise(advice);
        mentionEmulator();
        return ExitStatus::environment;
    };
    try {
        instance = namingBrokenManifests(
            [&] { return std::make_unique<Instance>(options.gpu.validation, wantsEmulator(options.gpu.device)); });
    } catch (const OpeningError& error) {  // its own text would refer the reader to `a2 doctor`
        return notUsable(
            fmt::format("the Vulkan instance could not be opened ({}): is there memory left, and is the driver sound?",
                        vk::to_string(error.result)));
    } catch (const EnvironmentError& error) {
        return notUsable(error.what());
    }
    say("loader", "Vulkan " + versionText(instance->loaderVersion()));
    ExitStatus status = ExitStatus::passed;
    try {
        status = describeDevices(options, *instance);
    } catch (const OpeningError& error) {
        status = noDevices(vk::to_string(error.result));
    } catch (const vk::SystemError& error) {
        status = noDevices(error.what());
    }
    mentionEmulator();
    describeLayer(*instance);
    return status;
}

ExitStatus describeMachine(const Options& options)
{
    const ExitStatus status = describeVulkan(options);
    for (const std::string& broken : brokenDriverManifests()) {
        say("manifest", broken);
        advise("correct it or take it away; until then it stands for a driver that is not there");
    }
    describePrograms();
    return status;
}

}  // namespace

constinit const Subcommand Subcommand::doctor = {
    .name = "doctor",
    .description = "what this machine has for a2, and what it lacks",
    .place = 120,
    .addOptions = addDeviceOptions,
    .work = [](const Options& options, DeviceChannel&) { return describeMachine(options); }};

}  // namespace a2
