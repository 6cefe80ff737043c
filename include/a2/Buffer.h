// A storage buffer of uint32 elements in device memory.
#pragma once

#include "a2/Gpu.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace a2 {

class BufferSlice;
struct Allocation;  // src/gpu/GpuState.h

// How long the contents of a buffer last: for one run, or from run to run: filled in prepare(), and left by each run as
// the next one needs them. The harness overwrites the others before each judged run, so that no run can live on what an
// earlier one left behind.
enum class Lifetime { run, solution };

// Guard words lie before and after the elements, so that a kernel that writes outside its array is found out. (Not
// under GPU-assisted validation: the layer holds accesses against the whole buffer, so that must end where the array
// ends.)
//
// It may be longer than what one binding of this device takes; a kernel then sees it in slices (a2/Slices.h).
class Buffer {
public:
    // `name` is what RenderDoc, validation messages and diagnoses call it. At least one element is allocated.
    // Throws LimitError if the device cannot hold it.
    Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime = Lifetime::run);
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&&) = delete;

    vk::Buffer handle() const { return *buffer_; }
    std::uint64_t elements() const { return elements_; }
    vk::DeviceSize bytes() const { return elements_ * sizeof(std::uint32_t); }
    vk::DeviceSize firstByte() const { return guardBytes_; }  // where element 0 lies in handle()

    // Elements first .. first + count - 1. Throws KernelError if they are not all there, or if `first` is no multiple
    // of sliceAlignment.
    BufferSlice slice(std::uint64_t first, std::uint64_t count) const;

    // Throws LimitError if one binding of this device does not take all elements.
    vk::DescriptorBufferInfo descriptor() const;

    static constexpr vk::DeviceSize guardBytes = 256;  // the largest minStorageBufferOffsetAlignment Vulkan allows
    static constexpr std::uint32_t guardWord = 0xC0DEFACE;
    static constexpr std::uint64_t sliceAlignment = guardBytes / sizeof(std::uint32_t);  // elements

private:
    friend class BufferSlice;
    std::string name() const;

    Gpu* gpu_;
    std::uint64_t elements_;
    std::unique_ptr<Allocation> memory_;
    vk::raii::Buffer buffer_ = nullptr;
    vk::DeviceSize guardBytes_;
};

// A run of a buffer's elements that one binding shows to a kernel: an array of its own, from index 0 on. A Buffer
// stands for all of its elements. The buffer must outlive it.
class BufferSlice {
public:
    BufferSlice(const Buffer& buffer) : BufferSlice(buffer, 0, buffer.elements()) {}

    std::uint64_t first() const { return first_; }
    std::uint64_t count() const { return count_; }

    // What a descriptor set binds: the elements, and behind the buffer's last one also the guard, where that fits the
    // device's range limit (drivers may drop writes behind the range, and a dropped write would go unnoticed).
    // Throws LimitError if one binding of this device does not take so many.
    vk::DescriptorBufferInfo descriptor() const;

private:
    friend class Buffer;
    BufferSlice(const Buffer& buffer, std::uint64_t first, std::uint64_t count)
        : buffer_(&buffer), first_(first), count_(count)
    {
    }

    const Buffer* buffer_;
    std::uint64_t first_, count_;
};

// Copy host memory into the buffer, and the buffer into host memory, through a host-visible staging buffer.
// As many elements as the span has, from element 0; no more than the buffer has. They wait until the copy is done.
void fillDeviceWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<const std::uint32_t> values);
void fillHostWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<std::uint32_t> values);

}  // namespace a2
