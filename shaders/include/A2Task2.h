// What the kernels and the host code of Task 2, parallel prefix sum, agree on, written once for both languages.
#ifndef A2_TASK2_H
#define A2_TASK2_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// Bindings beside the input and the output.
#define BINDING_BLOCK_SUMS 2   // work-efficient scan: one total per tile
#define BINDING_OFFSETS 1      // Offset kernel: what to add to each tile
#define BINDING_TILE_STATES 2  // decoupled look-back: what each tile has published

// Naive scan, one dispatch per doubling of the stride.
struct NaivePush {
    uint count;   // elements in the whole array
    uint stride;  // distance to the element added in this step
    uint shift;   // 1 in the first step of an exclusive scan (reads one element to the left), otherwise 0
};
// Work-efficient scan of every tile, and the Offset kernel that finishes it.
struct TileScanPush {
    uint count;  // elements in this level's array
};
struct OffsetPush {
    uint count;      // elements in the array the offsets are added to
    uint firstTile;  // the first tile with something to its left: 1; in all but the first slice of a longer array 0
};
// Decoupled look-back, one dispatch per bound slice of the array.
struct LookbackPush {
    uint count;       // elements in the slice
    uint firstGroup;  // work-groups of the slices before
    uint groups;      // work-groups of all slices together
};
// Scan by persistent work-groups, one dispatch per bound slice of the array.
struct PersistentPush {
    uint count;  // elements in the slice
    uint slice;  // slices before
};

// Decoupled look-back: the words of two tiles lie so far apart, because work-groups that look at many tiles at once would
// otherwise queue up for the same few cache lines (measured on an NVIDIA H200: 8 bytes apart 0.37 ms, 64 bytes 0.31 ms).
#define WORDS_PER_TILE_STATE 16
#define TILE_STATE_COUNTERS 2  // words before the first tile's

// Scan by persistent work-groups, whose invocations look at each tile once: 32 bytes apart 0.267 ms, 64 bytes 0.269.
#define PERSISTENT_WORDS_PER_TILE 8
#define PERSISTENT_COUNTERS 4  // words before the first tile's

#ifdef __cplusplus
static_assert(sizeof(NaivePush) == 12 && sizeof(TileScanPush) == 4);
static_assert(sizeof(OffsetPush) == 8 && sizeof(LookbackPush) == 12 && sizeof(PersistentPush) == 8);
}  // namespace a2
#endif
#endif
