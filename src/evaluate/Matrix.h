// What `a2 check` goes through: lengths, patterns and work-group sizes.
#pragma once

#include "Task.h"
#include "gpu/Device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

// Lengths round every power of two at which a kernel changes its ways, and the largest that one binding takes;
// ascending.
std::vector<std::uint64_t> matrixSizes(const Device& gpu);
// The largest array that every task can take: one binding, the memory heap and this host's memory allow it. Tasks that
// go through their array in slices take longer ones (checkSize).
std::uint64_t largestInOneBinding(const Device& gpu);
// The longest array that memory holds, on the device and on this host, for every task that goes through it in slices.
std::uint64_t largestInMemory(const Device& gpu);
// Throws LimitError, with the figures, if n elements need more memory than this device or this host has. In bytes per
// element.
void checkMemory(const Device& gpu, std::uint64_t n, std::uint64_t onDevice, std::uint64_t inMainMemory);
// Throws LimitError, with the figures, if `task` on n elements needs more memory than this device or this host has.
void checkSize(const Device& gpu, const Task& task, std::uint64_t n);
// One-hot at the last element: the tail is what gets lost.
std::vector<Pattern> matrixPatterns(std::uint64_t n);
// 64, 128, 256 and the device's largest.
std::vector<std::uint32_t> matrixWorkGroups(const Device& gpu);

// How thoroughly a length is gone through, so that a CPU device is done in two minutes. Up to mediumSize every case is
// run three times in a row; up to longSize those with random input, the others once. Beyond longSize (only the largest
// length is) all are run once, and not every pattern meets every work-group size.
constexpr std::uint64_t mediumSize = std::uint64_t{1} << 17, longSize = std::uint64_t{1} << 21;

// Awkward lengths below n: what `a2 run` tries before it times n. For n = 0, which starts no kernel, the short ones.
std::vector<std::uint64_t> quickSizes(std::uint64_t n);

}  // namespace a2
