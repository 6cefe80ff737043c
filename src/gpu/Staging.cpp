#include "gpu/Staging.h"

#include "a2/Error.h"
#include "gpu/Device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// Makes copied data visible to all later commands, and to the host.
void finishTransfer(Commands& commands)
{
    using Access = vk::AccessFlagBits;
    commands.barrier(vk::PipelineStageFlagBits::eTransfer, Access::eTransferWrite,
                     vk::PipelineStageFlagBits::eAllCommands | vk::PipelineStageFlagBits::eHost,
                     Access::eMemoryRead | Access::eMemoryWrite | Access::eHostRead);
}

void copyAndWait(Device& state, const BoundRange& from, const DeviceMemory& to, std::uint64_t offset)
{
    Commands& commands = *state.staging().commands;
    commands.begin();
    commands.copy(from, to, offset);
    finishTransfer(commands);
    commands.end();
    state.submitAndWait({&commands});
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
    if (staging_.commands) return staging_;
    checkDevice();
    Staging made;  // all of it or nothing
    made.memory = backend->makeHostMemory("staging", stagingWords);
    made.commands = makeCommands("staging copy");
    staging_ = std::move(made);
    return staging_;
}

void upload(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const FillChunk& fill)
{
    checkCount(buffer, count);
    upload(gpu, buffer.region(0, count), fill);
}

void upload(Device& gpu, const Region& region, const FillChunk& fill)
{
    const Backend::HostMemory& staging = gpu.staging().memory;
    for (std::uint64_t first = 0; first < region.words; first += staging.words.size()) {
        const std::uint64_t words = std::min<std::uint64_t>(staging.words.size(), region.words - first);
        fill(first, staging.words.first(words));
        copyAndWait(gpu, {staging.memory.get(), 0, words * sizeof(std::uint32_t)}, *region.memory,
                    region.firstByte + first * sizeof(std::uint32_t));
    }
}

void download(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const ReadChunk& read)
{
    checkCount(buffer, count);
    download(gpu, buffer.region(0, count), read);
}

void download(Device& gpu, const Region& region, const ReadChunk& read)
{
    const Backend::HostMemory& staging = gpu.staging().memory;
    for (std::uint64_t first = 0; first < region.words; first += staging.words.size()) {
        const std::uint64_t words = std::min<std::uint64_t>(staging.words.size(), region.words - first);
        copyAndWait(gpu,
                    {region.memory, region.firstByte + first * sizeof(std::uint32_t), words * sizeof(std::uint32_t)},
                    *staging.memory, 0);
        read(first, staging.words.first(words));
    }
}

std::uint32_t downloadWord(Device& gpu, const DeviceBuffer& buffer, std::uint64_t element)
{
    std::uint32_t word = 0;
    download(gpu, buffer.region(element, 1),
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

void recordGather(Device& gpu, Commands& commands, const std::vector<Region>& regions)
{
    const DeviceMemory& staging = *gpu.staging().memory.memory;
    std::uint64_t at = 0;
    for (const Region& region : regions) {
        const std::uint64_t bytes = region.words * sizeof(std::uint32_t);
        commands.copy({region.memory, region.firstByte, bytes}, staging, at);
        at += bytes;
    }
    finishTransfer(commands);
}

std::span<const std::uint32_t> gathered(Device& gpu, std::uint64_t words)
{
    return gpu.staging().memory.words.first(words);
}

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
