// Solutions that do what a test says, and what the recorder records of them. No device.
#pragma once

#include "recorder/Recorder.h"

#include "A2Task1.h"
#include "A2Task2.h"
#include "a2/Error.h"
#include "recorder/EntryPoints.h"
#include "recorder/Factories.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <stdexcept>

namespace a2::recorded {

inline VkPhysicalDeviceProperties deviceProperties()
{
    VkPhysicalDeviceProperties properties{};
    properties.apiVersion = VK_API_VERSION_1_3;
    std::strcpy(properties.deviceName, "a device");
    VkPhysicalDeviceLimits& limits = properties.limits;
    limits.maxStorageBufferRange = 1 << 27;
    limits.maxPushConstantsSize = 128;
    limits.maxComputeWorkGroupInvocations = 1024;
    limits.minStorageBufferOffsetAlignment = 64;
    for (std::size_t i = 0; i < 3; ++i) {
        limits.maxComputeWorkGroupCount[i] = 65535;
        limits.maxComputeWorkGroupSize[i] = 1024;
    }
    return properties;
}

inline RecordRequest requestFor(std::uint64_t count, const VkPhysicalDeviceProperties& properties = deviceProperties())
{
    RecordRequest request;
    request.task = "reduce/test";
    request.factory = "Test";
    request.shaders = {"Shader"};
    request.shape = {64, 2};
    request.count = count;
    request.device.properties.resize(sizeof properties);
    std::memcpy(request.device.properties.data(), &properties, sizeof properties);
    request.device.int64Atomics = request.device.subgroupArithmetic = true;
    request.device.subgroupSize = 32;
    return request;
}

inline Recording recordingOf(const RecordAnswer& answer)
{
    if (const auto* failure = std::get_if<RecordFailure>(&answer)) {
        ADD_FAILURE() << failure->phase << ": " << failure->what;
        return {};
    }
    return std::get<Recording>(answer);
}

inline Recording recordCourse(const std::string& factory, std::uint64_t count, std::uint32_t elements = 2,
                              const VkPhysicalDeviceProperties& properties = deviceProperties())
{
    RecordRequest request = requestFor(count, properties);
    request.factory = factory;
    request.shape.elements = elements;
    request.shaders = {"First", "Second"};
    if (factory == "LocalScan") request.shaders.pop_back();
    request.offsetCount = factory == "Offset" ? ceilDiv(count, request.shape.tile()) : 0;
    request.runs = 2;
    const Recording recording = recordingOf(recordSolution(request, makeSolution(request)));
    EXPECT_EQ(recording.runs.size(), 2U) << factory;
    EXPECT_TRUE(recording.faults.empty()) << factory;
    for (const RecordedRun& run : recording.runs)
        for (const RecordedFault& fault : run.faults) ADD_FAILURE() << factory << ": " << fault.message;
    EXPECT_EQ(recording.runs.front(), recording.runs.back()) << factory;
    return recording;
}

inline std::vector<RecordedDispatch> dispatchesOf(const RecordedRun& run)
{
    std::vector<RecordedDispatch> found;
    for (const RecordedCommand& one : run.commands)
        if (const auto* dispatch = std::get_if<RecordedDispatch>(&one)) found.push_back(*dispatch);
    return found;
}

inline std::vector<std::uint32_t> wordsOf(const RecordedDispatch& dispatch)
{
    if (dispatch.push.size() != 1 || dispatch.push[0].offset != 0) return {};
    std::vector<std::uint32_t> words(dispatch.push[0].bytes.size() / 4);
    std::memcpy(words.data(), dispatch.push[0].bytes.data(), words.size() * 4);
    return words;
}

// Names of the buffers that are bound to set 0, by binding.
inline std::vector<std::string> boundTo(const Recording& recording, const RecordedDispatch& dispatch)
{
    std::vector<std::string> names;
    if (dispatch.sets.size() == 1 && dispatch.sets[0].number == 0)
        for (const auto& range : recording.sets[dispatch.sets[0].set].ranges)
            names.push_back(recording.buffers[range.buffer].name);
    return names;
}

// A solution that does what a test says, and returns its input.
using Prepare = std::function<void(Gpu& gpu, const Buffer& input)>;
using Record = std::function<void(vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned run)>;

class Scripted : public Solution {
public:
    Scripted(const Given& given, Record record) : Solution(given), record_(std::move(record)) {}
    void record(vk::CommandBuffer cb) override
    {
        if (record_) record_(cb, gpu, input, ++run_);
    }
    const Buffer& result() const override { return input; }

private:
    Record record_;
    unsigned run_ = 0;
};

inline MakeSolution scripted(const Record& record, const Prepare& prepare = {})
{
    return [=](const Given& given) {
        if (prepare) prepare(given.gpu, given.input);
        return std::make_unique<Scripted>(given, record);
    };
}

constexpr std::uint64_t inputElements = 256;  // 1024 bytes

inline RecordAnswer answerTo(const Record& record, const Prepare& prepare = {}, std::uint32_t runs = 1,
                             const RecordingLimits& limits = {})
{
    RecordRequest request = requestFor(inputElements);
    request.runs = runs;
    return recordSolution(request, scripted(record, prepare), {}, limits);
}

inline Recording noted(const Record& record, const Prepare& prepare = {}, std::uint32_t runs = 1)
{
    return recordingOf(answerTo(record, prepare, runs));
}

using Texts = std::vector<std::string>;

inline Texts textsOf(const std::vector<RecordedFault>& faults)
{
    Texts texts;
    for (const RecordedFault& one : faults) texts.push_back(one.rule + ": " + one.message);
    return texts;
}

// The faults of the first run.
inline Texts faultsOf(const Record& record, const Prepare& prepare = {})
{
    const Recording recording = noted(record, prepare);
    return recording.runs.empty() ? Texts{"no run"} : textsOf(recording.runs[0].faults);
}

inline RecordFailure failureOf(const RecordAnswer& answer)
{
    if (const auto* failure = std::get_if<RecordFailure>(&answer)) return *failure;
    ADD_FAILURE() << "it was recorded";
    return {};
}

// With C's names, because Vulkan-Hpp has renamed its own.
constexpr auto pushTemplate =
    static_cast<vk::DescriptorUpdateTemplateType>(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR);
constexpr auto pushLayout =
    static_cast<vk::DescriptorSetLayoutCreateFlagBits>(VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
constexpr auto compute = vk::PipelineBindPoint::eCompute;
constexpr auto computeStage = vk::ShaderStageFlagBits::eCompute;
constexpr std::uint32_t spirv[] = {0x07230203, 0x00010300, 0, 1, 0};

// A pipeline made by hand, and never destroyed: set 0 has `types`, one descriptor each, and 16 bytes may be pushed.
struct Plain {
    explicit Plain(Gpu& gpu, const std::vector<vk::DescriptorType>& types = {vk::DescriptorType::eStorageBuffer},
                   vk::PipelineCreateFlags flags = {}, vk::DescriptorSetLayoutCreateFlags setFlags = {},
                   std::uint32_t descriptors = 1)
        : device(gpu.device())
    {
        std::vector<vk::DescriptorSetLayoutBinding> bindings;
        std::vector<vk::DescriptorPoolSize> sizes;
        for (std::uint32_t i = 0; i < types.size(); ++i) {
            bindings.emplace_back(i, types[i], descriptors, computeStage);
            sizes.emplace_back(types[i], 16);
        }
        setLayout = device.createDescriptorSetLayout({setFlags, bindings});
        const vk::PushConstantRange range(computeStage, 0, 16);
        layout = device.createPipelineLayout({{}, setLayout, range});
        module = device.createShaderModule({{}, sizeof spirv, spirv});
        const vk::PipelineShaderStageCreateInfo stage({}, computeStage, module, "main");
        pipeline = device.createComputePipeline({}, {flags, stage, layout}).value;
        pool = device.createDescriptorPool({vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, 16, sizes});
    }

    vk::DescriptorSet makeSet() { return device.allocateDescriptorSets({pool, setLayout}).front(); }
    void write(vk::DescriptorSet set, std::uint32_t binding, const vk::DescriptorBufferInfo& info,
               vk::DescriptorType type = vk::DescriptorType::eStorageBuffer) const
    {
        device.updateDescriptorSets(vk::WriteDescriptorSet(set, binding, 0, 1, type, nullptr, &info), {});
    }
    void bind(vk::CommandBuffer cb, vk::DescriptorSet set, const std::vector<std::uint32_t>& offsets = {}) const
    {
        cb.bindPipeline(compute, pipeline);
        cb.bindDescriptorSets(compute, layout, 0, set, offsets);
    }

    vk::Device device;
    vk::DescriptorSetLayout setLayout;
    vk::PipelineLayout layout;
    vk::ShaderModule module;
    vk::Pipeline pipeline;
    vk::DescriptorPool pool;
};

inline void nameIt(Gpu& gpu, vk::DescriptorSet set, const char* name)
{
    gpu.device().setDebugUtilsObjectNameEXT(
        {vk::ObjectType::eDescriptorSet, numberOf(static_cast<VkDescriptorSet>(set)), name});
}

// A command buffer made by the solution.
inline vk::CommandBuffer ownBuffer(Gpu& gpu, vk::CommandBufferLevel level)
{
    const vk::CommandPool pool =
        gpu.device().createCommandPool({vk::CommandPoolCreateFlagBits::eResetCommandBuffer, 0});
    return gpu.device().allocateCommandBuffers({pool, level, 1}).front();
}

using Names = std::vector<std::string>;
using Words = std::vector<std::uint32_t>;

}  // namespace a2::recorded
