// Whether a device can run a row of the tables in a shape at a length. Only these three decide, before any code of the
// row's solution runs. Nothing else skips a case; if a solution throws, that is its own fault (StudentSolution.h).
#pragma once

#include "tasks/Task.h"

#include <cstdint>

namespace a2 {

// Bytes of shared memory that a kernel of the row in this shape may need.
std::uint64_t sharedBytesFor(const Task& task, const KernelShape& shape);

// Throws LimitError, naming the limit, if the device cannot run `task` on n elements in this shape. Throws KernelError
// or EnvironmentError if a kernel must be read for that and cannot be. checkSize (Matrix.h) checks memory, and
// tryMemory does if the device has none for what a solution recorded.
void checkRow(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

// Allocates as much memory, of the device and of this host, as a solution of `task` may need beside its input, and
// frees it again. Throws LimitError if it is refused: then the device is too small, and the solution is not at fault.
void tryMemory(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n);

}  // namespace a2
