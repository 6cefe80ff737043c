// What the kernel and the host code of the rotation of a matrix (a2 theory rotate) agree on, written once for both
// languages.
#ifndef A2_LAB_ROTATE_H
#define A2_LAB_ROTATE_H

#ifdef __cplusplus
#include "A2Kernels.h"
namespace a2 {
#else
#include "include/A2Kernels.h"  // of the kernel's folder, where it has one
#endif

struct RotatePush {
    uint rows, columns;  // of the matrix as it is given
};

#ifdef __cplusplus
static_assert(sizeof(RotatePush) == 8);
}  // namespace a2
#endif
#endif
