// The student's folder in which an installed a2 is started.
#pragma once

namespace a2 {

struct Options;

// Compiles the changed host code, if the command needs solutions and this is an installed a2; reports if there is no
// such folder. Throws EnvironmentError as buildFolder does.
void readyFolder(const Options& options);

}  // namespace a2
