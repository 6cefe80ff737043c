// What the kernels and the host code of the labs agree on, written once for both languages.
#ifndef A2_LABS_H
#define A2_LABS_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

// Bindings of the obstacles.
#define BINDING_FLAGS 1   // 1 for each beam that sees one
#define BINDING_STARTS 2  // 1 for each beam that is the first to see one
#define BINDING_FIRSTS 2  // the first beam of each,
#define BINDING_LASTS 3   // and the last one

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

#ifdef __cplusplus
static_assert(sizeof(ObstacleFlagsPush) == 8 && sizeof(ObstacleRunsPush) == 4 && sizeof(AddPeakPush) == 8);
}  // namespace a2
#endif
#endif
