// Checks that a recording from another process or a file is consistent.
#pragma once

#include "recording/Request.h"

#include <string>

namespace a2 {

// Throws RecordingError (RecordingFile.h), in one line, for the first thing that no solution could have recorded: an
// index beyond its vector, an offset or length beyond its buffer, a range of 0 bytes, an enumerator that is none, a
// binding that its layout does not have, a set number beyond the layout's, push constants beyond 64 KiB, a wait that
// covers later commands, a fault of a dispatch that does not exist, no run at all. It does not check a device's limits
// or the lint's rules: breaking those is a solution's fault, and is judged.
void checkRecording(const Recording& recording);

// Throws RecordingError if its task, length, shape or number of runs differ from the request's.
void checkAnswers(const Recording& recording, const RecordRequest& request);

}  // namespace a2
