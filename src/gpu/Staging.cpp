#include "gpu/Staging.h"

#include "a2/Error.h"
#include "gpu/Device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// Makes what was copied visible to whoever comes next, the host included.
void finishTransfer(vk::CommandBuffer cb)
{
    cb.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer,
                       vk::PipelineStageFlagBits::eAllCommands | vk::PipelineStageFlagBits::eHost, {},
                       vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eMemoryRead |
                                                                                 vk::AccessFlagBits::eMemoryWrite |
                                                                                 vk::AccessFlagBits::eHostRead),
                       {}, {});
}

void copyAndWait(Device& state, vk::Buffer from, vk::Buffer to, const vk::BufferCopy& region)
{
    const vk::CommandBuffer cb = *state.staging().commands;
    cb.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    cb.copyBuffer(from, to, region);
    finishTransfer(cb);
    cb.end();
    state.submitAndWait({cb});
}

void checkCount(const DeviceBuffer& buffer, std::uint64_t count)
{
    if (count > buffer.elements())
        throw Error(ExitStatus::internal,
                    fmt::format("a copy of {} elements does not fit a buffer of {}", count, buffer.elements()));
}

}  // namespace

Device::Staging& Device::staging()
{
    if (staging_.words) return staging_;
    checkDevice();
    Staging made;  // whole or not at all
    made.capacity = stagingWords;
    made.buffer = vk::raii::Buffer(
        device, vk::BufferCreateInfo({}, stagingWords * sizeof(std::uint32_t),
                                     vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst));
    setName(*made.buffer, "staging");
    // Cached, because the host reads from it too: reading uncached memory is tens of times slower.
    made.memory = allocate(*made.buffer, "staging",
                           vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent,
                           vk::MemoryPropertyFlagBits::eHostCached);
    (*device).bindBufferMemory(*made.buffer, *made.memory.memory, 0);
    made.commands = makeCommandBuffer("staging copy");
    made.words = static_cast<std::uint32_t*>(made.memory.memory.mapMemory(0, VK_WHOLE_SIZE));
    staging_ = std::move(made);
    return staging_;
}

void upload(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const FillChunk& fill)
{
    checkCount(buffer, count);
    upload(gpu, {buffer.handle(), buffer.firstByte(), count}, fill);
}

void upload(Device& gpu, const Region& region, const FillChunk& fill)
{
    auto& staging = gpu.staging();
    for (std::uint64_t first = 0; first < region.words; first += staging.capacity) {
        const std::uint64_t words = std::min(staging.capacity, region.words - first);
        fill(first, {staging.words, words});
        copyAndWait(gpu, *staging.buffer, region.buffer,
                    {0, region.firstByte + first * sizeof(std::uint32_t), words * sizeof(std::uint32_t)});
    }
}

void download(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const ReadChunk& read)
{
    checkCount(buffer, count);
    download(gpu, {buffer.handle(), buffer.firstByte(), count}, read);
}

void download(Device& gpu, const Region& region, const ReadChunk& read)
{
    auto& staging = gpu.staging();
    for (std::uint64_t first = 0; first < region.words; first += staging.capacity) {
        const std::uint64_t words = std::min(staging.capacity, region.words - first);
        copyAndWait(gpu, region.buffer, *staging.buffer,
                    {region.firstByte + first * sizeof(std::uint32_t), 0, words * sizeof(std::uint32_t)});
        read(first, {staging.words, words});
    }
}

std::uint32_t downloadWord(Device& gpu, const DeviceBuffer& buffer, std::uint64_t element)
{
    std::uint32_t word = 0;
    download(gpu, {buffer.handle(), buffer.firstByte() + element * sizeof word, 1},
             [&](std::uint64_t, std::span<const std::uint32_t> chunk) { word = chunk.front(); });
    return word;
}

std::vector<std::uint32_t> payloadOf(Device& gpu, const DeviceBuffer& buffer)
{
    std::vector<std::uint32_t> words(buffer.elements());
    download(gpu, buffer, words.size(), [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
        std::copy(chunk.begin(), chunk.end(), words.begin() + static_cast<std::ptrdiff_t>(first));
    });
    return words;
}

void recordGather(Device& gpu, vk::CommandBuffer cb, const std::vector<Region>& regions)
{
    auto& staging = gpu.staging();
    vk::DeviceSize at = 0;
    for (const Region& region : regions) {
        const vk::DeviceSize bytes = region.words * sizeof(std::uint32_t);
        cb.copyBuffer(region.buffer, *staging.buffer, vk::BufferCopy(region.firstByte, at, bytes));
        at += bytes;
    }
    finishTransfer(cb);
}

std::span<const std::uint32_t> gathered(Device& gpu, std::uint64_t words) { return {gpu.staging().words, words}; }

void fillDevice(Device& gpu, const DeviceBuffer& buffer, std::span<const std::uint32_t> values)
{
    upload(gpu, buffer, values.size(), [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), chunk.size(), chunk.begin());
    });
}

void fillHost(Device& gpu, const DeviceBuffer& buffer, std::span<std::uint32_t> values)
{
    download(gpu, buffer, values.size(), [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
        std::copy(chunk.begin(), chunk.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
    });
}

}  // namespace a2
