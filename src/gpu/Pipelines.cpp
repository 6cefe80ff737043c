#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/DeviceLimits.h"
#include "gpu/KernelCheck.h"
#include "gpu/PipelineObjects.h"
#include "gpu/Shaders.h"
#include "recording/Bindings.h"
#include "spirv/MemoryBarriers.h"
#include "spirv/SilentInstructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace a2 {

namespace {

// Checks limits that a driver may notice too late.
void checkLimits(const Device& gpu, const PipelineKey& key, const PipelineObjects& made)
{
    checkShape(gpu, key.shape);
    checkKernel(gpu, made.name, *made.facts, key.shape);
    const std::uint32_t most = gpu.limits().maxPushConstantsSize;
    if (key.pushBytes() > most)
        throw KernelError(
            fmt::format("{}: {} bytes of push constants are more than this device's maxPushConstantsSize of {}; pass "
                        "more through a buffer",
                        made.name, key.pushBytes(), most));
}

// Checks a layout, which a driver may not do.
void checkLayout(const Device& gpu, const PipelineKey& key, const std::string& name)
{
    const auto& limits = gpu.limits();
    const auto check = [&](std::uint64_t asked, std::uint32_t most, const char* what) {
        if (asked > most)
            throw KernelError(fmt::format("{}: its pipeline layout has {}, more than this device's {} of {}", name,
                                          asked, what, most));
    };
    check(key.sets.size(), limits.maxBoundDescriptorSets, "maxBoundDescriptorSets");
    std::uint64_t storage = 0, uniform = 0, dynamicStorage = 0, dynamicUniform = 0;
    for (const RecordedSetLayout& set : key.sets)
        for (const RecordedSetLayout::Binding& one : set.bindings) {
            (isUniform(one.type) ? uniform : storage) += one.count;
            if (isDynamic(one.type)) (isUniform(one.type) ? dynamicUniform : dynamicStorage) += one.count;
        }
    check(storage, limits.maxPerStageDescriptorStorageBuffers, "maxPerStageDescriptorStorageBuffers");
    check(uniform, limits.maxPerStageDescriptorUniformBuffers, "maxPerStageDescriptorUniformBuffers");
    check(dynamicStorage, limits.maxDescriptorSetStorageBuffersDynamic, "maxDescriptorSetStorageBuffersDynamic");
    check(dynamicUniform, limits.maxDescriptorSetUniformBuffersDynamic, "maxDescriptorSetUniformBuffersDynamic");
}

// Compares the bindings that a kernel declares with its pipeline's layout.
void checkBindings(const PipelineKey& key, const PipelineObjects& made)
{
    for (const KernelBinding& one : made.facts->bindings) {
        if (one.set >= key.sets.size() && (one.reads || one.writes))  // a driver may look there nevertheless
            throw KernelError(fmt::format(
                "{}: '{}' is in set {} (binding {}) in the kernel, and its pipeline's layout "
                "has {} descriptor set{}: ComputePipeline makes set 0",
                made.name, one.name, one.set, one.binding, key.sets.size(), key.sets.size() == 1 ? "" : "s"));
        if (one.set >= key.sets.size()) continue;
        const RecordedSetLayout::Binding* slot = bindingOf(key.sets[one.set], one.binding);
        if (!slot || isUniform(slot->type) == one.uniform) continue;
        const char* const names[] = {"storage", "uniform"};
        throw KernelError(
            fmt::format("{}: binding {} of set {} ('{}') is a {} buffer in the kernel, and a {} buffer in the "
                        "pipeline's layout: give its descriptor set layout the kernel's type",
                        made.name, one.binding, one.set, one.name, names[one.uniform], names[!one.uniform]));
    }
}

// A module may have several entry points, or none of this name.
void checkEntry(const PipelineKey& key, const std::string& name)
{
    bool found = false;
    forEachInstruction(std::span<const std::uint32_t>(key.code), [&](spv::Op opcode, SpirvWords words) {
        if (opcode != spv::OpEntryPoint || words[1] != spv::ExecutionModelGLCompute) return;
        const auto bytes = std::as_bytes(std::span(words.begin(), words.end())).subspan(3 * sizeof(std::uint32_t));
        const auto* const text = reinterpret_cast<const char*>(bytes.data());
        found = found ||
                std::string_view(text, bytes.size()).substr(0, std::string_view(text, bytes.size()).find(char{})) ==
                    key.entry;
    });
    if (!found) throw KernelError(fmt::format("{} has no compute entry point '{}'", name, key.entry));
}

// Vulkan has no limit for an invocation's own memory: a driver that cannot provide it crashes, or takes the memory from
// everything else.
void checkArrays(const std::string& name, const KernelFacts& facts)
{
    constexpr std::uint64_t mostOwnBytes = 64 << 10;
    if (!facts.ownBytes || !facts.sharedBytes)
        throw KernelError(
            fmt::format("{}: an array's length could not be computed; write it as whole numbers and "
                        "specialisation constants, not as vectors",
                        name));
    if (facts.empty)
        throw KernelError(fmt::format(
            "{}: '{}' has no elements with these specialisation constants; give it at least one", name, *facts.empty));
    if (*facts.ownBytes > mostOwnBytes)
        throw KernelError(
            fmt::format("{}: each invocation's own variables take {} bytes, and a2 runs kernels with at most "
                        "{}; put large arrays into a buffer",
                        name, *facts.ownBytes, mostOwnBytes));
}

std::vector<RecordedPipeline::Constant> constantsOf(const PipelineKey& key)
{
    if (key.shader.empty()) return key.constants;
    std::vector<RecordedPipeline::Constant> all;
    for (const auto& [id, value] : Specialisation(key.shape).values) {
        std::vector<std::uint8_t> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        all.push_back({id, std::move(bytes)});
    }
    return all;
}

// Only the constants of 4 bytes.
Specialisation wordConstants(const std::vector<RecordedPipeline::Constant>& constants)
{
    Specialisation words;
    for (const RecordedPipeline::Constant& one : constants)
        if (one.bytes.size() == sizeof(std::uint32_t)) words.add(one.id, one.bytes);
    return words;
}

// The SPIR-V that this driver gets for a kernel.
std::vector<std::uint32_t> wordsFor(const Device& gpu, std::span<const std::uint32_t> spirv)
{
    const bool whole = gpu.features.has(VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME) ||
                       gpu.instance.validation() == Validation::prints;
    std::vector<std::uint32_t> words =
        whole ? std::vector<std::uint32_t>(spirv.begin(), spirv.end()) : withoutSilentInstructions(spirv);
    // Mesa's CPU driver (22.3 and others) treats a memory barrier as one that all invocations of a work-group must
    // reach. In a loop that some subgroups run longer than others, such as a waiting loop, these then lose the rest of
    // their program.
    return gpu.driver.driverID == vk::DriverId::eMesaLlvmpipe ? withoutMemoryBarriers(SpirvModule(words)) : words;
}

std::span<const std::uint32_t> codeOf(Device& gpu, const PipelineKey& key)
{
    return key.shader.empty() ? key.code : loadShader(gpu, key.shader);
}

PipelineObjects build(Device& gpu, const PipelineKey& key)
{
    gpu.checkDevice();
    PipelineObjects made;
    made.name = kernelName(key.shader);
    checkLayout(gpu, key, made.name);
    if (key.shader.empty()) {
        checkKernel(made.name, key.code);
        readKernel(made.name, [&] { return checkEntry(key, made.name); });
    }
    const std::span<const std::uint32_t> spirv = codeOf(gpu, key);
    const Specialisation constants = wordConstants(constantsOf(key));
    made.facts = readKernel(made.name, [&] { return kernelFacts(spirv, constants); });
    checkArrays(made.name, *made.facts);
    checkLimits(gpu, key, made);
    checkBindings(key, made);

    made.pipeline = gpu.backend->makePipeline(made.name, key.sets, key.pushBytes());
    return made;
}

}  // namespace

std::uint32_t PipelineKey::pushBytes() const { return pushBytesOf(push); }

PipelineObjects& pipelineFor(Device& gpu, const PipelineKey& key)
{
    auto found = gpu.pipelines.find(key);
    if (found == gpu.pipelines.end()) {
        found = gpu.pipelines.emplace(key, build(gpu, key)).first;
        found->second.key = &found->first;
    }
    return found->second;
}

const DevicePipeline& compiled(Device& gpu, PipelineObjects& objects)
{
    if (objects.isCompiled) return *objects.pipeline;
    const InPhase compiling(gpu, fmt::format("{} (compiling {})", gpu.phase(), objects.name));
    const PipelineKey& key = *objects.key;
    const std::vector<std::uint32_t> words = wordsFor(gpu, codeOf(gpu, key));
    gpu.backend->compile(*objects.pipeline, {words, key.entry, constantsOf(key), key.dispatchBase});
    objects.isCompiled = true;
    return *objects.pipeline;
}

}  // namespace a2
