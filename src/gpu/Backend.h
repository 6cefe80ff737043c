// The interface to what runs kernels: a Vulkan device (VulkanBackend.h), or the emulator (EmulatedBackend.h).
// Everything that differs between the two is implemented there; buffers, recordings and times only use this interface.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"
#include "gpu/DeviceFeatures.h"
#include "recording/Recording.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace a2 {

struct GpuOptions;

// A device as its driver describes it, and the parts of it that a2 uses.
struct DeviceDescription {
    vk::PhysicalDeviceProperties properties;
    vk::PhysicalDeviceDriverProperties driver;  // zero where the driver is older than Vulkan 1.2
    vk::DeviceSize maxAllocation = 0;           // bytes that one allocation can always have; it may get more
    vk::DeviceSize maxBuffer = 0;               // bytes in one buffer; 0 where the device does not say
    DeviceFeatures features;                    // those that kernels may use
    std::uint32_t subgroupSize = 0;
    vk::SubgroupFeatureFlags subgroupOperations;
    bool subgroupArithmetic = false;  // in compute shaders
    bool int64Atomics = false;        // on storage buffers
    std::uint32_t timestampBits = 0;  // 0: it has no clock

    // Removes what the options for tests ask to be without.
    void narrow(const GpuOptions& options);
};

// Device memory for one array. Its address is its identity.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
};

// A number of its words, from a byte offset on.
struct Region {
    const DeviceMemory* memory = nullptr;
    std::uint64_t firstByte = 0;
    std::uint64_t words = 0;
};

// A part of an array as a descriptor set binds it, in bytes.
struct BoundRange {
    const DeviceMemory* memory = nullptr;
    std::uint64_t offset = 0, bytes = 0;
};

// A kernel in one shape, and its layout.
class DevicePipeline {
public:
    virtual ~DevicePipeline() = default;
};

class DeviceSet {
public:
    virtual ~DeviceSet() = default;

    // What a new set shall contain.
    struct Contents {
        struct Range {
            std::uint32_t binding = 0, element = 0;
            BoundRange bound;
        };
        const RecordedSetLayout* layout = nullptr;
        std::string name;  // for debuggers
        std::vector<Range> ranges;
    };
};

// One dispatch with all the state that it needs.
struct Launch {
    struct Set {
        std::uint32_t number = 0;
        const DeviceSet* set = nullptr;
        std::vector<std::uint32_t> dynamicOffsets;  // bytes
        bool operator==(const Set&) const = default;
    };
    const DevicePipeline* pipeline = nullptr;
    std::vector<Set> sets;                                 // by set number
    std::vector<RecordedDispatch::Push> push;              // by offset
    std::array<std::uint32_t, 3> base{}, groups{1, 1, 1};  // work-groups
    std::string label;                                     // for debuggers
};

// Recorded commands. Backend::run runs them one after the other, ordered by their barriers.
class Commands {
public:
    virtual ~Commands() = default;

    virtual void begin() = 0;  // forgets what was recorded
    virtual void end() = 0;
    // After this, the next dispatch sets all of its state, even what the dispatch before has set.
    virtual void forgetState() {}

    virtual void dispatch(Launch launch) = 0;
    // Offsets and lengths are in bytes, and must be as Vulkan's commands of these names require.
    virtual void fill(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) = 0;
    virtual void update(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::uint8_t> data) = 0;
    virtual void copy(const BoundRange& from, const DeviceMemory& to, std::uint64_t offset) = 0;

    // Access to a part of one array or, if no memory is named, to all memory.
    struct Dependency {
        vk::AccessFlags from, to;
        BoundRange part = {};
    };
    virtual void barrier(vk::PipelineStageFlags from, vk::PipelineStageFlags to,
                         std::span<const Dependency> dependencies) = 0;

    // The clock times what lies between these two calls, with a full barrier before and after it. They do nothing where
    // the device has no clock.
    virtual void startClock() {}
    virtual void stopClock() {}
    // Milliseconds between the two calls, once the commands have run; empty where there is no such time. Throws
    // DeviceError if the device is lost.
    virtual std::optional<double> clockMs() const { return std::nullopt; }

    void fill(const Region& region, std::uint32_t word)
    {
        fill(*region.memory, region.firstByte, region.words * sizeof word, word);
    }
    void update(const DeviceMemory& memory, std::uint64_t offset, std::uint32_t word)
    {
        update(memory, offset, std::span(reinterpret_cast<const std::uint8_t*>(&word), sizeof word));
    }
    void barrier(vk::PipelineStageFlags from, vk::AccessFlags before, vk::PipelineStageFlags to, vk::AccessFlags after)
    {
        const Dependency one{before, after};
        barrier(from, to, std::span(&one, 1));
    }
    // All later commands see the effects of all earlier ones.
    void fullBarrier()
    {
        constexpr auto everything = vk::AccessFlagBits::eMemoryRead | vk::AccessFlagBits::eMemoryWrite;
        barrier(vk::PipelineStageFlagBits::eAllCommands, everything, vk::PipelineStageFlagBits::eAllCommands,
                everything);
    }
};

// A kernel that is compiled.
struct KernelCode {
    std::span<const std::uint32_t> words;  // SPIR-V
    std::string entry;
    std::vector<RecordedPipeline::Constant> constants;
    bool dispatchBase = false;  // work-group numbers may begin at another number than 0
};

class Backend {
public:
    virtual ~Backend() = default;

    // name: for debuggers and messages. Throws LimitError where there is not enough memory.
    virtual std::unique_ptr<DeviceMemory> makeMemory(const std::string& name, std::uint64_t bytes) = 0;
    // Memory that the host can access, too.
    struct HostMemory {
        std::unique_ptr<DeviceMemory> memory;
        std::span<std::uint32_t> words;
    };
    virtual HostMemory makeHostMemory(const std::string& name, std::uint64_t words) = 0;
    // Makes the layout alone; compile() makes the rest, which may crash a driver.
    virtual std::unique_ptr<DevicePipeline> makePipeline(const std::string& name,
                                                         const std::vector<RecordedSetLayout>& sets,
                                                         std::uint32_t pushBytes) = 0;
    virtual void compile(DevicePipeline& pipeline, const KernelCode& code) = 0;
    virtual std::vector<std::unique_ptr<DeviceSet>> makeSets(std::span<const DeviceSet::Contents> contents) = 0;
    // timed: startClock() will be called.
    virtual std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed) = 0;

    // Runs them in this order, and waits; false where the device has not finished in time. Throws DeviceError for a
    // device that is lost or will never finish, and NotFollowedError for what an emulator does not support.
    virtual bool run(std::span<Commands* const> commands, std::chrono::duration<double> timeout) = 0;

    // Size in bytes of the largest device-local heap, and how many of these bytes are allocated.
    virtual std::uint64_t heapBytes() const = 0;
    virtual std::uint64_t usedOfHeap() const = 0;

    // After this, the device gets no more calls, and nothing is destroyed (Device::giveUp).
    virtual void abandon() {}
};

// The error for a lack of memory: `what` needs that many bytes, and `used` bytes of the heap are in use.
LimitError heapIsFull(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap);
LimitError memoryRefused(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap,
                         std::uint64_t maxAllocation);

// "1.5 GiB"
std::string sizeText(double bytes);
inline std::string sizeText(std::uint64_t bytes) { return sizeText(static_cast<double>(bytes)); }

}  // namespace a2
