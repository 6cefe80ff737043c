// What kernels (GLSL) and host code (C++) of all tasks agree on, written once: both languages include this file.
// Specialisation constants, binding numbers, the shared-memory index macro, and what number an invocation has. Push
// constants and what else belongs to one task: A2Task1.h, A2Task2.h, A2Labs.h.
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

// Bindings, all storage buffers of 32-bit words in descriptor set 0.
#define BINDING_IN 0   // what the kernel reads; in-place kernels read and write it
#define BINDING_OUT 1  // what it writes

// No index wraps: kernels count from the start of what is bound (longer arrays are bound in slices, a2/Slices.h). A
// binding holds at most maxStorageBufferRange < 2^32 bytes, fewer than 2^30 elements, and rounding up to whole
// work-groups and folded rows adds far less than the three bits that are left.

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

// The next power of two from n on, for 0 < n <= 2^16, as a constant: copies the highest bit of n - 1 into all lower bits.
#define SPREAD_1(n) ((n) | ((n) >> 1))
#define SPREAD_2(n) (SPREAD_1(n) | (SPREAD_1(n) >> 2))
#define SPREAD_4(n) (SPREAD_2(n) | (SPREAD_2(n) >> 4))
#define NEXT_POWER_OF_TWO(n) ((SPREAD_4((n) - 1) | (SPREAD_4((n) - 1) >> 8)) + 1)

#ifdef __cplusplus
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
