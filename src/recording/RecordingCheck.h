// Whether a recording that comes from somewhere else holds together.
#pragma once

#include "recording/Request.h"

#include <string>

namespace a2 {

// Throws RecordingError (RecordingFile.h), in one line, for the first thing that no solution could have recorded: an
// index beyond its vector, an offset or length beyond its buffer, a range of 0 bytes, an enumerator that is none, a
// binding that its layout has not, a set number beyond the layout's, push constants beyond 64 KiB, a wait that covers
// later commands, a fault of a dispatch that is not there, no run at all. What a device's limits and the lint's rules
// say is not looked at: that is a solution's fault, and is judged.
void checkRecording(const Recording& recording);

// Throws RecordingError where it is of another task, length, shape or number of runs than was asked for.
void checkAnswers(const Recording& recording, const RecordRequest& request);

}  // namespace a2
