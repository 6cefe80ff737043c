#include "gpu/Device.h"

#include "files/Utf8Path.h"
#include "gpu/DriverManifests.h"
#include "gpu/EmulatedBackend.h"
#include "gpu/VulkanBackend.h"

#include <fmt/format.h>

#include <cstring>

namespace a2 {

Device::Device(const GpuOptions& options)
    : kernelSources(pathOf(options.shaderDir), options.note, options.jail),
      instance(options.validation, options.standsFor || wantsEmulator(options.device)),
      choice(chooseDevice(listDevices(instance), options.standsFor ? "" : options.device, options.rankHere)),
      timeout(options.timeout),
      shaderDir(options.shaderDir),
      record(options.record),
      tellPhase_(options.phase)
{
    kernelSources.element = options.element;
    const DeviceCandidate& chosen = choice.candidates[choice.chosen];
    try {
        if (instance.isEmulated())
            backend = std::make_unique<EmulatedBackend>(options, *this);
        else
            backend = std::make_unique<VulkanBackend>(instance, chosen, options, *this);
        if (options.standsFor) standFor(*options.standsFor);
        instance.messages().take();  // messages from opening the device belong to no task
    } catch (const vk::SystemError& error) {
        throw OpeningError(fmt::format("device {} ({})", chosen.index, chosen.name), error);
    }
}

Device::~Device() = default;

std::unique_ptr<Commands> Device::makeCommands(const std::string& name, bool timed)
{
    checkDevice();
    return backend->makeCommands(name, timed);
}

void Device::submitAndWait(const std::vector<Commands*>& commands)
{
    checkDevice();
    try {
        if (!backend->run(commands, timeout))
            giveUp({fmt::format("the device did not finish within {} s (--timeout)", timeout.count()), true});
    } catch (const DeviceError& error) {
        giveUp(error);
    }
    checkDevice();
}

std::optional<double> Device::clockMs(const Commands& commands)
{
    try {
        return commands.clockMs();
    } catch (const DeviceError& error) {
        giveUp(error);
        throw;
    }
}

namespace {

std::optional<DeviceError>& firstGivenUp()
{
    static std::optional<DeviceError> why;
    return why;
}

}  // namespace

DeviceError deviceLost()
{
    return {"the device was lost: a kernel ran outside its buffers or for too long, or the driver reset", false};
}

void Device::giveUp(const DeviceError& why)
{
    if (failure_) return;
    failure_.emplace(why);
    if (!firstGivenUp()) firstGivenUp().emplace(why);
    backend->abandon();
}

const std::optional<DeviceError>& deviceGivenUp() { return firstGivenUp(); }

void LetGo::operator()(Device* device) const
{
    if (!device->failure()) {
        delete device;
        return;
    }
    static auto* const kept = new std::vector<Device*>;  // not destroyed at exit either
    kept->push_back(device);
}

void Device::enter(const std::string& phase)
{
    if (!tellPhase_ || phase == phase_) return;
    phase_ = phase;
    tellPhase_(phase);
}

InPhase::InPhase(Device& gpu, const std::string& phase) : gpu_(gpu), before_(gpu.phase()) { gpu.enter(phase); }

InPhase::~InPhase()
{
    try {
        gpu_.enter(before_);
    } catch (...) {  // the listener is gone; the next message will show that
    }
}

void Device::standFor(const DeviceFacts& another)
{
    VkPhysicalDeviceProperties theirs{};
    if (another.properties.size() != sizeof theirs)
        throw EnvironmentError("those recordings were made where Vulkan's types have other lengths: make them here");
    std::memcpy(&theirs, another.properties.data(), sizeof theirs);
    theirs.deviceName[sizeof theirs.deviceName - 1] = '\0';
    properties = theirs;
    int64Atomics = another.int64Atomics;
    subgroupArithmetic = another.subgroupArithmetic;
    subgroupSize = another.subgroupSize;
    choice.reasons = {fmt::format("recording for a device that need not be here: {}", properties.deviceName.data())};
    standsForAnother_ = true;
}

DeviceFacts Device::facts() const
{
    DeviceFacts all;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&properties);
    all.properties.assign(bytes, bytes + sizeof properties);
    all.int64Atomics = int64Atomics && !kernelSources.element->isReal;  // atomics do not add reals
    all.subgroupArithmetic = subgroupArithmetic;
    all.subgroupSize = subgroupSize;
    return all;
}

WorkGroups Device::foldGroups(std::uint64_t groups) const
{
    const auto& most = limits().maxComputeWorkGroupCount;
    return a2::foldGroups(groups, most[0], most[1]);
}

void Device::checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const
{
    if (maxBuffer > 0 && bytes > maxBuffer)
        throw LimitError(
            fmt::format("{} needs {} in one buffer, more than this device's maxBufferSize of {}; choose a "
                        "smaller --size",
                        what, sizeText(bytes), sizeText(maxBuffer)));
}

OpenDevice openDevice(const GpuOptions& options)
{
    return namingBrokenManifests([&] {
        try {
            return OpenDevice(new Device(options));
        } catch (const NoDriverError&) {
            if (!options.mayEmulate || !options.device.empty()) throw;
            if (options.note)
                options.note(
                    "note: there is no Vulkan driver on this machine, so that kernels run on a2's emulator: it "
                    "judges them, and has no times");
        }
        GpuOptions emulated = options;
        emulated.device = "emulator";
        return OpenDevice(new Device(emulated));
    });
}

}  // namespace a2
