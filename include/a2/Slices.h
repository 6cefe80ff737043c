// Arrays that are longer than what one binding of the device takes.
#pragma once

#include "a2/Gpu.h"

#include <cstdint>
#include <vector>

namespace a2 {

// One of the pieces that an array is gone through in: whole tiles, but for the array's last tile.
struct Slice {
    std::uint64_t first = 0, count = 0;      // elements of the array
    std::uint64_t firstTile = 0, tiles = 0;  // the same in tiles
};

// The slices of an array of `count` elements that work-groups go through by tiles of `tile` elements, in order. Each
// fits one binding of the device; `first` and `firstTile` are multiples of Buffer::sliceAlignment, so that both the
// elements and an array of one word per tile can be bound from there. An array that fits one binding is one slice.
// Throws LimitError if not even 64 tiles fit.
//
//     for (const Slice& one : slices(gpu, count, shape.tile()))
//         sets.push_back(kernel.makeDescriptorSet(
//             {input.slice(one.first, one.count), sums.slice(one.firstTile, one.tiles)}));
std::vector<Slice> slices(const Gpu& gpu, std::uint64_t count, std::uint64_t tile);

// For any limit in bytes, so that it can be tested without a device.
std::vector<Slice> slices(std::uint64_t count, std::uint64_t tile, std::uint64_t bindingBytes);

}  // namespace a2
