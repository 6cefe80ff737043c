// The commands of a2.
#pragma once

#include "a2/Error.h"
#include "cli/DeviceChannel.h"
#include "cli/Options.h"

#include <string>
#include <vector>

namespace a2 {

// Parses the arguments (without the program's name), runs the command, returns the exit status. Never throws.
// calledAs: argv[0], for the commands that are printed.
int runProgram(const std::string& calledAs, const std::vector<std::string>& arguments);

// run, check, bench, steps, capture: a verdict for each row.
bool hasRows(const Options& options);

// In the process that works the device. What has rows tells `channel` of them; the exit status is that of the others.
ExitStatus runCommand(const Options& options, DeviceChannel& channel);        // a2 run
ExitStatus checkCommand(const Options& options, DeviceChannel& channel);      // a2 check
ExitStatus benchCommand(const Options& options, DeviceChannel& channel);      // a2 bench
ExitStatus stepsCommand(const Options& options, DeviceChannel& channel);      // a2 steps
ExitStatus captureCommand(const Options& options, DeviceChannel& channel);    // a2 capture
ExitStatus recordCommand(const Options& options, DeviceChannel& channel);     // a2 record
ExitStatus judgeRecording(const Options& options, DeviceChannel& channel);    // a2 run --recording
ExitStatus theoryCommand(const Options& options, DeviceChannel& channel);     // a2 theory
ExitStatus prescanCommand(const Options& options, DeviceChannel& channel);    // a2 prescan
ExitStatus obstaclesCommand(const Options& options, DeviceChannel& channel);  // a2 obstacles
ExitStatus doctorCommand(const Options& options);                             // a2 doctor

ExitStatus listCommand();  // a2 list, which needs no device

}  // namespace a2
