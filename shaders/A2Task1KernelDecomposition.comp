// Kernel decomposition: a work-group adds up a whole tile in shared memory, so global memory is read once and written
// once per tile, and a handful of dispatches replaces one per tree level.
//
// ELEMENTS elements per invocation are added while they are loaded. Then the number of live partial sums in shared
// memory is halved until one is left.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Kernels.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { DecompositionPush push; };

#include "include/A2LoadTile.glsl"

shared uint partial[gl_WorkGroupSize.x];

void main()
{
    const uint lane = gl_LocalInvocationID.x;
    partial[lane] = sumOfMyElements();
    barrier();  // every partial sum is written before anyone reads a neighbour's

    // Rounding up lets any work-group size through, not only powers of two.
    for (uint live = gl_WorkGroupSize.x; live > 1;) {
        const uint width = (live + 1) / 2;
        if (lane < live - width) partial[lane] += partial[lane + width];
        barrier();  // the next step reads what this one wrote; all invocations come here, also the idle ones
        live = width;
    }

    if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = partial[0];
}
