// When RenderDoc is loaded, it opens a TCP port for its window on every network of the machine. No setting prevents
// that.
#pragma once

namespace a2 {

// From now on bind() gives no socket of this process an internet address, so that none of them listens. RenderDoc works
// without. On Linux; elsewhere this does nothing.
void keepPortsClosed();

}  // namespace a2
