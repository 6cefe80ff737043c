// The real device: only a2's own code uses it. The code of solutions sees include/a2/Gpu.h instead.
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

// The phases of a device (GpuOptions::phase) until a more exact one is reported: at first, and once the device is open.
constexpr const char *openingPhase = "opening the device", *workingPhase = "working on the device";

struct GpuOptions {
    std::string device;       // see chooseDevice
    bool mayEmulate = false;  // use the emulator where there is no driver and no device is named
    unsigned rankHere = 0;    // see chooseDevice
    // Nothing is opened and nothing runs: recordings are made for this device, which may be in another machine.
    std::optional<DeviceFacts> standsFor;
    Validation validation = Validation::off;
    const ElementType* element = &ElementType::uint32;  // element type of kernels that include A2Element.h
    std::string shaderDir;     // compile kernels from here when the program starts; empty: the project's
    std::string jail;          // a program that starts the compiler of kernels; empty: it is started directly
    KernelSources::Note note;  // called for kernels that differ from the built-in ones
    std::chrono::duration<double> timeout{60.0};  // for one submit
    bool plainArithmetic = false;                 // tests: a device without subgroup arithmetic and 64-bit atomics
    bool plainAtomics = false;                    // tests: one without 64-bit atomics
    std::uint32_t bindingLimit = 0;  // bytes; tests: a device whose maxStorageBufferRange is no more. 0: its own
    // Called with each new phase of the work on the device: if the driver ends the program, the last one says what it
    // was doing.
    std::function<void(const std::string& phase)> phase;
    // Makes the recordings of solutions.
    std::function<RecordAnswer(const RecordRequest&)> record;
};

// A buffer that exists now. The harness poisons these before a checked run and looks at their guards after it.
struct LiveBuffer {
    const DeviceMemory* memory;
    std::string name;
    vk::DeviceSize payloadBytes;
    vk::DeviceSize guardBytes;  // before and after the payload
    Lifetime lifetime;
    std::uint64_t number;  // how many buffers were made before this one
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
    // Reports a phase to the options' `phase`, unless it was the last one reported.
    void enter(const std::string& phase);
    const std::string& phase() const { return phase_; }

    const vk::PhysicalDeviceLimits& limits() const { return properties.limits; }
    // The facts that solutions see.
    DeviceFacts facts() const;
    // The dispatch that starts `groups` work-groups, folded over x and y. Kernels find their number with
    // workGroupNumber(). Throws LimitError if the device cannot start so many in one dispatch.
    WorkGroups foldGroups(std::uint64_t groups) const;
    // The dispatch that starts at least `invocations` invocations in work-groups of `workGroup`.
    WorkGroups groupsFor(std::uint64_t invocations, std::uint32_t workGroup) const
    {
        return foldGroups(ceilDiv(invocations, workGroup));
    }

    // If true, kernels run on the host, and their times mean nothing. A device that stands for another one runs none.
    bool isEmulated() const { return instance.isEmulated() && !standsForAnother_; }
    bool isCpu() const { return properties.deviceType == vk::PhysicalDeviceType::eCpu; }
    // Bytes of the largest device-local memory heap.
    vk::DeviceSize deviceHeap() const { return backend->heapBytes(); }
    // How much of it long arrays may take: a sixteenth is left for small things, such as partial sums and staging.
    vk::DeviceSize usableHeap() const { return deviceHeap() / 16 * 15; }
    // Bytes that are allocated in that heap.
    vk::DeviceSize usedOfDeviceHeap() const { return backend->usedOfHeap(); }

    std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed = false);
    // Runs them and waits. Throws DeviceError, and gives the device up, if it is lost, does not take the work, or takes
    // longer than the time-out.
    void submitAndWait(std::initializer_list<Commands*> commands) { submitAndWait(std::vector<Commands*>(commands)); }
    void submitAndWait(const std::vector<Commands*>& commands);
    // Commands::clockMs of commands that have run. If it throws DeviceError, the device is given up, too.
    std::optional<double> clockMs(const Commands& commands);

    // After this, nothing on this device is destroyed, not even the device and the instance, whichever code releases
    // them, and the device gets no more calls: it may still be at work, and unloading a driver whose threads still run
    // would crash the program.
    void giveUp(const DeviceError& why);
    const std::optional<DeviceError>& failure() const { return failure_; }
    // Throws that failure again. Functions that make objects or submit work call this first.
    void checkDevice() const
    {
        if (failure_) throw DeviceError(*failure_);
    }

    // Throws LimitError if one buffer cannot be so long.
    void checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const;

    // For how many milliseconds, up to now, it has run kernels without a longer pause.
    double awakeMs() const { return msSince(kernelsEnded) > pauseMs ? 0 : busyMs; }
    // Kernels have just ended, after this time.
    void ranKernels(double ms)
    {
        busyMs = ms + (msSince(kernelsEnded) - ms > pauseMs ? 0 : busyMs);
        kernelsEnded = Clock::now();
    }

    static constexpr double pauseMs = 500;  // after a longer pause the device may have reduced its clocks
    Clock::time_point kernelsEnded = {};    // when the last kernels ended
    double busyMs = 0;                      // until then
    std::vector<LiveBuffer> liveBuffers;
    std::uint64_t buffersMade = 0;
    std::map<PipelineKey, PipelineObjects> pipelines;
    std::map<std::string, std::vector<std::uint32_t>> shaders;  // what loadShader gave
    std::map<std::string, std::exception_ptr> brokenShaders;    // why loadShader failed: a KernelError

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

// While it lives, the device is in this phase; after that it is in the earlier one again.
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

// The error that reports a lost device.
DeviceError deviceLost();
// Why a device of this program was given up, if one was: the program then ends without destroying its objects.
const std::optional<DeviceError>& deviceGivenUp();

}  // namespace a2
