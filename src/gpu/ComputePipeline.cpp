#include "a2/ComputePipeline.h"

#include "A2Kernels.h"
#include "a2/Error.h"
#include "gpu/DeviceLimits.h"
#include "gpu/GpuState.h"
#include "gpu/Shaders.h"

#include <fmt/format.h>

#include <array>

namespace a2 {

namespace {

constexpr std::uint32_t setsPerPool = 64;

// What a driver may not notice before it is too late.
void checkLimits(const Gpu& gpu, const PipelineKey& key, const KernelFacts& facts, const KernelShape& shape)
{
    checkShape(gpu, shape);
    checkKernel(gpu, key.shader, facts, shape);
    const std::uint32_t most = gpu.limits().maxPushConstantsSize;
    if (key.pushBytes > most)
        throw KernelError(
            fmt::format("{}: {} bytes of push constants are more than this device's maxPushConstantsSize of {}; pass "
                        "more through a buffer",
                        key.shader, key.pushBytes, most));
}

// Memory of an invocation's own has no limit in Vulkan: a driver that cannot have it ends, or takes memory from all
// else.
void checkArrays(const PipelineKey& key, const KernelFacts& facts)
{
    constexpr std::uint64_t mostOwnBytes = 64 << 10;
    if (!facts.ownBytes || !facts.sharedBytes)
        throw KernelError(
            fmt::format("{}: an array's length could not be computed; write it as whole numbers and "
                        "specialisation constants, not as vectors",
                        key.shader));
    if (*facts.ownBytes > mostOwnBytes)
        throw KernelError(
            fmt::format("{}: each invocation's own variables take {} bytes, and a2 runs kernels with at most "
                        "{}; put large arrays into a buffer",
                        key.shader, *facts.ownBytes, mostOwnBytes));
}

PipelineObjects build(Gpu& gpu, const PipelineKey& key, const KernelShape& shape)
{
    GpuState& state = gpu.state();
    state.checkDevice();
    const auto spirv = loadShader(state, key.shader);
    PipelineObjects made;
    made.facts = shaderFacts(state, key.shader, shape);
    checkArrays(key, made.facts);
    checkLimits(gpu, key, made.facts, shape);
    made.groupCheck = readKernel(key.shader, [&] { return WorkGroupCheck(spirv, shape); });

    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < key.bindings; ++i)
        bindings.emplace_back(i, vk::DescriptorType::eStorageBuffer, 1, vk::ShaderStageFlagBits::eCompute);

    made.setLayout = vk::raii::DescriptorSetLayout(state.device, vk::DescriptorSetLayoutCreateInfo({}, bindings));
    const vk::PushConstantRange range(vk::ShaderStageFlagBits::eCompute, 0, key.pushBytes);
    made.layout = vk::raii::PipelineLayout(state.device, vk::PipelineLayoutCreateInfo({}, *made.setLayout, range));

    const vk::raii::ShaderModule module(
        state.device, vk::ShaderModuleCreateInfo({}, spirv.size() * sizeof(std::uint32_t), spirv.data()));
    const std::array<std::uint32_t, 5> values = {shape.workGroup, shape.elements, shape.exclusive ? 1U : 0U,
                                                 shape.places, shape.banks};
    const std::array<vk::SpecializationMapEntry, 5> entries = {
        vk::SpecializationMapEntry(SPEC_WORK_GROUP, 0, sizeof(std::uint32_t)),
        vk::SpecializationMapEntry(SPEC_ELEMENTS, 4, sizeof(std::uint32_t)),
        vk::SpecializationMapEntry(SPEC_EXCLUSIVE, 8, sizeof(std::uint32_t)),
        vk::SpecializationMapEntry(SPEC_PLACES, 12, sizeof(std::uint32_t)),
        vk::SpecializationMapEntry(SPEC_BANKS, 16, sizeof(std::uint32_t)),
    };
    // Without a wish for other banks, the last one is left out: the kernel then has the header's.
    const auto given = static_cast<std::uint32_t>(entries.size() - (shape.banks == 0 ? 1 : 0));
    const vk::SpecializationInfo specialisation(given, entries.data(), sizeof values, values.data());
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main",
                                                  &specialisation);
    made.pipeline = vk::raii::Pipeline(state.device, nullptr, vk::ComputePipelineCreateInfo({}, stage, *made.layout));

    state.setName(*module, key.shader);
    state.setName(*made.setLayout, key.shader + " set layout");
    state.setName(*made.layout, key.shader + " pipeline layout");
    state.setName(*made.pipeline, key.shader);
    return made;
}

}  // namespace

ComputePipeline::ComputePipeline(Gpu& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                                 const KernelShape& shape)
    : gpu_(&gpu), shader_(shader), bindings_(bindings)
{
    GpuState& state = gpu.state();
    const PipelineKey key{shader,       shape.workGroup, shape.elements, shape.exclusive ? 1U : 0U,
                          shape.places, shape.banks,     bindings,       pushBytes};
    auto found = state.pipelines.find(key);
    if (found == state.pipelines.end()) found = state.pipelines.emplace(key, build(gpu, key, shape)).first;
    objects_ = &found->second;
}

vk::Pipeline ComputePipeline::pipeline() const { return *objects_->pipeline; }
vk::PipelineLayout ComputePipeline::layout() const { return *objects_->layout; }

vk::DescriptorSet ComputePipeline::makeDescriptorSet(const std::vector<BufferSlice>& buffers)
{
    GpuState& state = gpu_->state();
    state.checkDevice();
    std::vector<vk::DescriptorBufferInfo> infos;
    for (const BufferSlice& buffer : buffers) infos.push_back(buffer.descriptor());

    if (sets_.size() == pools_.size() * setsPerPool) {  // the last pool is used up
        const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer, setsPerPool * bindings_);
        pools_.emplace_back(state.device, vk::DescriptorPoolCreateInfo(
                                              vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, setsPerPool, size));
        state.setName(*pools_.back(), shader_ + " descriptor pool");
    }
    const vk::DescriptorSetLayout setLayout = *objects_->setLayout;
    vk::raii::DescriptorSets made(state.device, vk::DescriptorSetAllocateInfo(*pools_.back(), setLayout));
    sets_.push_back(std::move(made.front()));
    const vk::DescriptorSet set = *sets_.back();
    state.setName(set, shader_ + " descriptor set");

    std::vector<vk::WriteDescriptorSet> writes;
    for (std::uint32_t i = 0; i < infos.size(); ++i)
        writes.emplace_back(set, i, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &infos[i]);
    gpu_->device().updateDescriptorSets(writes, {});
    return set;
}

}  // namespace a2
