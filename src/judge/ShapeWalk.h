// Runs that are only walked on the host, or only recorded (WalkedRuns.h).
#pragma once

#include "judge/Verdict.h"
#include "judge/WalkedRuns.h"

#include <cstdint>
#include <optional>

namespace a2 {

class Device;
struct Recording;

// Whether the host code keeps to the run's limits on the device; true without limits. Throws what recordingOf throws.
bool keepsToLimits(Device& gpu, const Task& task, const WalkedRun& run);

// The run to walk in place of this one. If a kernel has a fixed grid with more work-groups than the run's limits allow,
// and the grid fits Vulkan's minimum, it is a longer run on a device that starts the grid. Empty: the host code does
// not keep to such limits, or does not fold there what it folds in long arrays. Throws what recordingOf throws.
std::optional<WalkedRun> runToWalk(Device& gpu, const Task& task, const WalkedRun& run);

// Records the task in this shape, and walks through its first run on the host, with this device's subgroups, and if
// these are right with the run's other sizes: through runToWalk(), if there is one. Throws what recordingOf throws.
struct HostWalk {
    std::optional<WalkedRun> run = {};  // the one that was walked
    Verdict verdict;
    bool complete = false;  // every kernel was followed to its end
};
HostWalk walkOnHost(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// Of a recording in this shape, whether the host code takes places of a buffer's slices for aligned that other devices
// do not: it is recorded again for a device with the largest alignment. Throws what recordingOf throws.
std::vector<Finding> beyondLargestAlignment(Device& gpu, const Task& task, const Recording& recording,
                                            const WalkedRun& run);

// A size of subgroups other than this device's with which the run is right, as the walk shows, if it is wrong with the
// device's, and some kernel uses subgroups; the most frequent sizes first. 0: none.
std::uint32_t subgroupsThatSuit(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// The run on this input, walked in the usual order, and in others (OtherSchedules.h) if they are asked for.
struct OrderedWalks {
    bool right = false;    // all were followed to their end, and none has a fault
    bool isCut = false;    // the usual order was not followed to its end, and has no fault so far
    bool waited = false;   // in one of them a work-group waited in a loop for another one
    bool others = false;   // the usual order is right, and others were tried
    bool mayLose = false;  // some kernel compares and exchanges in a loop
    bool isLong = false;   // in some dispatch an invocation may take 65,535 iterations of its loops
    Verdict verdict = {};  // of the first other order that fails
};
OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& run, const Input& input, bool others);

// The same for any input and in the other orders, unless order cannot matter.
OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// The run on this input, in the orders in which an invocation that compares and exchanges in a loop loses again and
// again.
Verdict walkLosses(Device& gpu, const Task& task, const WalkedRun& run, const Input& input);

// Where the recording of a long array (recordedLengths) exceeds the device's limits, and what the walk through some of
// its work-groups finds. Nothing for one that does not end, or exceeds a limit of the row.
Verdict lookAtRecording(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

}  // namespace a2
