// Operations of a subgroup as a whole.
#pragma once

#include "spirv/EmulatorEmitter.h"

namespace a2::emulator {

// False if it is no such operation. Throws KernelError if the types do not fit it.
bool decodeTogether(Emitter& out, SpirvWords words);

}  // namespace a2::emulator
