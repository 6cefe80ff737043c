// A dispatch on all cores of the host.
#pragma once

#include "spirv/Emulator.h"

#include <optional>

namespace a2::emulator {

// Its work-groups in as many parts as there are cores, each on a copy of the buffers. Empty, with the buffers as they
// were, where that may not be the same as one work-group after the other: a part has used a word that another one has
// written, or there is anything to be said about the kernel. It is empty from the start where work-groups can tell each
// other something (atomics on buffers, coherent variables), where their order or a look at one of them is asked for,
// and where the work is too small to be worth it.
std::optional<Emulated> emulateOnCores(const EmulatedDispatch& dispatch, const EmulatorSettings& settings);

}  // namespace a2::emulator
