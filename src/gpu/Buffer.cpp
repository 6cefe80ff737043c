#include "a2/Buffer.h"

#include "a2/Error.h"
#include "gpu/DeviceLimits.h"
#include "gpu/GpuState.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr auto bufferUsage = vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferSrc |
                             vk::BufferUsageFlagBits::eTransferDst;

}  // namespace

Buffer::Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime)
    : gpu_(&gpu),
      elements_(std::max<std::uint64_t>(1, elements)),
      guardBytes_(gpu.state().instance.validation() == Validation::gpu ? 0 : guardBytes)
{
    GpuState& state = gpu.state();
    state.checkDevice();
    state.checkBufferBytes(bytes() + 2 * guardBytes_, name);
    buffer_ = vk::raii::Buffer(state.device, vk::BufferCreateInfo({}, bytes() + 2 * guardBytes_, bufferUsage));
    state.setName(*buffer_, name);
    memory_ =
        std::make_unique<Allocation>(state.allocate(*buffer_, name, {}, vk::MemoryPropertyFlagBits::eDeviceLocal));
    (*state.device).bindBufferMemory(*buffer_, *memory_->memory, 0);
    state.liveBuffers.push_back({*buffer_, name, bytes(), guardBytes_, lifetime, state.buffersMade++});
}

Buffer::Buffer(Buffer&& other) noexcept
    : gpu_(other.gpu_),
      elements_(other.elements_),
      memory_(std::move(other.memory_)),
      buffer_(std::move(other.buffer_)),
      guardBytes_(other.guardBytes_)
{
}

Buffer::~Buffer()
{
    if (!memory_) return;  // moved from
    std::erase_if(gpu_->state().liveBuffers, [&](const LiveBuffer& live) { return live.handle == *buffer_; });
}

std::string Buffer::name() const
{
    for (const LiveBuffer& live : gpu_->state().liveBuffers)
        if (live.handle == handle()) return live.name;
    return {};
}

BufferSlice Buffer::slice(std::uint64_t first, std::uint64_t count) const
{
    if (first > elements_ || count > elements_ - first)
        throw KernelError(fmt::format("{} elements from element {} on of buffer '{}' were asked for, which has {}",
                                      count, first, name(), elements_));
    if (first % sliceAlignment != 0)  // not every device would notice
        throw KernelError(
            fmt::format("a slice of buffer '{}' starts at element {}: it must be a multiple of {}, so that every "
                        "device can bind it",
                        name(), first, sliceAlignment));
    return {*this, first, count};
}

vk::DescriptorBufferInfo Buffer::descriptor() const { return BufferSlice(*this).descriptor(); }

vk::DescriptorBufferInfo BufferSlice::descriptor() const
{
    checkBinding(*buffer_->gpu_, count_, buffer_->name());
    constexpr std::uint64_t elementBytes = sizeof(std::uint32_t);
    const vk::DeviceSize most = buffer_->gpu_->limits().maxStorageBufferRange;
    const bool last = first_ + count_ == buffer_->elements();
    const vk::DeviceSize range = count_ * elementBytes + (last ? buffer_->guardBytes_ : 0);
    return {buffer_->handle(), buffer_->guardBytes_ + first_ * elementBytes, std::min(range, most)};
}

}  // namespace a2
