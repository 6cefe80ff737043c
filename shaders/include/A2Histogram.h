// What the kernels and the host code of the histogram agree on, written once for both languages.
#ifndef A2_HISTOGRAM_H
#define A2_HISTOGRAM_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// Element x is counted in bin x % HISTOGRAM_BINS: the low eight bits, the first digit of a radix sort.
#define HISTOGRAM_BINS 256
// How often A2HistogramReplicas keeps each bin.
#define HISTOGRAM_COPIES 8

struct HistogramPush {
    uint count;  // elements in the slice
};

#ifdef __cplusplus
static_assert(sizeof(HistogramPush) == 4);
}  // namespace a2
#endif
#endif
