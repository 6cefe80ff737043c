// What runs kernels: a Vulkan device (VulkanBackend.h), or the emulator (EmulatedBackend.h). What depends on which of
// them it is stands behind this seam; buffers, recordings and times are made of what it offers.
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

// A device as its driver describes it, and what a2 uses of it.
struct DeviceDescription {
    vk::PhysicalDeviceProperties properties;
    vk::PhysicalDeviceDriverProperties driver;  // zero where the driver is older than Vulkan 1.2
    vk::DeviceSize maxAllocation = 0;           // bytes that one allocation can be sure of; it may be given more
    vk::DeviceSize maxBuffer = 0;               // bytes in one buffer; 0 where the device does not tell
    DeviceFeatures features;                    // that kernels may use
    std::uint32_t subgroupSize = 0;
    vk::SubgroupFeatureFlags subgroupOperations;
    bool subgroupArithmetic = false;  // in compute shaders
    bool int64Atomics = false;        // on storage buffers
    std::uint32_t timestampBits = 0;  // 0: it has no clock

    // Takes away what the options' tests want to be without.
    void narrow(const GpuOptions& options);
};

// Memory of a device for one array; it is the same one where its address is the same.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
};

// Words of it, from a byte on.
struct Region {
    const DeviceMemory* memory = nullptr;
    std::uint64_t firstByte = 0;
    std::uint64_t words = 0;
};

// A part of an array as a descriptor set binds it. Bytes.
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

    // What a set is asked for with.
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
    std::vector<Set> sets;                                 // by number
    std::vector<RecordedDispatch::Push> push;              // by offset
    std::array<std::uint32_t, 3> base{}, groups{1, 1, 1};  // work-groups
    std::string label;                                     // for debuggers
};

// Commands that are recorded, and run by Backend::run, one after the other as barriers order them.
class Commands {
public:
    virtual ~Commands() = default;

    virtual void begin() = 0;  // anew: what was recorded is forgotten
    virtual void end() = 0;
    // The next dispatch sets all of its state, also what the one before has set.
    virtual void forgetState() {}

    virtual void dispatch(Launch launch) = 0;
    // Offsets and lengths in bytes, as Vulkan's commands of these names want them.
    virtual void fill(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) = 0;
    virtual void update(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::uint8_t> data) = 0;
    virtual void copy(const BoundRange& from, const DeviceMemory& to, std::uint64_t offset) = 0;

    // Access to a part of one array, or with no memory named, to all memory.
    struct Dependency {
        vk::AccessFlags from, to;
        BoundRange part = {};
    };
    virtual void barrier(vk::PipelineStageFlags from, vk::PipelineStageFlags to,
                         std::span<const Dependency> dependencies) = 0;

    // Between the two is what is timed, with a full barrier around it. Nothing where the device has no clock.
    virtual void startClock() {}
    virtual void stopClock() {}
    // Milliseconds between them, once the commands have run; empty where there is no such time.
    // Throws DeviceError if the device is lost.
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
    // All that comes later sees all that came before.
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
    bool dispatchBase = false;  // work-groups may be numbered from another one than the first
};

class Backend {
public:
    virtual ~Backend() = default;

    // name: what debuggers and messages call it. Throws LimitError where there is not so much.
    virtual std::unique_ptr<DeviceMemory> makeMemory(const std::string& name, std::uint64_t bytes) = 0;
    // Words that the host sees, too.
    struct HostMemory {
        std::unique_ptr<DeviceMemory> memory;
        std::span<std::uint32_t> words;
    };
    virtual HostMemory makeHostMemory(const std::string& name, std::uint64_t words) = 0;
    // The layout alone; compile() makes the rest, which a driver need not survive.
    virtual std::unique_ptr<DevicePipeline> makePipeline(const std::string& name,
                                                         const std::vector<RecordedSetLayout>& sets,
                                                         std::uint32_t pushBytes) = 0;
    virtual void compile(DevicePipeline& pipeline, const KernelCode& code) = 0;
    virtual std::vector<std::unique_ptr<DeviceSet>> makeSets(std::span<const DeviceSet::Contents> contents) = 0;
    // timed: startClock() will be called.
    virtual std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed) = 0;

    // Runs them in this order, and waits; false where the device has not come to an end in time. Throws DeviceError
    // for a device that never will, or is lost, and NotFollowedError for what an emulator does not know.
    virtual bool run(std::span<Commands* const> commands, std::chrono::duration<double> timeout) = 0;

    // Bytes of the largest heap that is the device's own, and how many of them are allocated.
    virtual std::uint64_t heapBytes() const = 0;
    virtual std::uint64_t usedOfHeap() const = 0;

    // Nothing more is asked of the device, and nothing is destroyed (Device::giveUp).
    virtual void abandon() {}
};

// What is said where memory lacks: of `what`, which needs so many bytes beside those in use in a heap.
LimitError heapIsFull(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap);
LimitError memoryRefused(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap,
                         std::uint64_t maxAllocation);

// "1.5 GiB"
std::string sizeText(double bytes);
inline std::string sizeText(std::uint64_t bytes) { return sizeText(static_cast<double>(bytes)); }

}  // namespace a2
