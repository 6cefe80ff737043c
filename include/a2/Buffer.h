// A storage buffer of uint32 elements in device memory.
#pragma once

#include "a2/Gpu.h"

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

// Guard words lie before and after the elements, so that a kernel that writes outside its array is found out. (Not
// under GPU-assisted validation: the layer holds accesses against the whole buffer, so that must end where the array
// ends.)
class Buffer {
public:
    // `name` is what RenderDoc, validation messages and diagnoses call it. At least one element is allocated.
    // Throws LimitError if the device cannot bind or hold it.
    Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements);
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&&) = delete;

    vk::Buffer handle() const { return *buffer_; }
    std::uint64_t elements() const { return elements_; }
    vk::DeviceSize bytes() const { return elements_ * sizeof(std::uint32_t); }
    vk::DeviceSize firstByte() const { return guardBytes_; }  // where element 0 lies in handle()

    // What a descriptor set binds: the elements, and the guard behind them where that fits the device's range limit
    // (drivers may drop writes behind the range, and a dropped write would go unnoticed).
    vk::DescriptorBufferInfo descriptor() const;

    static constexpr vk::DeviceSize guardBytes = 256;  // the largest minStorageBufferOffsetAlignment Vulkan allows
    static constexpr std::uint32_t guardWord = 0xC0DEFACE;

private:
    Gpu* gpu_;
    std::uint64_t elements_;
    vk::raii::DeviceMemory memory_ = nullptr;
    vk::raii::Buffer buffer_ = nullptr;
    vk::DeviceSize allocated_ = 0;
    vk::DeviceSize guardBytes_;
};

// Copy host memory into the buffer, and the buffer into host memory, through a host-visible staging buffer.
// As many elements as the span has, from element 0; no more than the buffer has. They wait until the copy is done.
void fillDeviceWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<const std::uint32_t> values);
void fillHostWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<std::uint32_t> values);

}  // namespace a2
