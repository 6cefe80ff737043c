// The commands of a run in words, one line each. Equal recordings give equal lines, whatever names they use.
#pragma once

#include "recording/Recording.h"

#include <string>
#include <vector>

namespace a2 {

// The lines for the first run: "dispatch A2Task2Naive 16 x 1 x 1; 0.0 input, 0.1 made 0; push 4096, 1". Buffers that
// the solution made are numbered in the order in which the run names them. A constant is shown as words if its bytes
// are whole words, else in hexadecimal. If a run has more commands than `most`, only the first ones. Empty if nothing
// was recorded. The recording must be checked (RecordingCheck.h).
std::vector<std::string> recordedLines(const Recording& recording, std::size_t most);

}  // namespace a2
