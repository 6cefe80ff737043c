// A library of solutions of another version, or one without solutions.

#include "recording/Frames.h"

#ifdef _WIN32
#define A2_EXPORT extern "C" __declspec(dllexport)
#else
#define A2_EXPORT extern "C" __attribute__((visibility("default")))
#endif

A2_EXPORT unsigned a2WorkerVersion() { return a2::workerVersion + 1; }

#ifndef A2_TEST_NO_SERVE
A2_EXPORT int a2Serve(std::intptr_t, std::intptr_t, const a2::ServeLimits*) { return 0; }
#endif
