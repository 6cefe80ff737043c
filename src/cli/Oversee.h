// The work of the a2 that the user starts, while its device process works the device: it shows that process's messages,
// writes verdicts and reports, and continues with a new process if a kernel has crashed the driver.
#pragma once

#include "a2/Error.h"
#include "cli/DeviceProcess.h"
#include "cli/Options.h"
#include "cli/Ranks.h"

#include <vector>

namespace a2 {

// run, check, bench, steps, capture: the commands with verdicts. Throws Error; if the device or its driver failed,
// after the reports were written. ranks: those that share each array, if not null; rank 0 combines, shows and writes
// what they found.
ExitStatus overseeRows(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks = nullptr);

// Any other command that opens a driver: it runs as a whole in the device process. ranks: the same, but rank 0's
// process combines and shows what all found.
ExitStatus overseeCommand(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks = nullptr);

// The exit status for these outcomes.
ExitStatus exitStatus(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
