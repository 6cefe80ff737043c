// What a solution asks of a device beyond what Vulkan promises of every one.
#pragma once

#include "lint/Finding.h"
#include "tasks/Task.h"

#include <vector>

namespace a2 {

class Device;

// Notes, each problem once: work-groups, shared memory and storage buffers of a small shape, which leaves room for all
// of them. The solution is recorded for a device with the promised limits: who asks for the limits keeps to them.
// Throws what recordingOf throws.
std::vector<Finding> beyondPromisedLimits(Device& gpu, const Task& task);

}  // namespace a2
