// Whether the solution of a failed row was written at all.
#pragma once

#include "gpu/Device.h"
#include "judge/Outcome.h"

#include <cstdint>
#include <string>

namespace a2 {

// The file of the row, relative to the project's folder, that is still to be written: a kernel that writes to no
// buffer, or host code that records only barriers, both for this length and for many tiles. Empty if something is
// written, however wrong, and if host code or kernel does not compile.
std::string unwrittenFile(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

// Whether a task failed because its solution is not written yet. Its status then says so, and there is nothing to
// explain.
bool findUnwritten(Device& gpu, TaskOutcome& outcome);

}  // namespace a2
