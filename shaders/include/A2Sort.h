// What the kernels and the host code of the sorts agree on, written once for both languages.
#ifndef A2_SORT_H
#define A2_SORT_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// The radix sort goes by the digits of the keys, from the lowest to the highest. The longer they are, the fewer passes there
// are, and the more counters to a tile: those of 8 bits are for tiles beside which 256 counters are few.
#define SORT_DIGIT_BITS(tile) ((tile) < 1024 ? 4 : 8)
#define SORT_DIGITS(tile) (1 << SORT_DIGIT_BITS(tile))
#define SORT_COPIES 4  // of the counters in A2SortCount
// Invocations of A2SortScatter that share a row of counters: whole subgroups, and no more than eight rows to 1024.
#define SORT_ROW(workGroup) ((workGroup) <= 256 ? 32 : (workGroup) <= 512 ? 64 : 128)

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
#endif
#endif
