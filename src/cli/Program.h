// The whole program, except for main().
#pragma once

#include <string>
#include <vector>

namespace a2 {

// Parses the arguments (without the program's name), runs the command, returns the exit status. Never throws.
// calledAs: argv[0], for the commands that are printed.
int runProgram(const std::string& calledAs, const std::vector<std::string>& arguments);

}  // namespace a2
