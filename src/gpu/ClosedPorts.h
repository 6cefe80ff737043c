// RenderDoc opens a TCP port for its window when it is loaded, on every network of the machine, and has no setting
// against that.
#pragma once

namespace a2 {

// From now on no socket of this process gets an internet address by bind(), so that nothing in it listens. RenderDoc
// does without. On Linux; elsewhere this does nothing.
void keepPortsClosed();

}  // namespace a2
