// Runs student code in a2's own process, for a debugger: nothing that it records here is judged.
#pragma once

#include "recording/Request.h"
#include "worker/Worker.h"

namespace a2 {

// Loads the library of solutions, once, and makes it answer on this thread. There is no limit of time or memory, and a
// crash of student code ends a2. Throws EnvironmentError where the library cannot be loaded or has another version.
RecordAnswer recordHere(const WorkerPrograms& programs, const RecordRequest& request);

}  // namespace a2
