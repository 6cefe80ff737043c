// What the device's process may open: a CPU driver runs kernels in it without further protection.
#pragma once

#include "cli/Options.h"

namespace a2 {

// Confines this thread, and each that it starts, to the system's programs and drivers, their device files and caches,
// the kernels, and the files that the options name (base/Confinement.h). Call it before the driver is opened, whose
// threads run the kernels. Does nothing for `a2 capture`, whose RenderDoc loads more than a driver, nor if the
// environment has A2_UNCONFINED, for a driver in an unusual place. Nor with --jail, in a build with a sanitizer, or
// while NVIDIA's device files do not exist.
void confineDevice(const Options& options);

}  // namespace a2
