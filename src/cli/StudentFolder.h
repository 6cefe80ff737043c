// The student's folder that an installed a2 is started in.
#pragma once

namespace a2 {

struct Options;

// Compiles what has changed of its host code, where the command asks for solutions and this is an installed a2; says
// where there is no such folder. Throws EnvironmentError as buildFolder does.
void readyFolder(const Options& options);

}  // namespace a2
