// What a run recorded, in words: a line for each command, alike for all who record the same, whatever their names are.
#pragma once

#include "recording/Recording.h"

#include <string>
#include <vector>

namespace a2 {

// Of the first run: "dispatch A2Task2Naive 16 x 1 x 1; 0.0 input, 0.1 made 0; push 4096, 1". Buffers that the solution
// made are numbered as the run names them. A constant is a word where its bytes are whole words, else hexadecimal. Of
// a run with more commands than `most`, the first ones. Empty where nothing was recorded. The recording is checked
// (RecordingCheck.h).
std::vector<std::string> recordedLines(const Recording& recording, std::size_t most);

}  // namespace a2
