#include "gpu/EmulatedBackend.h"

#include "base/BuildFacts.h"
#include "base/Clock.h"
#include "gpu/NotFollowed.h"
#include "recording/Bindings.h"
#include "spirv/EmulatedBuffer.h"
#include "spirv/Emulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint32_t emulatedVersion = VK_API_VERSION_1_2;
constexpr std::uint32_t mostPushBytes = 256;
// More than a device of graphics memory tells; a2 asks for no more than the host has.
constexpr std::uint64_t emulatedHeap = std::uint64_t{4} << 30;

// Counts as written from the start: the judge's own walk looks for reads of unwritten words (judge/EmulatedLook.h).
class EmulatedMemory : public DeviceMemory {
public:
    EmulatedMemory(std::uint64_t bytes, std::uint64_t& used) : contents(bytes), used_(used)
    {
        contents.fill(0, bytes, 0);
        used_ += bytes;
    }
    ~EmulatedMemory() override { used_ -= contents.bytes(); }
    EmulatedMemory(const EmulatedMemory&) = delete;
    EmulatedMemory& operator=(const EmulatedMemory&) = delete;

    mutable EmulatedBuffer contents;  // kernels and commands change it

private:
    std::uint64_t& used_;
};

EmulatedBuffer& contentsOf(const DeviceMemory& memory) { return static_cast<const EmulatedMemory&>(memory).contents; }

class EmulatedPipeline : public DevicePipeline {
public:
    std::optional<EmulatedKernel> kernel;
    std::string name;     // of the kernel
    std::string problem;  // why there is no kernel
};

class EmulatedSet : public DeviceSet {
public:
    struct Range {
        BoundRange bound;  // without memory: nothing is bound
        bool dynamic = false;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Range> ranges;  // all of its layout, by binding and element
};

std::string placeText(const KernelLine& where)
{
    if (where.line == 0) return "";
    return fmt::format("{}:{}: ", where.file.substr(where.file.find_last_of("/\\") + 1), where.line);
}

// The error of a run: it is unknown what this kernel does.
NotFollowedError notFollowed(const EmulatedPipeline& pipeline, const std::string& why)
{
    return NotFollowedError(
        fmt::format("kernel {} is not followed by the emulator{}; only a device can judge it", pipeline.name, why));
}

// Throws the reason why a walk has not finished, unless it only ran out of time.
void throwFault(const EmulatedPipeline& pipeline, const Emulated& walked)
{
    if (walked.unknown)
        throw notFollowed(pipeline, fmt::format(": {}{}", placeText(walked.unknown->where), walked.unknown->what));
    for (const KernelFinding& one : walked.findings)
        if (one.rule == "endless-loop")
            throw DeviceError(
                fmt::format("kernel {} does not end: {}{}", pipeline.name, placeText(one.where), one.what), true);
    if (!walked.overBudget) throw notFollowed(pipeline, ", and the reason is not known");
}

void bind(const Launch& launch, EmulatedDispatch& dispatch)
{
    for (const Launch::Set& set : launch.sets) {
        auto offset = set.dynamicOffsets.begin();
        for (const auto& [place, range] : static_cast<const EmulatedSet&>(*set.set).ranges) {
            std::uint64_t moved = 0;
            if (range.dynamic && offset != set.dynamicOffsets.end()) moved = *offset++;
            if (!range.bound.memory) continue;
            EmulatedBinding& binding = dispatch.bindings.emplace_back();
            binding.set = set.number;
            binding.binding = place.first;
            binding.element = place.second;
            binding.buffer = &contentsOf(*range.bound.memory);
            binding.offset = range.bound.offset + moved;
            const std::uint64_t end = std::min(binding.offset + range.bound.bytes, binding.buffer->bytes());
            binding.bytes = end - std::min(end, binding.offset);
        }
    }
}

// False if the time is over. Throws as throwFault does, and also if there is no kernel.
bool runKernel(const Launch& launch, Clock::time_point end)
{
    const auto& pipeline = static_cast<const EmulatedPipeline&>(*launch.pipeline);
    if (!pipeline.kernel) throw notFollowed(pipeline, ": " + pipeline.problem);
    EmulatedDispatch dispatch;
    dispatch.kernel = &*pipeline.kernel;
    dispatch.base = launch.base;
    dispatch.groups = launch.groups;
    dispatch.push.resize(mostPushBytes);
    for (const RecordedDispatch::Push& one : launch.push)
        std::copy_n(one.bytes.begin(), std::min<std::size_t>(one.bytes.size(), mostPushBytes - one.offset),
                    dispatch.push.begin() + std::ptrdiff_t{one.offset});
    bind(launch, dispatch);
    EmulatorSettings settings;
    settings.checks = false;  // the judge's own walk looks for races
    settings.budget = settings.mostTurns = UINT64_MAX;
    settings.ends = [end] { return Clock::now() >= end; };
    const Emulated walked = emulate(dispatch, settings);
    if (!walked.complete) throwFault(pipeline, walked);
    return walked.complete && Clock::now() < end;
}

// Each command is finished before the next one begins, so barriers need to order nothing.
class EmulatedCommands : public Commands {
public:
    void begin() override { commands_.clear(); }
    void end() override {}
    void dispatch(Launch launch) override
    {
        commands_.emplace_back([launch = std::move(launch)](Clock::time_point end) { return runKernel(launch, end); });
    }
    void fill(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override
    {
        add([&memory, offset, bytes, word] { contentsOf(memory).fill(offset, bytes, word); });
    }
    void update(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::uint8_t> data) override
    {
        add([&memory, offset, data = std::vector<std::uint8_t>(data.begin(), data.end())] {
            contentsOf(memory).update(offset, data);
        });
    }
    void copy(const BoundRange& from, const DeviceMemory& to, std::uint64_t offset) override
    {
        add([from, &to, offset] { contentsOf(to).copy(contentsOf(*from.memory), from.offset, offset, from.bytes); });
    }
    void barrier(vk::PipelineStageFlags, vk::PipelineStageFlags, std::span<const Dependency>) override {}

    bool run(Clock::time_point end) const
    {
        return std::all_of(commands_.begin(), commands_.end(), [&](const Command& one) { return one(end); });
    }

private:
    using Command = std::function<bool(Clock::time_point end)>;  // false if it did not finish
    template <class Work>
    void add(Work work)
    {
        commands_.emplace_back([work = std::move(work)](Clock::time_point) {
            work();
            return true;
        });
    }
    std::vector<Command> commands_;
};

// "1.2.3"
std::uint32_t packedVersion(const char* text)
{
    unsigned major = 0, minor = 0, patch = 0;
    static_cast<void>(std::sscanf(text, "%u.%u.%u", &major, &minor, &patch));
    return VK_MAKE_API_VERSION(0, major, minor, patch);
}

// Limits that have nothing to do with compute work stay 0.
VkPhysicalDeviceLimits limitsOfAUsualDevice()
{
    VkPhysicalDeviceLimits limits = {};
    limits.maxUniformBufferRange = 1 << 16;
    limits.maxStorageBufferRange = 1 << 30;
    limits.maxPushConstantsSize = mostPushBytes;
    limits.maxMemoryAllocationCount = 4096;
    limits.maxBoundDescriptorSets = 8;
    limits.maxPerStageDescriptorUniformBuffers = limits.maxDescriptorSetUniformBuffers = 16;
    limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 64;
    limits.maxPerStageResources = 128;
    limits.maxDescriptorSetUniformBuffersDynamic = 8;
    limits.maxDescriptorSetStorageBuffersDynamic = 8;
    limits.maxComputeSharedMemorySize = 48 << 10;
    for (std::uint32_t& count : limits.maxComputeWorkGroupCount) count = 65535;
    limits.maxComputeWorkGroupInvocations = 1024;
    limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = 1024;
    limits.maxComputeWorkGroupSize[2] = 64;
    limits.minMemoryMapAlignment = 64;
    limits.minStorageBufferOffsetAlignment = 16;
    limits.minUniformBufferOffsetAlignment = 64;
    limits.nonCoherentAtomSize = 64;
    limits.timestampPeriod = 1;
    return limits;
}

template <std::size_t size>
void put(vk::ArrayWrapper1D<char, size>& to, const char* text)
{
    std::strncpy(to.data(), text, size - 1);
}

}  // namespace

DeviceCandidate emulatorCandidate()
{
    DeviceCandidate one;
    one.name = "a2 emulator";
    one.type = vk::PhysicalDeviceType::eCpu;
    one.apiVersion = emulatedVersion;
    one.queueFamily = 0;
    return one;
}

// It has no timestamps: the times of an emulator say nothing about a kernel.
DeviceDescription describeEmulator()
{
    using Operation = vk::SubgroupFeatureFlagBits;
    DeviceDescription made;
    made.properties.apiVersion = emulatedVersion;
    made.properties.driverVersion = packedVersion(buildFacts.version);
    made.properties.deviceType = vk::PhysicalDeviceType::eCpu;
    put(made.properties.deviceName, emulatorCandidate().name.c_str());
    made.properties.limits = limitsOfAUsualDevice();
    put(made.driver.driverName, "a2");
    put(made.driver.driverInfo, buildFacts.version);
    made.maxAllocation = emulatedHeap;
    made.subgroupSize = EmulatorSettings().subgroupSize;
    made.subgroupOperations = Operation::eBasic | Operation::eVote | Operation::eArithmetic | Operation::eBallot |
                              Operation::eShuffle | Operation::eShuffleRelative | Operation::eClustered |
                              Operation::eQuad | Operation::ePartitionedNV;
    made.subgroupArithmetic = true;
    made.features = DeviceFeatures::all();
    made.features.addSubgroup(made.subgroupOperations);
    return made;
}

EmulatedBackend::EmulatedBackend(const GpuOptions& options, DeviceDescription& described)
{
    described = describeEmulator();
    described.narrow(options);
}

std::uint64_t EmulatedBackend::heapBytes() const { return emulatedHeap; }

std::unique_ptr<DeviceMemory> EmulatedBackend::makeMemory(const std::string& name, std::uint64_t bytes)
{
    if (used_ + bytes > emulatedHeap) throw heapIsFull(name, bytes, used_, emulatedHeap);
    try {
        return std::make_unique<EmulatedMemory>(bytes, used_);
    } catch (const std::bad_alloc&) {
        throw memoryRefused(name, bytes, used_, emulatedHeap, emulatedHeap);
    }
}

Backend::HostMemory EmulatedBackend::makeHostMemory(const std::string& name, std::uint64_t words)
{
    HostMemory made;
    made.memory = makeMemory(name, words * sizeof(std::uint32_t));
    made.words = contentsOf(*made.memory).words();
    return made;
}

std::unique_ptr<DevicePipeline> EmulatedBackend::makePipeline(const std::string& name,
                                                              const std::vector<RecordedSetLayout>&, std::uint32_t)
{
    auto made = std::make_unique<EmulatedPipeline>();
    made->name = name;
    return made;
}

void EmulatedBackend::compile(DevicePipeline& pipeline, const KernelCode& code)
{
    auto& made = static_cast<EmulatedPipeline&>(pipeline);
    Specialisation constants;
    for (const RecordedPipeline::Constant& one : code.constants) constants.add(one.id, one.bytes);
    try {
        made.kernel.emplace(SpirvModule(code.words), constants);
    } catch (const KernelError& error) {
        made.problem = error.what();
    }
}

std::vector<std::unique_ptr<DeviceSet>> EmulatedBackend::makeSets(std::span<const DeviceSet::Contents> contents)
{
    std::vector<std::unique_ptr<DeviceSet>> all;
    for (const DeviceSet::Contents& one : contents) {
        auto made = std::make_unique<EmulatedSet>();
        for (const RecordedSetLayout::Binding& binding : one.layout->bindings)
            for (std::uint32_t element = 0; element < binding.count; ++element)
                made->ranges[{binding.number, element}].dynamic = isDynamic(binding.type);
        for (const DeviceSet::Contents::Range& range : one.ranges)
            made->ranges.at({range.binding, range.element}).bound = range.bound;
        all.push_back(std::move(made));
    }
    return all;
}

std::unique_ptr<Commands> EmulatedBackend::makeCommands(const std::string&, bool)
{
    return std::make_unique<EmulatedCommands>();
}

bool EmulatedBackend::run(std::span<Commands* const> commands, std::chrono::duration<double> timeout)
{
    const auto now = Clock::now();
    const std::chrono::duration<double> most = Clock::time_point::max() - now;
    const auto end =
        timeout < most ? now + std::chrono::duration_cast<Clock::duration>(timeout) : Clock::time_point::max();
    return std::all_of(commands.begin(), commands.end(),
                       [&](const Commands* one) { return static_cast<const EmulatedCommands&>(*one).run(end); });
}

}  // namespace a2
