// Which of a recording's buffers anything in it names. A solution may have made others, as many as it likes.
#pragma once

#include "recording/Recording.h"

#include <vector>

namespace a2 {

// By buffer. The recording has passed checkRecording.
std::vector<bool> usedBuffers(const Recording& recording);

}  // namespace a2
