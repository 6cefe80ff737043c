// What kernels (GLSL) and host code (C++) must agree on, written once: both languages include this file.
// Specialisation constants, binding numbers, push constants and the shared-memory index macro.
#ifndef A2_KERNELS_H
#define A2_KERNELS_H

#ifdef __cplusplus
#include <cstdint>
namespace a2 {
using uint = std::uint32_t;
#endif

// Specialisation constants.
#define SPEC_WORK_GROUP 0  // invocations per work-group
#define SPEC_ELEMENTS 1   // elements per invocation; the assignment's own shape is 2
#define SPEC_EXCLUSIVE 2  // scans: 0 inclusive, 1 exclusive
#define SPEC_PLACES 3     // places of the array that work-groups take turns in; more than 1 for very long arrays
#define SPEC_BANKS 4      // NUM_BANKS; the host sets it only to compare kernels with and without padding

// Bindings, all storage buffers of uint in descriptor set 0.
#define BINDING_IN 0          // what the kernel reads; in-place kernels read and write it
#define BINDING_OUT 1         // what it writes
#define BINDING_BLOCK_SUMS 2  // work-efficient scan: one total per tile
#define BINDING_OFFSETS 1      // Offset kernel: what to add to each tile
#define BINDING_RUNNING_SUM 2  // subgroup reduction: what the work-groups that are done have added up to
#define BINDING_TILE_STATES 2  // decoupled look-back: what each tile has published
#define BINDING_FLAGS 1        // obstacles: 1 for each beam that sees one
#define BINDING_STARTS 2       // obstacles: 1 for each beam that is the first to see one
#define BINDING_FIRSTS 2       // obstacles: the first beam of each,
#define BINDING_LASTS 3        // and the last one

// The two Task 1 kernels in global memory, one dispatch per step.
// Before the step, element i * stride (Interleaved) or i (Sequential) holds a partial sum.
//
// No index wraps: kernels count from the start of what is bound (longer arrays are bound in slices, a2/Slices.h). A
// binding holds at most maxStorageBufferRange < 2^32 bytes, fewer than 2^30 elements, and rounding up to whole
// work-groups and folded rows adds far less than the three bits that are left.
struct InterleavedPush {
    uint count;        // elements in the whole array
    uint stride;       // distance between two live partial sums
    uint invocations;  // how many have a partner to add in this step
};
struct SequentialPush {
    uint live;   // partial sums at the front of the array
    uint width;  // how many of them are left after this step
};
// KernelDecomposition, Unroll and Atomic, one dispatch per level.
struct DecompositionPush {
    uint count;  // elements this level reads
};
// Subgroup reduction, one dispatch per bound slice of the array.
struct SubgroupPush {
    uint count;   // elements in the slice
    uint groups;  // work-groups of all slices together
};
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
// Obstacles.
struct ObstacleFlagsPush {
    uint count;         // beams
    float maxDistance;  // what is nearer is an obstacle
};
struct ObstacleRunsPush {
    uint count;  // beams
};

// Add peak.
struct AddPeakPush {
    uint x, y;  // what the numbers start from
};
#define ADD_PEAK_ROUNDS 256  // turns of the loop
#define ADD_PEAK_UNROLL 8    // times in each that every number is added to

// Rotation of a matrix.
struct RotatePush {
    uint rows, columns;  // of the matrix as it is given
};

// Shared memory has NUM_BANKS banks of one 32-bit word; two invocations of a subgroup that touch different words of
// one bank wait for each other. One word of padding after every NUM_BANKS words moves the words of a power-of-two
// stride, which would all fall into one bank, to neighbouring banks.
#define BANKS_TODAY 32  // 16 on GPUs from before 2010
#define CONFLICT_FREE_INDEX(index) ((index) + (index) / NUM_BANKS)
#ifdef __cplusplus
#define NUM_BANKS BANKS_TODAY
#else
layout(constant_id = SPEC_BANKS) const uint NUM_BANKS = BANKS_TODAY;
#endif

// Decoupled look-back: the words of two tiles lie so far apart, because work-groups that look at many tiles at once would
// otherwise queue up for the same few cache lines (measured on an NVIDIA H200: 8 bytes apart 0.37 ms, 64 bytes 0.31 ms).
#define WORDS_PER_TILE_STATE 16
#define TILE_STATE_COUNTERS 2  // words before the first tile's

// The next power of two from n on, for 0 < n <= 2^16, as a constant: copies the highest bit of n - 1 into all lower bits.
#define SPREAD_1(n) ((n) | ((n) >> 1))
#define SPREAD_2(n) (SPREAD_1(n) | (SPREAD_1(n) >> 2))
#define SPREAD_4(n) (SPREAD_2(n) | (SPREAD_2(n) >> 4))
#define NEXT_POWER_OF_TWO(n) ((SPREAD_4((n) - 1) | (SPREAD_4((n) - 1) >> 8)) + 1)

#ifdef __cplusplus
static_assert(sizeof(InterleavedPush) == 12 && sizeof(SequentialPush) == 8 && sizeof(NaivePush) == 12);
static_assert(sizeof(DecompositionPush) == 4 && sizeof(TileScanPush) == 4 && sizeof(OffsetPush) == 8);
static_assert(sizeof(SubgroupPush) == 8 && sizeof(LookbackPush) == 12 && sizeof(RotatePush) == 8);
static_assert(sizeof(ObstacleFlagsPush) == 8 && sizeof(ObstacleRunsPush) == 4);
static_assert(NEXT_POWER_OF_TWO(1) == 1 && NEXT_POWER_OF_TWO(5) == 8 && NEXT_POWER_OF_TWO(1024) == 1024);
}  // namespace a2
#else

// The host sets the work-group size of every kernel by specialisation constant 0. It must be declared before the first
// use of gl_WorkGroupSize: further down, glslang would silently take it for 1 there.
layout(local_size_x_id = SPEC_WORK_GROUP) in;

// The work-group's number in the whole dispatch. A device may allow no more than 65535 groups along x, so the host
// folds longer dispatches over x and y (include/a2/Gpu.h, groupsFor); this unfolds them.
//
// Groups that start one after the other have neighbouring numbers, and so neighbouring tiles; in very long arrays they
// take turns in PLACES parts of the dispatch. Otherwise all of them would come to a new page of memory at the same
// moment, and wait for its address together (measured on an NVIDIA H200: scan/local of 2^32 elements took 10.1 ms,
// and takes 8.7 ms with 4 parts).
layout(constant_id = SPEC_PLACES) const uint PLACES = 1;
uint workGroupNumber()
{
    const uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (PLACES == 1) return number;
    const uint groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y, place = number % PLACES;
    // The first groups % PLACES parts have one group more.
    return place * (groups / PLACES) + min(place, groups % PLACES) + number / PLACES;
}

// The invocation's number in the whole dispatch.
uint invocationNumber() { return workGroupNumber() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

#endif
#endif
