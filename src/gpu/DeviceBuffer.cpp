#include "gpu/DeviceBuffer.h"

#include "gpu/Device.h"
#include "gpu/DeviceLimits.h"

#include <algorithm>

namespace a2 {

DeviceBuffer::DeviceBuffer(Device& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime)
    : DeviceBuffer(gpu, name, Bytes{std::max<std::uint64_t>(1, elements) * sizeof(std::uint32_t)}, lifetime)
{
}

DeviceBuffer DeviceBuffer::ofBytes(Device& gpu, const std::string& name, vk::DeviceSize bytes, Lifetime lifetime)
{
    return {gpu, name, Bytes{bytes}, lifetime};
}

DeviceBuffer::DeviceBuffer(Device& gpu, const std::string& name, Bytes bytes, Lifetime lifetime)
    : gpu_(&gpu),
      name_(name),
      bytes_(bytes.count),
      lifetime_(lifetime),
      guardBytes_(gpu.instance.validation() == Validation::gpu ? 0 : guardBytes)
{
    gpu.checkDevice();
    gpu.checkBufferBytes(bytes_ + 2 * guardBytes_, name);
    memory_ = gpu.backend->makeMemory(name, bytes_ + 2 * guardBytes_);
    gpu.liveBuffers.push_back({memory(), name, bytes_, guardBytes_, lifetime, gpu.buffersMade++});
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : gpu_(other.gpu_),
      name_(std::move(other.name_)),
      bytes_(other.bytes_),
      lifetime_(other.lifetime_),
      memory_(std::move(other.memory_)),
      guardBytes_(other.guardBytes_)
{
}

DeviceBuffer::~DeviceBuffer()
{
    if (!memory_) return;  // moved from
    std::erase_if(gpu_->liveBuffers, [&](const LiveBuffer& live) { return live.memory == memory(); });
}

BoundRange DeviceBuffer::range(vk::DeviceSize offset, vk::DeviceSize bytes) const
{
    BoundRange bound = ordered(offset, bytes);
    bound.bytes = std::min<vk::DeviceSize>(bound.bytes, gpu_->limits().maxStorageBufferRange);
    return bound;
}

BoundRange DeviceBuffer::ordered(vk::DeviceSize offset, vk::DeviceSize bytes) const
{
    const bool last = offset + bytes == bytes_;
    return {memory(), guardBytes_ + offset, bytes + (last ? guardBytes_ : 0)};
}

BoundRange BoundElements::descriptor() const
{
    checkBinding(*buffer_->gpu_, count_, buffer_->name_);
    const bool toTheEnd = first_ + count_ == buffer_->elements();  // with the last bytes that make no element
    const vk::DeviceSize offset = first_ * sizeof(std::uint32_t);
    return buffer_->range(offset, toTheEnd ? buffer_->bytes() - offset : count_ * sizeof(std::uint32_t));
}

}  // namespace a2
