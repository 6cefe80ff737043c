// How the walk executes each instruction.
#pragma once

#include "spirv/EmulatorCode.h"

namespace a2::emulator {

// Chooses Instruction::handler for every instruction, when nothing else of the code changes any more.
void chooseHandlers(Code& code);

}  // namespace a2::emulator
