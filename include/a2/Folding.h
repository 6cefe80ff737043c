// How work is cut to fit a device's limits: a dispatch is folded over x and y, an array is cut into slices. Plain
// arithmetic.
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

// Work-groups along x and y: together as many as needed, or up to y - 1 more where the device's limit along x makes the
// dispatch fold.
struct WorkGroups {
    std::uint32_t x = 0;
    std::uint32_t y = 1;
};

// The dispatch that starts `groups` work-groups. maxX and maxY are in work-groups. Throws LimitError if the device
// cannot start so many in one dispatch.
WorkGroups foldGroups(std::uint64_t groups, std::uint32_t maxX, std::uint32_t maxY);

// A slice may start at each multiple of this number of elements: then every device can bind it (256 bytes are the
// largest minStorageBufferOffsetAlignment that Vulkan allows).
inline constexpr std::uint64_t elementsOfAlignment = 256 / sizeof(std::uint32_t);

// One piece of an array that is processed piece by piece. It has whole tiles, except that the array's last tile may be
// shorter.
struct Slice {
    std::uint64_t first = 0, count = 0;      // elements of the array
    std::uint64_t firstTile = 0, tiles = 0;  // the same in tiles
};

// Cuts an array of `count` elements, which work-groups process in tiles of `tile` elements, into slices, in order. Each
// slice has at most bindingBytes; `first` and `firstTile` are multiples of elementsOfAlignment, so that both the
// elements and an array of one word per tile can be bound from there. An array that fits one binding is one slice.
// Throws LimitError if not even 64 tiles fit, KernelError if a tile has no element.
std::vector<Slice> slices(std::uint64_t count, std::uint64_t tile, std::uint64_t bindingBytes);

}  // namespace a2
