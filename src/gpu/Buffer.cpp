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
    : gpu_(&gpu), elements_(std::max<std::uint64_t>(1, elements))
{
    GpuState& state = gpu.state();
    state.checkBytes(bytes(), name);
    buffer_ = vk::raii::Buffer(state.device, vk::BufferCreateInfo({}, bytes() + 2 * guardBytes, bufferUsage));
    state.setName(*buffer_, name);
    memory_ = state.allocate(*buffer_, name, {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
    allocated_ = (*state.device).getBufferMemoryRequirements(*buffer_).size;
    (*state.device).bindBufferMemory(*buffer_, *memory_, 0);
    state.liveBuffers.push_back({*buffer_, name, bytes()});
}

Buffer::Buffer(Buffer&& other) noexcept
    : gpu_(other.gpu_), elements_(other.elements_), memory_(std::move(other.memory_)), buffer_(std::move(other.buffer_)),
      allocated_(std::exchange(other.allocated_, 0))
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
    // Under GPU-assisted validation the range is exact: there the layer reports a stray access by itself.
    const bool exact = gpu_->state().instance.validation() == Validation::gpu;
    const vk::DeviceSize range = exact ? bytes() : bytes() + guardBytes;
    return {handle(), guardBytes, std::min<vk::DeviceSize>(range, gpu_->limits().maxStorageBufferRange)};
}

}  // namespace a2
