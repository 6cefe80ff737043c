// Files of recordings, read for the user.
#pragma once

#include "recording/Recording.h"
#include "recording/RecordingBook.h"

#include <string>

namespace a2 {

// What `a2 record` has written. Throws UsageError for what is none, or none that can be judged.
Recording readRecording(const std::string& path);
// What --record-only has written; likewise.
RecordingBook readRecordings(const std::string& path);
// The device that those were made for; likewise.
DeviceFacts readDevice(const std::string& path);

}  // namespace a2
