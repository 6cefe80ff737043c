// What the kernels and the host code of the sorts agree on, written once for both languages.
#ifndef A2_SORT_H
#define A2_SORT_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// The radix sort goes by the digits of the keys, of four bits each, from the lowest to the highest.
#define SORT_DIGIT_BITS 4
#define SORT_DIGITS (1 << SORT_DIGIT_BITS)
#define SORT_PASSES (32 / SORT_DIGIT_BITS)
#define SORT_COPIES 8  // of the counters in A2SortCount

// Further bindings of A2SortScatter.
#define BINDING_TILE_OFFSETS 2
#define BINDING_DIGIT_TOTALS 3

// One step of a bitonic sort, or in A2SortShared all those that lie within tiles.
struct SortStepPush {
    uint count;   // keys
    uint stride;  // how far apart a pair's keys are: a power of two
    uint starts;  // 1: the step starts a merge. A2SortShared: 1: tiles are sorted; 0: a merge is ended in them
};

struct RadixPush {
    uint count;  // keys
    uint tiles;
    uint shift;  // of the digit, in bits
};

#ifdef __cplusplus
static_assert(sizeof(SortStepPush) == 12 && sizeof(RadixPush) == 12);
}  // namespace a2
#else

uint digitOf(uint key, uint shift) { return key >> shift & (SORT_DIGITS - 1); }

#endif
#endif
