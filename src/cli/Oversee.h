// What the a2 that the user starts does itself while a process of its own works the device: it shows what that process
// says, writes verdicts and reports, and goes on with a fresh one where a kernel has brought down the driver.
#pragma once

#include "a2/Error.h"
#include "cli/DeviceProcess.h"
#include "cli/Options.h"
#include "cli/Ranks.h"

#include <vector>

namespace a2 {

// run, check, bench, steps, capture: what has verdicts. Throws Error; after the reports were written, too, where the
// device or its driver failed.
// ranks: with whom each array is shared, if not null; what they found is put together, shown and written by rank 0.
ExitStatus overseeRows(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks = nullptr);

// Any other command that opens a driver: it runs in that process as a whole. ranks: likewise, but that rank 0's process
// puts together and shows what all found.
ExitStatus overseeCommand(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks = nullptr);

// The exit status that outcomes add up to.
ExitStatus exitStatus(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
