#include "gpu/DeviceKernel.h"

#include "a2/Error.h"
#include "gpu/Device.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr std::uint32_t setsPerPool = 64;

PipelineKey keyOf(const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes, const KernelShape& shape)
{
    PipelineKey key;
    key.shader = shader;
    key.shape = shape;
    RecordedSetLayout& set = key.sets.emplace_back();
    for (std::uint32_t i = 0; i < bindings; ++i) set.bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    if (pushBytes > 0) key.push.push_back({0, pushBytes});
    return key;
}

}  // namespace

DeviceKernel::DeviceKernel(Device& gpu, const std::string& shader, std::uint32_t bindings, std::uint32_t pushBytes,
                           const KernelShape& shape)
    : gpu_(&gpu),
      objects_(&pipelineFor(gpu, keyOf(shader, bindings, pushBytes, shape))),
      shader_(shader),
      bindings_(bindings)
{
    for (const KernelBinding& one : objects_->facts->bindings)
        if (one.set != 0 || one.binding >= bindings)
            throw KernelError(
                fmt::format("{} declares '{}' at set {}, binding {}, where nothing is bound: the buffers of "
                            "this kernel are bindings 0 to {} of set 0",
                            shader, one.name, one.set, one.binding, bindings - 1));
}

vk::DescriptorSet DeviceKernel::makeDescriptorSet(const std::vector<BoundElements>& buffers)
{
    gpu_->checkDevice();
    std::vector<vk::DescriptorBufferInfo> infos;
    for (const BoundElements& buffer : buffers) infos.push_back(buffer.descriptor());

    if (sets_.size() == pools_.size() * setsPerPool) {  // the last pool is used up
        const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer, setsPerPool * bindings_);
        pools_.emplace_back(gpu_->device, vk::DescriptorPoolCreateInfo(
                                              vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, setsPerPool, size));
        gpu_->setName(*pools_.back(), shader_ + " descriptor pool");
    }
    const vk::DescriptorSetLayout setLayout = *objects_->setLayouts.front();
    vk::raii::DescriptorSets made(gpu_->device, vk::DescriptorSetAllocateInfo(*pools_.back(), setLayout));
    sets_.push_back(std::move(made.front()));
    const vk::DescriptorSet set = *sets_.back();
    gpu_->setName(set, shader_ + " descriptor set");

    std::vector<vk::WriteDescriptorSet> writes;
    for (std::uint32_t i = 0; i < infos.size(); ++i)
        writes.emplace_back(set, i, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &infos[i]);
    (*gpu_->device).updateDescriptorSets(writes, {});
    return set;
}

}  // namespace a2
