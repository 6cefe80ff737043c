// What the device's process still says when it crashes: whether that was the driver's doing or a2's own.
#pragma once

#include "recording/Pipe.h"

#include <memory>
#include <mutex>

namespace a2 {

// From now on a signal that means a crash sends a last message through the pipe, {"is": "crash", "who": WHO, "call":
// NAME}, before it ends this program as it would have. WHO: "driver" (the thread was in a call of the driver, or is one
// of the driver's), "a2", "kernel" (a2's own code, after a driver ran kernels in this process, which may have written
// over its memory), or "outside" (another process sent the signal). NAME: the driver's function; empty: none.
//
// writing: held by whoever writes into the pipe. The thread that calls this is one of a2's own. Call it once.
void tellOfCrashes(const Pipe& pipe, std::shared_ptr<std::mutex> writing);

}  // namespace a2
