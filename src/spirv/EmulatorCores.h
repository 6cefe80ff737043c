// Walks a dispatch on all cores of the host.
#pragma once

#include "spirv/Emulator.h"

#include <optional>

namespace a2::emulator {

// Divides the work-groups into as many parts as there are cores, each with a copy of the buffers. Returns nothing, and
// leaves the buffers unchanged, where the result may differ from a run of one work-group after the other: a part has
// used a word that another one has written, or there is something to report about the kernel. It returns nothing at
// once where work-groups can communicate (atomics on buffers, coherent variables), where a special order or a view of
// one of them is asked for, and where the work is too small.
std::optional<Emulated> emulateOnCores(const EmulatedDispatch& dispatch, const EmulatorSettings& settings);

}  // namespace a2::emulator
