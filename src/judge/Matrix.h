// The cases of `a2 check`: lengths, patterns and work-group sizes.
#pragma once

#include "gpu/Device.h"
#include "judge/LowerLimits.h"
#include "tasks/Task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Emulation takes some thousand times as long as a GPU. The longest emulated array of all, that of a run for which the
// user named no length, and the longest in the matrix.
constexpr std::uint64_t longestEmulated = std::uint64_t{1} << 20, usualEmulated = std::uint64_t{1} << 16,
                        longestInEmulatedMatrix = 4097;

// Lengths round every power of two at which kernels change their behaviour, and the largest length: the one that fits
// one binding, or upTo; ascending. course: powers of two, up to one work-group along x for each 256 elements.
std::vector<std::uint64_t> matrixSizes(const Device& gpu, bool course, std::uint64_t upTo = UINT64_MAX);
// The largest array that every task can process: one binding, the memory heap and this host's memory allow it. Tasks
// that process their array in slices take longer ones (checkSize).
std::uint64_t largestInOneBinding(const Device& gpu);
// The longest array that fits the memory of the device and of this host, for every task that processes it in slices.
std::uint64_t largestInMemory(const Device& gpu);
// Throws LimitError, with the figures, if n elements need more memory than this device or this host has. onDevice and
// inMainMemory are in bytes per element.
void checkMemory(const Device& gpu, std::uint64_t n, std::uint64_t onDevice, std::uint64_t inMainMemory);
// Throws LimitError, with the figures, if `task` on n elements needs more memory than this device or this host has, or
// takes too long on an emulated device.
void checkSize(const Device& gpu, const Task& task, std::uint64_t n);
// One-hot has its one at the last element, because kernels often lose the tail. Beyond longSize only the two most
// telling patterns: random, and max, whose sums wrap round 2^32 all the time. On a CPU device beyond mediumOnCpu:
// random alone.
std::vector<Pattern> matrixPatterns(const Device& gpu, std::uint64_t n);
// 64, 128, 256 and the device's largest.
std::vector<std::uint32_t> matrixWorkGroups(const Device& gpu);

// How thoroughly a length is tested, so that a CPU device is done in a minute. Up to mediumSize every case is run three
// times in a row (Trial::judgeThreeRuns). Beyond it, cases with random input in the task's own work-group size are run
// three times and the others once, and other patterns use that size alone; on a CPU device there are none beyond
// mediumOnCpu. Beyond longSize (only the largest length is) all are run once.
constexpr std::uint64_t longestEdges = 64;     // elements: faults at edge values show in short arrays, too
constexpr std::uint64_t valuesInTiles = 1024;  // elements, in work-groups of 256 with two each
constexpr std::uint64_t mediumOnCpu = std::uint64_t{1} << 16, mediumSize = std::uint64_t{1} << 17,
                        longSize = std::uint64_t{1} << 21;
// Whether one of these ascending lengths uses only the smallest, the largest and the task's own work-group size: on a
// CPU device those beyond mediumOnCpu, except the last one up to longSize and the last of all.
bool isBrief(bool onCpu, const std::vector<std::uint64_t>& lengths, std::uint64_t n);

// Awkward lengths below n, which `a2 run` tries before it times n. For n = 0, which starts no kernel, the short ones.
// course: powers of two.
std::vector<std::uint64_t> quickSizes(std::uint64_t n, bool course);

// A shape in which the matrix runs a task.
struct MatrixShape {
    std::uint64_t n;                              // the base is the task's own shape for this length
    std::optional<std::uint32_t> workGroup = {};  // instead of that shape's
    bool fewestElements = false;                  // per invocation: 2 for most tasks, the assignment's shape
    bool exclusive = false;                       // of a scan
    std::optional<LowerLimits> limit = {};        // of the device
    bool mostElements = false;  // per invocation, for a class that counts: the most in one place for a work-group
};
// The shapes for arrays of n elements, in every pattern. Random input alone adds shapes that test more: a work-group
// size that is no power of two, the fewest elements per invocation, exclusive scans, many levels of block sums.
std::vector<MatrixShape> matrixShapes(const Device& gpu, std::uint64_t n, bool randomPattern, bool brief);

// The first whole number that a float cannot hold: host code that counts in floats loses an element. Used in one shape.
constexpr std::uint64_t beyondFloats = (std::uint64_t{1} << 24) + 1;

// Longer arrays are processed in several places at once: if input and result together exceed 8 GiB, work-groups that
// share one place wait for addresses (A2Kernels.h).
constexpr std::uint64_t longInOnePlace = std::uint64_t{1} << 30;

// So many tiles of the smallest shape that the number of the last one takes more than 16 bits, and that a device with
// Vulkan's minimum of work-groups along x needs a folded dispatch for them.
constexpr std::uint32_t smallestWorkGroup = 4;
constexpr std::uint64_t manyTiles = (std::uint64_t{1} << 16) + 1;

}  // namespace a2
