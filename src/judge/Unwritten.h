// Whether the solution of a row that failed has been written at all.
#pragma once

#include "gpu/Device.h"
#include "tasks/Task.h"

#include <cstdint>
#include <string>

namespace a2 {

// The file of the row, from the project's folder on, that is still to be written: a kernel that writes to no buffer, or
// host code that records nothing but barriers, neither for this length nor for many tiles. Empty where something is
// there, however wrong, and where code or kernel does not compile.
std::string unwrittenFile(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

}  // namespace a2
