// A library of solutions that ends the worker when it gets its first request.

#include "recording/Frames.h"

#include <cstdlib>

extern "C" unsigned a2WorkerVersion() { return a2::workerVersion; }
extern "C" int a2Serve(std::intptr_t, std::intptr_t, const a2::ServeLimits*) { std::abort(); }
