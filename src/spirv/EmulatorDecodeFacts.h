// What is noted about the code once it is complete.
#pragma once

#include "spirv/EmulatorCode.h"

namespace a2::emulator {

// The loop of each instruction, and the contents of each loop.
void noteLoops(Code& code);

// The first and the last use of each function's variables. One name may mean several variables, each in its own block.
void noteUses(Code& code);

}  // namespace a2::emulator
