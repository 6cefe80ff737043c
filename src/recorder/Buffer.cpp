#include "a2/Buffer.h"

#include "a2/Error.h"
#include "recorder/Session.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t wordBytes = sizeof(std::uint32_t);

// If a solution keeps the buffer in a global variable, the recorder may be gone, and the next recorder does not know
// it.
BufferObject* find(vk::Buffer buffer)
{
    Recorder* recorder = Recorder::current();
    return recorder ? recorder->buffers.find(numberOf(static_cast<VkBuffer>(buffer))) : nullptr;
}

// The values, with one word for each long run of equal ones: otherwise states that start at zero would fill the
// recording.
std::vector<RecordedUpload> uploadsOf(Index buffer, std::span<const std::uint32_t> values)
{
    constexpr std::ptrdiff_t longRun = 4096;
    std::vector<RecordedUpload> uploads;
    auto noted = values.begin();
    const auto note = [&](auto end) {
        if (noted == end) return;
        uploads.push_back({buffer, static_cast<std::uint64_t>(noted - values.begin()), {noted, end}});
        noted = end;
    };
    for (auto begin = values.begin(); begin != values.end();) {
        const auto end = std::find_if(begin, values.end(), [&](std::uint32_t one) { return one != *begin; });
        if (end - begin >= longRun) {
            note(begin);
            uploads.push_back({buffer,
                               static_cast<std::uint64_t>(begin - values.begin()),
                               {*begin},
                               static_cast<std::uint64_t>(end - begin)});
            noted = end;
        }
        begin = end;
    }
    note(values.end());
    return uploads;
}

// Reports a second destruction: the first was by hand, this one is by its Buffer.
void destroyedBefore(const BufferObject& buffer)
{
    Recorder& recorder = *Recorder::current();
    const std::lock_guard lock(recorder.mutex);
    try {
        recorder.fault("call", fmt::format("vkDestroyBuffer: {} was destroyed before: a Buffer destroys itself",
                                           describe(buffer)));
    } catch (...) {
        recorder.stop();
    }
}

std::string nameOf(vk::Buffer buffer)
{
    const BufferObject* found = find(buffer);
    return found ? found->name : "";
}

}  // namespace

Buffer::Buffer(Gpu& gpu, const std::string& name, std::uint64_t elements, Lifetime lifetime)
    : gpu_(&gpu), elements_(std::max<std::uint64_t>(1, elements))
{
    if (elements_ > UINT64_MAX / 2 / wordBytes)
        throw LimitError(fmt::format("{} needs {} elements in one buffer, more than any device has", name, elements));
    Recorder& recorder = gpu.recorder();
    const std::lock_guard lock(recorder.mutex);
    const Handle made = recorder.makeBuffer(
        name, bytes(), lifetime == Lifetime::run ? RecordedBuffer::Lifetime::run : RecordedBuffer::Lifetime::solution);
    recorder.endIfTooMuch();
    buffer_ = handleOf<VkBuffer>(made);
    recorder.buffers.find(made)->hasMemory = true;
}

Buffer::Buffer(Buffer&& other) noexcept
    : gpu_(other.gpu_), elements_(other.elements_), buffer_(std::exchange(other.buffer_, nullptr))
{
}

Buffer::~Buffer()
{
    BufferObject* object = find(buffer_);
    if (object && object->destroyed) destroyedBefore(*object);
    if (object) object->destroyed = true;
}

BufferSlice Buffer::slice(std::uint64_t first, std::uint64_t count) const
{
    if (first > elements_ || count > elements_ - first)
        throw KernelError(fmt::format("{} elements from element {} on of buffer '{}' were asked for, which has {}",
                                      count, first, nameOf(buffer_), elements_));
    if (first % sliceAlignment != 0)  // some devices would not notice
        throw KernelError(
            fmt::format("a slice of buffer '{}' starts at element {}: it must be a multiple of {}, so that every "
                        "device can bind it",
                        nameOf(buffer_), first, sliceAlignment));
    return {*this, first, count};
}

vk::DescriptorBufferInfo Buffer::descriptor() const { return BufferSlice(*this).descriptor(); }

vk::DescriptorBufferInfo BufferSlice::descriptor() const
{
    const std::uint64_t most = buffer_->gpu_->limits().maxStorageBufferRange;
    if (count_ > most / wordBytes)
        throw LimitError(
            fmt::format("{} elements of buffer '{}' need {} bytes in one binding, and this device binds at most {} "
                        "elements (maxStorageBufferRange of {}); choose a smaller --size, or a task that goes through "
                        "its array in slices",
                        count_, nameOf(buffer_->handle()), count_ * wordBytes, most / wordBytes, most));
    return {buffer_->handle(), first_ * wordBytes, count_ * wordBytes};
}

void fillDeviceWithStagingBuffer(Gpu& gpu, const Buffer& buffer, std::span<const std::uint32_t> values)
{
    Recorder& recorder = gpu.recorder();
    const std::lock_guard lock(recorder.mutex);
    const BufferObject* object = recorder.buffers.find(numberOf(static_cast<VkBuffer>(buffer.handle())));
    if (recorder.inRun())
        throw KernelError(
            fmt::format("buffer '{}' was to be filled by fillDeviceWithStagingBuffer() in record(): "
                        "while runs are recorded use cb.updateBuffer() or cb.fillBuffer()",
                        nameOf(buffer.handle())));
    if (values.size() > buffer.elements())
        throw KernelError(fmt::format("a copy of {} elements does not fit buffer '{}', which has {}", values.size(),
                                      nameOf(buffer.handle()), buffer.elements()));
    if (!object) return;
    for (RecordedUpload& one : uploadsOf(object->index, values)) {
        recorder.mayMake(one.words.size() * wordBytes);
        recorder.endIfTooMuch();
        recorder.recording.uploads.push_back(std::move(one));
    }
}

void fillHostWithStagingBuffer(Gpu&, const Buffer& buffer, std::span<std::uint32_t>)
{
    throw KernelError(
        fmt::format("buffer '{}' was to be read by fillHostWithStagingBuffer(): while a solution records "
                    "there is no data yet, and the harness reads the result",
                    nameOf(buffer.handle())));
}

}  // namespace a2
