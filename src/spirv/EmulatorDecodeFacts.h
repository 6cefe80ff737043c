// What is noted of code once all of it is there.
#pragma once

#include "spirv/EmulatorCode.h"

namespace a2::emulator {

// Which loop each instruction is in, and what is in each loop.
void noteLoops(Code& code);

// Where each variable of a function is used first and last. Names may mean several, each in a block of its own.
void noteUses(Code& code);

}  // namespace a2::emulator
