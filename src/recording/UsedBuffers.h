// Which buffers of a recording are named by anything in it, and which have data from a2. A solution may have made any
// number of others.
#pragma once

#include "recording/Recording.h"

#include <optional>
#include <vector>

namespace a2 {

// For each buffer. The recording must have passed checkRecording.
std::vector<bool> usedBuffers(const Recording& recording);

// The buffer that has this role; empty if none has.
std::optional<Index> givenAs(RecordedBuffer::Role role, const Recording& recording);

}  // namespace a2
