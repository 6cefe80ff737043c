// Proves that validation is on: it provokes a known error, which must be reported.
#pragma once

#include "gpu/Device.h"

namespace a2 {

// Causes a harmless hazard (two dispatches without a barrier between them), and under GPU-assisted validation a read
// outside a binding. Throws EnvironmentError if the layer does not report them: then its silence about a task would
// mean nothing.
void proveValidation(Device& gpu);

}  // namespace a2
