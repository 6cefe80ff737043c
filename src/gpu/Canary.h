// Proof that validation is on: a known fault that must be reported.
#pragma once

#include "gpu/Device.h"

namespace a2 {

// Commits a harmless hazard (two dispatches without a barrier between them), and under GPU-assisted validation a read
// outside a binding, and throws EnvironmentError if the layer keeps silent: then its silence about a task would mean
// nothing.
void proveValidation(Device& gpu);

}  // namespace a2
