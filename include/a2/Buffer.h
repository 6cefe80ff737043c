// A storage buffer of uint32 elements in device memory.
#pragma once

#include "a2/Gpu.h"

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

class BufferSlice;

// How long the contents of a buffer last: for one run, or from run to run: filled where the solution is made, and left
// by each run as the next one needs them. The harness overwrites the others before each judged run, so that no run can
// live on what an earlier one left behind.
enum class Lifetime { run, solution };

// Where the recording is replayed, guard words lie before and after the elements, so that a kernel that writes outside
// its array is found out.
//
// It may be longer than what one binding of this device takes; a kernel then sees it in slices (a2/Slices.h). Whether
// the device has so much memory shows when the recording is replayed.
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

    // What a descriptor set binds: all elements. Throws LimitError if one binding of this device does not take them.
    vk::DescriptorBufferInfo descriptor() const;

    static constexpr std::uint64_t sliceAlignment = elementsOfAlignment;  // elements

private:
    friend class BufferSlice;

    Gpu* gpu_;
    std::uint64_t elements_;
    vk::Buffer buffer_;  // none once it was moved from
};

// A run of a buffer's elements that one binding shows to a kernel: an array of its own, from index 0 on. A Buffer
// stands for all of its elements. The buffer must outlive it.
class BufferSlice {
public:
    BufferSlice(const Buffer& buffer) : BufferSlice(buffer, 0, buffer.elements()) {}

    std::uint64_t first() const { return first_; }
    std::uint64_t count() const { return count_; }

    // What a descriptor set binds: the elements of the slice.
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

// Has the buffer hold `values` from element 0 on before the first run. For where the solution is made: once runs are
// recorded there is cb.updateBuffer(). Throws KernelError if it is too late, or if the buffer has fewer elements.
void fillDeviceWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<const std::uint32_t> values);

// The way back, as the assignment has it. Always throws KernelError: while a solution records there is no data yet, and
// the harness reads the result.
void fillHostWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<std::uint32_t> values);

}  // namespace a2
