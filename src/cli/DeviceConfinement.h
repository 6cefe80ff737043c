// What the process that works the device may open: a CPU driver runs kernels in it as they are.
#pragma once

#include "cli/Options.h"

namespace a2 {

// Confines this thread, and each that it starts, to the system's programs and drivers, their device files and caches,
// the kernels, and the files that the options name (base/Confinement.h). Before the driver is opened, whose threads run
// the kernels. Not for `a2 capture`, whose RenderDoc loads more than a driver, nor where the
// environment has A2_UNCONFINED, for a driver that lies where nobody expects it.
void confineDevice(const Options& options);

}  // namespace a2
