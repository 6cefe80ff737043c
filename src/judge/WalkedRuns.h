// Which shapes and lengths are walked on the host, or recorded alone: no device sees them, so that there may be many.
#pragma once

#include "judge/LowerLimits.h"
#include "tasks/Task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

class Device;

struct WalkedRun {
    KernelShape shape;
    std::uint64_t n = 0;                    // elements
    std::optional<LowerLimits> limit = {};  // of the device; host code that does not keep to it is not judged there
    // Invocations to a subgroup, besides the device's own, where a kernel uses subgroups.
    std::vector<std::uint32_t> subgroupSizes = {};
    std::string pattern = "random";
};

// Each kind of shape that a row allows: few elements per invocation and many, multiples of four and others, work-groups
// that are a power of two, even, and odd, each at a length with two levels of tiles, and where that is short enough
// with three. In small ones also on devices on which so short an array has folded dispatches, and slices, and with
// tiles that are worked on in several places (A2Kernels.h), which no dispatch along z is.
enum class ScanKinds { inclusive, exclusive, both };
std::vector<WalkedRun> walkedShapes(const Device& gpu, const Task& task, ScanKinds kinds);
// For a row where an element's value says where it goes: elements that are all the same, which all go to one place, and
// those at which other types of numbers end, in as many tiles of this shape as `longest` has room for.
std::vector<WalkedRun> runsOfValues(const Task& task, const KernelShape& own, std::uint64_t longest);
// Short runs in small shapes for what only a device's buffers show, such as barriers: three levels of tiles, four, and
// two slices and a few tiles.
std::vector<WalkedRun> shortDeviceRuns(const Task& task, bool exclusive);

// What stands for the course's 256 x 2 there: lengths of one and two levels of tiles, which show whether a solution
// takes other shapes at all, and one of three levels. 256 x 2 has a third level beyond 2^18 elements.
constexpr KernelShape courseStandIn{4, 2};
constexpr std::uint64_t standInLengths[] = {8, 64, 512};
constexpr std::uint64_t courseTwoLevels = std::uint64_t{1} << 18;

// Elements that make folded dispatches in this shape where no more work-groups start than Vulkan promises.
std::uint64_t foldedLength(const KernelShape& shape);

// Vulkan promises so many work-groups along x and y, and no more. Empty: the device starts no more.
std::optional<LowerLimits> promisedGroups(const Device& gpu);

// Long arrays that are only recorded: three quarters of what one binding takes, in the row's own shape and, as far as
// it makes two folded rows, in a small one; and where the number of a tile of the smallest shape takes more than 16
// bits.
std::vector<WalkedRun> recordedLengths(const Device& gpu, const Task& task, const KernelShape& own);

}  // namespace a2
