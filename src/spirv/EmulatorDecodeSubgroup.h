// What the invocations of a subgroup do as one.
#pragma once

#include "spirv/EmulatorEmitter.h"

namespace a2::emulator {

// False: it is none of that. Throws KernelError where its types do not go with it.
bool decodeTogether(Emitter& out, SpirvWords words);

}  // namespace a2::emulator
