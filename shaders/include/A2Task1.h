// What the kernels and the host code of Task 1, parallel reduction, agree on, written once for both languages.
#ifndef A2_TASK1_H
#define A2_TASK1_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// Bindings beside the input and the output.
#define BINDING_RUNNING_SUM 2  // subgroup reduction: what the work-groups that are done have added up to

// The two Task 1 kernels in global memory, one dispatch per step.
// Before the step, element i * stride (Interleaved) or i (Sequential) holds a partial sum.
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

#ifdef __cplusplus
static_assert(sizeof(InterleavedPush) == 12 && sizeof(SequentialPush) == 8);
static_assert(sizeof(DecompositionPush) == 4 && sizeof(SubgroupPush) == 8);
}  // namespace a2
#endif
#endif
