// The commands of a2.
#pragma once

#include "a2/Error.h"
#include "cli/Options.h"

#include <string>
#include <vector>

namespace a2 {

// Parses the arguments (without the program's name), runs the command, returns the exit status. Never throws.
// calledAs: argv[0], for the commands that are printed.
int runProgram(const std::string& calledAs, const std::vector<std::string>& arguments);

ExitStatus runCommand(const Options& options);        // a2 run
ExitStatus checkCommand(const Options& options);      // a2 check
ExitStatus benchCommand(const Options& options);      // a2 bench
ExitStatus stepsCommand(const Options& options);      // a2 steps
ExitStatus captureCommand(const Options& options);    // a2 capture
ExitStatus recordCommand(const Options& options);     // a2 record
ExitStatus judgeRecording(const Options& options);    // a2 run --recording
ExitStatus theoryCommand(const Options& options);     // a2 theory
ExitStatus prescanCommand(const Options& options);    // a2 prescan
ExitStatus obstaclesCommand(const Options& options);  // a2 obstacles
ExitStatus doctorCommand(const Options& options);     // a2 doctor
ExitStatus listCommand();                             // a2 list

}  // namespace a2
