// Shapes and lengths that are walked on the host alone: no device sees them, so that there may be many of them.
#pragma once

#include "judge/LowerLimits.h"
#include "judge/Verdict.h"
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
};

// Each kind of shape that a row allows: few elements per invocation and many, multiples of four and others, work-groups
// that are a power of two, even, and odd, each at a length with two levels of tiles, and where that is short enough
// with three. In small ones also on devices on which so short an array has folded dispatches, and slices, and with
// tiles that are worked on in several places (A2Kernels.h), which no dispatch along z is.
enum class ScanKinds { inclusive, exclusive, both };
std::vector<WalkedRun> walkedShapes(const Device& gpu, const Task& task, ScanKinds kinds);
// Short runs in small shapes for what only a device's buffers show, such as barriers: three levels of tiles, and two
// slices and a few tiles.
std::vector<WalkedRun> shortDeviceRuns(const Task& task, bool exclusive);
// Whether the host code keeps to the run's limits on the device; without limits it does. Throws as recordingOf.
bool keepsToLimits(Device& gpu, const Task& task, const WalkedRun& run);

// What stands for the course's 256 x 2 there: lengths of one and two levels of tiles, which show whether a solution
// takes other shapes at all, and one of three levels. 256 x 2 has a third level beyond 2^18 elements.
constexpr KernelShape courseStandIn{4, 2};
constexpr std::uint64_t standInLengths[] = {8, 64, 512};
constexpr std::uint64_t courseTwoLevels = std::uint64_t{1} << 18;

// Records the task in this shape, and walks through its first run on the host, with this device's subgroups.
// With limits, host code that does not keep to them passes, and so does a fixed grid of work-groups, which fits the
// least device there is. Throws as recordingOf.
struct HostWalk {
    Verdict verdict;
    bool complete = false;  // every kernel was followed to its end
};
HostWalk walkOnHost(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// The run on this input, walked in the usual order; and in others (OtherSchedules.h), if they are asked for.
struct OrderedWalks {
    bool right = false;   // all of them were followed to their end, and nothing is wrong
    bool waited = false;  // in one of them a work-group waited in a loop for what another one does
};
OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& run, const Input& input, bool others);

// Elements that make folded dispatches in this shape where no more work-groups start than Vulkan promises.
std::uint64_t foldedLength(const KernelShape& shape);

// Vulkan promises so many work-groups along x and y, and no more. Empty: the device starts no more.
std::optional<LowerLimits> promisedGroups(const Device& gpu);

// Long arrays that are only recorded: three quarters of what one binding takes, in the row's own shape and, as far as
// it makes two folded rows, in a small one; and where the number of a tile of the smallest shape takes more than 16
// bits.
std::vector<WalkedRun> recordedLengths(const Device& gpu, const Task& task, const KernelShape& own);
// What such a recording asks for beyond the device's limits, and what the walk through some of its work-groups finds.
// Nothing for one that comes to no end, or is beyond a limit of the row's.
Verdict lookAtRecording(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

}  // namespace a2
