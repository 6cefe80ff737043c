// Student code in a2's own process, for a debugger: what it records here counts for nothing.
#pragma once

#include "recording/Request.h"
#include "worker/Worker.h"

namespace a2 {

// Loads the library of solutions, once, and has it answer, on this thread. No limit of time or memory holds, and what
// ends student code ends a2. Throws EnvironmentError where the library cannot be loaded or is of another version.
RecordAnswer recordHere(const WorkerPrograms& programs, const RecordRequest& request);

}  // namespace a2
