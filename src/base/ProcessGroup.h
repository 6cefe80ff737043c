// Starts a program together with its limits, and ends it together with all that it has started: a compiler is a program
// that starts others. POSIX; on Windows libuv's job does that.
#pragma once

#include "base/Process.h"

namespace a2 {

#ifndef _WIN32

// Starts words[0], which is looked up in PATH, as the leader of a new process group; a null pointer ends its words.
// stdin is empty, and its output goes to these descriptors. The limits hold before the program begins, and so for each
// process that it starts. On Linux it is killed when the calling thread ends. Returns the number of the process and of
// its group, or an error of the system, negative, where nothing was started.
int startGroup(char* const* words, const ProcessLimits& limits, int output, int errors);

// Kills all processes of the group.
void killGroup(int group) noexcept;

// Its leader has ended, and its status was read: endGroups() leaves it alone.
void forgetGroup(int group) noexcept;

#endif

// Ends all groups that still run, and lets no other begin: first they are asked to, so that they remove their temporary
// files. Safe in a signal handler. Does nothing on Windows.
void endGroups() noexcept;

}  // namespace a2
