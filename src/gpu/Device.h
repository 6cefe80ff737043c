// The real device: only a2's own code meets it. What solutions' code sees is include/a2/Gpu.h.
#pragma once

#include "a2/Buffer.h"
#include "a2/Error.h"
#include "base/Clock.h"
#include "gpu/Backend.h"
#include "gpu/DeviceChoice.h"
#include "gpu/Instance.h"
#include "gpu/KernelSources.h"
#include "gpu/PipelineObjects.h"
#include "recording/Request.h"

#include <chrono>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What is done with a device (GpuOptions::phase) until something more exact is told: at first, and once it is open.
constexpr const char *openingPhase = "opening the device", *workingPhase = "working on the device";

struct GpuOptions {
    std::string device;       // see chooseDevice
    bool mayEmulate = false;  // where there is no driver and no device is named, the emulator takes its place
    unsigned rankHere = 0;    // see chooseDevice
    // Nothing is opened and nothing runs: recordings are made for this device, which another machine may have.
    std::optional<DeviceFacts> standsFor;
    Validation validation = Validation::off;
    const ElementType* element = &ElementType::uint32;  // what kernels that include A2Element.h are compiled for
    std::string shaderDir;     // compile kernels from here when the program starts; empty: the project's
    std::string jail;          // a program that starts the compiler of kernels; empty: none does
    KernelSources::Note note;  // told about kernels that are not the ones built in
    std::chrono::duration<double> timeout{60.0};  // for one submit
    bool plainArithmetic = false;                 // tests: a device without subgroup arithmetic and 64-bit atomics
    bool plainAtomics = false;                    // tests: one without 64-bit atomics
    std::uint32_t bindingLimit = 0;  // bytes; tests: a device whose maxStorageBufferRange is no more. 0: its own
    // Told what is begun on the device, for whoever has to say what it was if the driver ends the program.
    std::function<void(const std::string& phase)> phase;
    // Where the recordings of solutions come from.
    std::function<RecordAnswer(const RecordRequest&)> record;
};

// A buffer that exists now, as the harness sees it: it poisons them before a checked run and looks at the guards after.
struct LiveBuffer {
    const DeviceMemory* memory;
    std::string name;
    vk::DeviceSize payloadBytes;
    vk::DeviceSize guardBytes;  // before and after the payload
    Lifetime lifetime;
    std::uint64_t number;  // buffers made before this one
    std::uint64_t elements() const { return payloadBytes / sizeof(std::uint32_t); }
};

class Device : public DeviceDescription {
public:
    // Throws EnvironmentError, and UsageError for a device that is not there.
    explicit Device(const GpuOptions& options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    KernelSources kernelSources;
    Instance instance;
    DeviceChoice choice;
    std::unique_ptr<Backend> backend;
    std::chrono::duration<double> timeout;
    std::string shaderDir;

    std::function<RecordAnswer(const RecordRequest&)> record;  // as in the options
    bool recordsAlone = false;                                 // RecordRequest::alone
    // Tells the options' `phase` what is begun, unless it was told so last.
    void enter(const std::string& phase);
    const std::string& phase() const { return phase_; }

    const vk::PhysicalDeviceLimits& limits() const { return properties.limits; }
    // As solutions see it.
    DeviceFacts facts() const;
    // The dispatch that starts `groups` work-groups, folded over x and y. Kernels find their number with
    // workGroupNumber(). Throws LimitError if the device cannot start so many in one dispatch.
    WorkGroups foldGroups(std::uint64_t groups) const;
    // The dispatch that starts at least `invocations` invocations in work-groups of `workGroup`.
    WorkGroups groupsFor(std::uint64_t invocations, std::uint32_t workGroup) const
    {
        return foldGroups(ceilDiv(invocations, workGroup));
    }

    // Kernels run on the host; no time of theirs means anything. What stands for another device runs none.
    bool isEmulated() const { return instance.isEmulated() && !standsForAnother_; }
    bool isCpu() const { return properties.deviceType == vk::PhysicalDeviceType::eCpu; }
    // Bytes of the largest memory heap that is the device's own.
    vk::DeviceSize deviceHeap() const { return backend->heapBytes(); }
    // How much of it long arrays may take: a sixteenth is left for what is small, such as partial sums and staging.
    vk::DeviceSize usableHeap() const { return deviceHeap() / 16 * 15; }
    // Bytes that are allocated in that heap.
    vk::DeviceSize usedOfDeviceHeap() const { return backend->usedOfHeap(); }

    std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed = false);
    // Runs them and waits. Throws DeviceError, and gives the device up, if it is lost, does not take the work, or takes
    // longer than the time-out.
    void submitAndWait(std::initializer_list<Commands*> commands) { submitAndWait(std::vector<Commands*>(commands)); }
    void submitAndWait(const std::vector<Commands*>& commands);
    // Commands::clockMs of those that have run; likewise.
    std::optional<double> clockMs(const Commands& commands);

    // From here on nothing on this device is destroyed, the device and the instance included, whoever lets go of it,
    // and nothing more is asked of it: it may still be at work, and a driver that is unloaded under its own threads
    // takes the program with it.
    void giveUp(const DeviceError& why);
    const std::optional<DeviceError>& failure() const { return failure_; }
    // Throws that failure again. Whatever makes objects or submits asks first.
    void checkDevice() const
    {
        if (failure_) throw DeviceError(*failure_);
    }

    // Throws LimitError if one buffer cannot be so long.
    void checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const;

    // Milliseconds for which it has run kernels without a longer pause, up to now.
    double awakeMs() const { return msSince(kernelsEnded) > pauseMs ? 0 : busyMs; }
    // They have ended just now, and took so long.
    void ranKernels(double ms)
    {
        busyMs = ms + (msSince(kernelsEnded) - ms > pauseMs ? 0 : busyMs);
        kernelsEnded = Clock::now();
    }

    static constexpr double pauseMs = 500;  // after a longer one it may have turned down its clocks
    Clock::time_point kernelsEnded = {};    // the last of them
    double busyMs = 0;                      // up to then
    std::vector<LiveBuffer> liveBuffers;
    std::uint64_t buffersMade = 0;
    std::map<PipelineKey, PipelineObjects> pipelines;
    std::map<std::string, std::vector<std::uint32_t>> shaders;  // what loadShader gave
    std::map<std::string, std::exception_ptr> brokenShaders;    // and why there is none: a KernelError

    struct Staging {
        Backend::HostMemory memory;
        std::unique_ptr<Commands> commands;
    };
    Staging& staging();  // made on first use

private:
    void standFor(const DeviceFacts& another);
    bool standsForAnother_ = false;
    Staging staging_;
    std::optional<DeviceError> failure_;
    std::function<void(const std::string&)> tellPhase_;
    std::string phase_ = openingPhase;
};

// While it lives, the device is in this phase, and after that in the one before.
class InPhase {
public:
    InPhase(Device& gpu, const std::string& phase);
    ~InPhase();
    InPhase(const InPhase&) = delete;
    InPhase& operator=(const InPhase&) = delete;

private:
    Device& gpu_;
    const std::string before_;
};

// A device that was given up is never destroyed: see giveUp.
struct LetGo {
    void operator()(Device* device) const;
};
using OpenDevice = std::unique_ptr<Device, LetGo>;

// Chooses and opens the device; see Device for what it may throw.
OpenDevice openDevice(const GpuOptions& options);

// What a lost device is reported as.
DeviceError deviceLost();
// Why a device of this program was given up, if one was: the program then ends without destroying anything.
const std::optional<DeviceError>& deviceGivenUp();

}  // namespace a2
