// Arrays that are longer than one binding of the device can be.
#pragma once

#include "a2/Folding.h"
#include "a2/Gpu.h"

namespace a2 {

// slices() of a2/Folding.h with the binding limit of this device:
//
//     for (const Slice& one : slices(gpu, count, shape.tile()))
//         sets.push_back(kernel.makeDescriptorSet(
//             {input.slice(one.first, one.count), sums.slice(one.firstTile, one.tiles)}));
std::vector<Slice> slices(const Gpu& gpu, std::uint64_t count, std::uint64_t tile);

}  // namespace a2
