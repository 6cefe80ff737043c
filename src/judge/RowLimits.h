// Whether a device can run a row of the tables in a shape at a length: told from these three alone, before any code of
// the row's solution runs. Nothing else skips a case; what a solution throws is its own fault (StudentSolution.h).
#pragma once

#include "tasks/Task.h"

#include <cstdint>

namespace a2 {

// Bytes of shared memory that a kernel of the row in this shape may need.
std::uint64_t sharedBytesFor(const Task& task, const KernelShape& shape);

// Throws LimitError, with the limit named, if the device cannot run `task` on n elements in this shape. KernelError and
// EnvironmentError for a kernel that must be read for that and cannot be. Memory is looked at by checkSize (Matrix.h)
// and, where the device has none for what a solution recorded, by tryMemory.
void checkRow(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

// Takes as much memory, of the device and of this host, as a solution of `task` may need beside its input, and gives it
// back. Throws LimitError if it is refused: then the device is too small, and no solution is to blame.
void tryMemory(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

}  // namespace a2
