// The device behind a Gpu: everything that the harness needs and a solution does not.
#pragma once

#include "Clock.h"
#include "a2/Buffer.h"
#include "gpu/DeviceChoice.h"
#include "gpu/Instance.h"
#include "gpu/KernelSources.h"
#include "gpu/PipelineObjects.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace a2 {

struct GpuOptions {
    std::string device;  // see chooseDevice
    Validation validation = Validation::off;
    std::string shaderDir;  // compile kernels from here when the program starts; empty: the project's
    KernelSources::Note note;  // told about kernels that are not the ones built in
    std::chrono::duration<double> timeout{60.0};  // for one submit
    bool plainArithmetic = false;                 // tests: a device without subgroup arithmetic and 64-bit atomics
    bool plainAtomics = false;                    // tests: one without 64-bit atomics
    std::uint32_t bindingLimit = 0;  // bytes; tests: a device whose maxStorageBufferRange is no more. 0: its own
};

// "1.5 GiB"
std::string sizeText(double bytes);
inline std::string sizeText(vk::DeviceSize bytes) { return sizeText(static_cast<double>(bytes)); }

// A buffer that exists now, as the harness sees it: it poisons them before a checked run and looks at the guards after.
struct LiveBuffer {
    vk::Buffer handle;
    std::string name;
    vk::DeviceSize payloadBytes;
    vk::DeviceSize guardBytes;  // before and after the payload
    Lifetime lifetime;
    std::uint64_t number;  // buffers made before this one
};

class GpuState {
public:
    explicit GpuState(const GpuOptions& options);
    ~GpuState();

    KernelSources kernelSources;
    Instance instance;
    DeviceChoice choice;
    vk::raii::PhysicalDevice physical = nullptr;
    vk::PhysicalDeviceProperties properties;
    vk::PhysicalDeviceDriverProperties driver;
    vk::PhysicalDeviceMemoryProperties memory;
    vk::DeviceSize maxAllocation = 0;  // bytes that one allocation can be sure of; it may be given more
    vk::DeviceSize maxBuffer = 0;      // bytes in one buffer; 0 where the device does not tell
    std::uint32_t subgroupSize = 0;
    bool subgroupArithmetic = false;  // in compute shaders
    bool int64Atomics = false;        // on storage buffers
    std::uint32_t timestampBits = 0;
    vk::raii::Device device = nullptr;
    vk::raii::Queue queue = nullptr;
    std::uint32_t queueFamily = 0;
    vk::raii::CommandPool commandPool = nullptr;
    std::chrono::duration<double> timeout;
    std::string shaderDir;

    bool isCpu() const { return properties.deviceType == vk::PhysicalDeviceType::eCpu; }
    // Bytes of the largest memory heap that is the device's own.
    vk::DeviceSize deviceHeap() const;
    // How much of it long arrays may take: a sixteenth is left for what is small, such as partial sums and staging.
    vk::DeviceSize usableHeap() const { return deviceHeap() / 16 * 15; }

    // Submits and waits. Throws DeviceError if the device is lost or takes longer than the time-out.
    void submitAndWait(const std::vector<vk::CommandBuffer>& commands);
    vk::raii::CommandBuffer makeCommandBuffer(const std::string& name);

    // Memory for a buffer, counted against the heap before the driver is asked. Throws LimitError.
    vk::raii::DeviceMemory allocate(vk::Buffer buffer, const std::string& what, vk::MemoryPropertyFlags wanted,
                                    vk::MemoryPropertyFlags preferred);
    void release(vk::DeviceSize bytes) { allocatedBytes -= bytes; }
    // Throws LimitError if one buffer cannot be so long.
    void checkBufferBytes(vk::DeviceSize bytes, const std::string& what) const;

    template <class Handle>
    void setName(Handle handle, const std::string& name) const
    {
        if (!VULKAN_HPP_DEFAULT_DISPATCHER.vkSetDebugUtilsObjectNameEXT) return;
        const auto value = (std::uint64_t)(static_cast<typename Handle::CType>(handle));
        (*device).setDebugUtilsObjectNameEXT(vk::DebugUtilsObjectNameInfoEXT(Handle::objectType, value, name.c_str()));
    }

    // Since the last run of kernels, or since ever.
    double idleMs() const { return msSince(kernelsEnded); }

    Clock::time_point kernelsEnded = {};  // as TimedRun sees it
    std::vector<LiveBuffer> liveBuffers;
    std::uint64_t buffersMade = 0;
    vk::DeviceSize allocatedBytes = 0;
    std::map<PipelineKey, PipelineObjects> pipelines;
    std::map<std::string, std::vector<std::uint32_t>> shaders;  // what loadShader gave
    std::map<std::string, std::string> brokenShaders;           // and why there is none

    struct Staging {
        vk::raii::DeviceMemory memory = nullptr;
        vk::raii::Buffer buffer = nullptr;
        std::uint32_t* words = nullptr;
        std::uint64_t capacity = 0;  // words
        vk::raii::CommandBuffer commands = nullptr;
    };
    Staging& staging();  // made on first use

private:
    void openDevice(bool withInt64Atomics);
    [[noreturn]] void fail(const std::string& message, bool timedOut);
    Staging staging_;
    vk::raii::Fence fence_ = nullptr;
};

// Chooses and opens the device; see GpuState for what it may throw.
std::unique_ptr<GpuState> openGpu(const GpuOptions& options);

}  // namespace a2
