// Runs that are walked on the host alone, or recorded (WalkedRuns.h).
#pragma once

#include "judge/Verdict.h"
#include "judge/WalkedRuns.h"

#include <cstdint>
#include <optional>

namespace a2 {

class Device;

// Whether the host code keeps to the run's limits on the device; without limits it does. Throws as recordingOf.
bool keepsToLimits(Device& gpu, const Task& task, const WalkedRun& run);

// The run that stands for this one. Where a kernel has a fixed grid of more work-groups than the run's limits, which
// fits the least device there is, that is a longer one on a device that starts it. Empty: host code does not keep to
// such limits, or nothing is folded there that is folded in long arrays. Throws as recordingOf.
std::optional<WalkedRun> runToWalk(Device& gpu, const Task& task, const WalkedRun& run);

// Records the task in this shape, and walks through its first run on the host, with this device's subgroups, and where
// these are right with the run's others: through runToWalk(), if there is one. Throws as recordingOf.
struct HostWalk {
    std::optional<WalkedRun> run = {};  // which was walked
    Verdict verdict;
    bool complete = false;  // every kernel was followed to its end
};
HostWalk walkOnHost(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// The run on this input, walked in the usual order; and in others (OtherSchedules.h), if they are asked for.
struct OrderedWalks {
    bool right = false;    // all of them were followed to their end, and nothing is wrong
    bool waited = false;   // in one of them a work-group waited in a loop for what another one does
    bool others = false;   // the usual order is right, and others were tried
    bool mayLose = false;  // some kernel compares and exchanges in a loop
    bool isLong = false;   // in some dispatch an invocation may take more than 65,535 turns of its loops
    Verdict verdict;       // of the first of the others that fails
};
OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& run, const Input& input, bool others);

// The same for any input and with the others, unless nothing in it may differ there.
OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

// The run on this input, in the orders in which who compares and exchanges in a loop loses again and again.
Verdict walkLosses(Device& gpu, const Task& task, const WalkedRun& run, const Input& input);

// What the recording of a long array (recordedLengths) asks for beyond the device's limits, and what the walk through
// some of its work-groups finds. Nothing for one that comes to no end, or is beyond a limit of the row's.
Verdict lookAtRecording(Device& gpu, const Task& task, const WalkedRun& run, std::uint64_t seed);

}  // namespace a2
