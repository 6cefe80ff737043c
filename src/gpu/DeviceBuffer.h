// A storage buffer of uint32 elements in the memory of the real device.
#pragma once

#include "a2/Buffer.h"
#include "gpu/Backend.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace a2 {

class Device;
class BoundElements;

// Guard words lie before and after the elements, so that a2 notices a kernel that writes outside its array. (Not under
// GPU-assisted validation: the layer checks accesses against the whole buffer, so the buffer must end where the array
// ends.)
class DeviceBuffer {
public:
    // `name` is what RenderDoc, validation messages and diagnoses call it. At least one element is allocated.
    // Throws LimitError if the device cannot hold it.
    DeviceBuffer(Device& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime = Lifetime::run);
    // The same with a length in bytes, for an array that a solution made.
    static DeviceBuffer ofBytes(Device& gpu, const std::string& name, vk::DeviceSize bytes, Lifetime lifetime);
    ~DeviceBuffer();
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;

    const DeviceMemory* memory() const { return memory_.get(); }
    std::uint64_t elements() const { return bytes_ / sizeof(std::uint32_t); }
    vk::DeviceSize bytes() const { return bytes_; }
    vk::DeviceSize firstByte() const { return guardBytes_; }  // offset of element 0 in memory()
    // Elements `first` to `first + count`; without arguments, all whole words of the array.
    Region region(std::uint64_t first, std::uint64_t count) const
    {
        return {memory(), firstByte() + first * sizeof(std::uint32_t), count};
    }
    Region region() const { return region(0, elements()); }
    Lifetime lifetime() const { return lifetime_; }

    // Bytes `offset` to `offset + bytes` of the array as a descriptor set binds them. At the array's end the range
    // includes the guard, where that fits the device's range limit: drivers may drop writes after the range, and a
    // dropped write would not be noticed. Not for kernels that ask for the array's length (Replay).
    BoundRange range(vk::DeviceSize offset, vk::DeviceSize bytes) const;
    // The range for a barrier: with the guard, because the validation layer misses a barrier that covers less than what
    // is bound.
    BoundRange ordered(vk::DeviceSize offset, vk::DeviceSize bytes) const;

    static constexpr vk::DeviceSize guardBytes = 256;  // the largest minStorageBufferOffsetAlignment Vulkan allows
    static constexpr std::uint64_t sliceAlignment = guardBytes / sizeof(std::uint32_t);  // elements

private:
    friend class BoundElements;
    struct Bytes {
        vk::DeviceSize count;
    };
    DeviceBuffer(Device& gpu, const std::string& name, Bytes bytes, Lifetime lifetime);

    Device* gpu_;
    std::string name_;
    vk::DeviceSize bytes_;
    Lifetime lifetime_;
    std::unique_ptr<DeviceMemory> memory_;
    vk::DeviceSize guardBytes_;
};

// All or some of a buffer's elements, as one binding shows them to a kernel. The buffer must outlive it.
class BoundElements {
public:
    BoundElements(const DeviceBuffer& buffer) : BoundElements(buffer, 0, buffer.elements()) {}
    // first: a multiple of DeviceBuffer::sliceAlignment.
    BoundElements(const DeviceBuffer& buffer, std::uint64_t first, std::uint64_t count)
        : buffer_(&buffer), first_(first), count_(count)
    {
    }

    // What a descriptor set binds. Throws LimitError if it is too long for one binding of this device.
    BoundRange descriptor() const;
    std::uint64_t count() const { return count_; }

private:
    const DeviceBuffer* buffer_;
    std::uint64_t first_, count_;
};

// Copies between host memory and the buffer, through a host-visible staging buffer: as many elements as the span has,
// from element 0 on; no more than the buffer has. Both functions wait until the copy is done.
void fillDevice(Device& gpu, const DeviceBuffer& buffer, std::span<const std::uint32_t> values);
void fillHost(Device& gpu, const DeviceBuffer& buffer, std::span<std::uint32_t> values);

}  // namespace a2
