// Which shapes and lengths are only walked on the host, or only recorded. They cost no device time, so there may be
// many.
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
    // Subgroup sizes besides the device's own, if a kernel uses subgroups.
    std::vector<std::uint32_t> subgroupSizes = {};
    std::string pattern = "random";
    std::uint64_t budget = 0;  // instructions; 0: as many as such a run should need
    // Also on arrays in which one element is a number of SuspectNumbers.h, and all other elements are 0: so sums are
    // that number, too.
    bool triesSuspectNumbers = false;
};

// Each kind of shape that a row allows: few elements per invocation and many, multiples of four and others, work-group
// sizes that are a power of two, even, and odd; each at a length with two levels of tiles, and with three if that is
// short enough. Small shapes also on simulated devices on which so short an array has folded dispatches and slices, and
// with tiles that are processed in several places (A2Kernels.h), which dispatches along z do not use.
enum class ScanKinds { inclusive, exclusive, both };
std::vector<WalkedRun> walkedShapes(const Device& gpu, const Task& task, ScanKinds kinds);
// Eight small tiles of each of the patterns of `check`, and some whose sums are 0 for all tiles but the last, or are
// the same number.
std::vector<WalkedRun> runsOfPatterns(const Task& task, bool exclusive);
// For a row in which an element's value decides where it goes: elements that are all equal, which all go to one place,
// and the limits of other number types; in as many tiles of this shape as fit into `longest`.
std::vector<WalkedRun> runsOfValues(const Task& task, const KernelShape& own, std::uint64_t longest);
// Short runs in small shapes, for faults such as missing barriers that only a device's buffers show: three levels of
// tiles, four, and two slices and a few tiles.
std::vector<WalkedRun> shortDeviceRuns(const Task& task, bool exclusive);

// Replaces the course's 256 x 2 there: lengths of one and two levels of tiles, which show whether a solution supports
// other shapes at all, and one of three levels. 256 x 2 has a third level only beyond 2^18 elements.
constexpr KernelShape courseStandIn{4, 2};
constexpr std::uint64_t standInLengths[] = {8, 64, 512};
constexpr std::uint64_t courseTwoLevels = std::uint64_t{1} << 18;

// The number of elements that makes folded dispatches in this shape on a device with Vulkan's minimum of work-groups.
std::uint64_t foldedLength(const KernelShape& shape);

// Limits work-groups along x and y to Vulkan's minimum. Empty: the device starts no more than that.
std::optional<LowerLimits> promisedGroups(const Device& gpu);

// Long arrays that are only recorded: three quarters of what one binding takes, in the row's own shape; as much of that
// as makes two folded rows, in a small shape; and one in which the number of a tile of the smallest shape takes more
// than 16 bits.
std::vector<WalkedRun> recordedLengths(const Device& gpu, const Task& task, const KernelShape& own);

}  // namespace a2
