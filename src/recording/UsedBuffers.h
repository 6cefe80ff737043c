// Which of a recording's buffers anything in it names, and which hold what a2 gives. A solution may have made others,
// as many as it likes.
#pragma once

#include "recording/Recording.h"

#include <optional>
#include <vector>

namespace a2 {

// By buffer. The recording has passed checkRecording.
std::vector<bool> usedBuffers(const Recording& recording);

// The one that is given so; empty: none is.
std::optional<Index> givenAs(RecordedBuffer::Role role, const Recording& recording);

}  // namespace a2
