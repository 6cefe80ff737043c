// A storage buffer of uint32 elements in device memory.
#pragma once

#include "a2/Gpu.h"

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

class BufferSlice;

// How long the contents of a buffer last. `run`: for one run; the harness overwrites the buffer before each judged run,
// so that no run can use what an earlier one left behind. `solution`: from run to run; the buffer is filled where the
// solution is made, and each run leaves it as the next one needs it.
enum class Lifetime { run, solution };

// Where the recording is replayed, guard words lie before and after the elements, so that a2 notices a kernel that
// writes outside its array.
//
// A buffer may be longer than one binding of this device can be; a kernel then sees it in slices (a2/Slices.h). Whether
// the device has enough memory is only known when the recording is replayed.
class Buffer {
public:
    // `name` is what RenderDoc, validation messages and diagnoses call it. At least one element is allocated.
    // Throws LimitError if no device could hold it.
    Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime = Lifetime::run);
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&&) = delete;

    vk::Buffer handle() const { return buffer_; }  // element 0 is its first word
    std::uint64_t elements() const { return elements_; }
    vk::DeviceSize bytes() const { return elements_ * sizeof(std::uint32_t); }

    // Elements first .. first + count - 1. Throws KernelError if they are not all there, or if `first` is no multiple
    // of sliceAlignment.
    BufferSlice slice(std::uint64_t first, std::uint64_t count) const;

    // What a descriptor set binds: all elements. Throws LimitError if they are too many for one binding of this device.
    vk::DescriptorBufferInfo descriptor() const;

    static constexpr std::uint64_t sliceAlignment = elementsOfAlignment;  // elements

private:
    friend class BufferSlice;

    Gpu* gpu_;
    std::uint64_t elements_;
    vk::Buffer buffer_;  // null once it was moved from
};

// A range of a buffer's elements that one binding shows to a kernel, which sees an array that begins at index 0. A
// Buffer converts to the slice of all of its elements. The buffer must outlive the slice.
class BufferSlice {
public:
    BufferSlice(const Buffer& buffer) : BufferSlice(buffer, 0, buffer.elements()) {}

    std::uint64_t first() const { return first_; }
    std::uint64_t count() const { return count_; }

    // What a descriptor set binds: the elements of the slice. Throws LimitError if they are too many for one binding of
    // this device.
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

// Makes the buffer hold `values` from element 0 on before the first run. Call it where the solution is made; while runs
// are recorded, use cb.updateBuffer(). Throws KernelError if it is too late, or if the buffer has fewer elements.
void fillDeviceWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<const std::uint32_t> values);

// The opposite copy, which the assignment has. It always throws KernelError: while a solution records there is no data
// yet, and the harness reads the result.
void fillHostWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<std::uint32_t> values);

}  // namespace a2
