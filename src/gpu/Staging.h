// Copies between host memory and device buffers in chunks of limited size, so that a transfer needs no second copy of
// the array on the host: the caller fills or reads each chunk in the staging buffer itself.
#pragma once

#include "gpu/DeviceBuffer.h"

#include <functional>
#include <span>
#include <vector>

namespace a2 {

using FillChunk = std::function<void(std::uint64_t firstElement, std::span<std::uint32_t> chunk)>;
using ReadChunk = std::function<void(std::uint64_t firstElement, std::span<const std::uint32_t> chunk)>;

// Elements 0 .. count - 1 of the buffer; count <= buffer.elements().
void upload(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const FillChunk& fill);
void download(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count, const ReadChunk& read);
void upload(Device& gpu, const Region& region, const FillChunk& fill);
void download(Device& gpu, const Region& region, const ReadChunk& read);
std::uint32_t downloadWord(Device& gpu, const DeviceBuffer& buffer, std::uint64_t element);
std::vector<std::uint32_t> payloadOf(Device& gpu, const DeviceBuffer& buffer);  // all its elements

// Records copies of the regions into the staging buffer, one after the other; together they have at most stagingWords.
// Once the commands have run, and until the next transfer, gathered() returns the first `words` copied words.
void recordGather(Device& gpu, Commands& commands, const std::vector<Region>& regions);
std::span<const std::uint32_t> gathered(Device& gpu, std::uint64_t words);

constexpr std::uint64_t stagingWords = std::uint64_t{1} << 22;  // 16 MiB

}  // namespace a2
