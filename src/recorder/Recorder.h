// Runs the code of a solution against a Vulkan that only takes notes.
#pragma once

#include "a2/Solution.h"
#include "recording/Request.h"

#include <functional>
#include <memory>
#include <string>

namespace a2 {

using MakeSolution = std::function<std::unique_ptr<Solution>(const Given& given)>;

// Makes the solution, and has it record request.runs times. While it works, VULKAN_HPP_DEFAULT_DISPATCHER is the
// recorder's; afterwards it is what it was. No two recordings may be made at the same time.
// entered: told each phase before it begins ("preparing", "recording run 1", "asked for the result").
// Exceptions of the solution's code become a RecordFailure; whatever else it does to the process happens.
RecordAnswer recordSolution(const RecordRequest& request, const MakeSolution& make,
                            const std::function<void(const std::string& phase)>& entered = {},
                            const RecordingLimits& limits = {});

// Name of the last Vulkan call, for who reports how the process ended. Safe in a signal handler. Never null.
const char* lastVulkanCall();

}  // namespace a2
