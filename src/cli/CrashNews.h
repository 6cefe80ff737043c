// The last message of the device's process when it crashes: whether the driver or a2 itself caused it.
#pragma once

#include "recording/Pipe.h"

#include <memory>
#include <mutex>

namespace a2 {

// From now on a signal that means a crash sends a last message through the pipe, {"is": "crash", "who": WHO, "call":
// NAME}, before it ends this program in the usual way. WHO: "driver" (the thread was in a call of the driver, or is one
// of the driver's), "a2", "kernel" (a2's own code, after a driver ran kernels in this process, which may have
// overwritten its memory), or "outside" (another process sent the signal). NAME: the driver's function; empty: none.
//
// writing: the lock for writing into the pipe. The thread that calls this is one of a2's own. Call it once.
void tellOfCrashes(const Pipe& pipe, std::shared_ptr<std::mutex> writing);

}  // namespace a2
