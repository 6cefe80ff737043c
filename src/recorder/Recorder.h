// Runs the code of a solution with a Vulkan that only records.
#pragma once

#include "a2/Solution.h"
#include "recording/Request.h"

#include <functional>
#include <memory>
#include <string>

namespace a2 {

using MakeSolution = std::function<std::unique_ptr<Solution>(const Given& given)>;

// Makes the solution, and makes it record request.runs times. Meanwhile VULKAN_HPP_DEFAULT_DISPATCHER is the
// recorder's; afterwards it is the earlier one again. Two recordings must not be made at the same time. entered: called
// before each phase begins ("preparing", "recording run 1", "asked for the result"). Exceptions of the solution's code
// become a RecordFailure; anything else that it does to the process happens.
RecordAnswer recordSolution(const RecordRequest& request, const MakeSolution& make,
                            const std::function<void(const std::string& phase)>& entered = {},
                            const RecordingLimits& limits = {});

// Name of the last Vulkan call, for a report of how the process ended. Safe in a signal handler. Never null.
const char* lastVulkanCall();

}  // namespace a2
