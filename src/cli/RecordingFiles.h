// Files of recordings, read for the user.
#pragma once

#include "recording/Recording.h"
#include "recording/RecordingBook.h"

#include <string>

namespace a2 {

// Reads a file of `a2 record`. Throws UsageError if it is no such file, or cannot be judged.
Recording readRecording(const std::string& path);
// Reads a file of --record-only; throws the same.
RecordingBook readRecordings(const std::string& path);
// The device for which that file was made; throws the same.
DeviceFacts readDevice(const std::string& path);

}  // namespace a2
