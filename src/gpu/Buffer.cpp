#include "a2/Buffer.h"

#include "a2/Error.h"
#include "gpu/GpuState.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr auto bufferUsage = vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferSrc |
                             vk::BufferUsageFlagBits::eTransferDst;

}  // namespace

Buffer::Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements)
    : gpu_(&gpu),
      elements_(std::max<std::uint64_t>(1, elements)),
      guardBytes_(gpu.state().instance.validation() == Validation::gpu ? 0 : guardBytes)
{
    GpuState& state = gpu.state();
    state.checkBytes(bytes(), name);
    buffer_ = vk::raii::Buffer(state.device, vk::BufferCreateInfo({}, bytes() + 2 * guardBytes_, bufferUsage));
    state.setName(*buffer_, name);
    memory_ = state.allocate(*buffer_, name, {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
    allocated_ = (*state.device).getBufferMemoryRequirements(*buffer_).size;
    (*state.device).bindBufferMemory(*buffer_, *memory_, 0);
    state.liveBuffers.push_back({*buffer_, name, bytes(), guardBytes_, state.buffersMade++});
}

Buffer::Buffer(Buffer&& other) noexcept
    : gpu_(other.gpu_),
      elements_(other.elements_),
      memory_(std::move(other.memory_)),
      buffer_(std::move(other.buffer_)),
      allocated_(std::exchange(other.allocated_, 0)),
      guardBytes_(other.guardBytes_)
{
}

Buffer::~Buffer()
{
    if (!allocated_) return;  // moved from
    GpuState& state = gpu_->state();
    std::erase_if(state.liveBuffers, [&](const LiveBuffer& live) { return live.handle == *buffer_; });
    state.release(allocated_);
}

vk::DescriptorBufferInfo Buffer::descriptor() const
{
    return {handle(), guardBytes_,
            std::min<vk::DeviceSize>(bytes() + guardBytes_, gpu_->limits().maxStorageBufferRange)};
}

}  // namespace a2
