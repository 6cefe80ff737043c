// Kernel decomposition: a work-group adds up a whole tile in shared memory, so global memory is read once and written
// once per tile, and a handful of dispatches replaces one per tree level.
//
// ELEMENTS elements per invocation are added while they are loaded. Then the number of live partial sums in shared
// memory is halved until one is left.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { DecompositionPush push; };

#include "include/A2LoadTile.glsl"

// BEGIN SOLUTION: shared memory for the partial sums of a work-group
shared uint partial[gl_WorkGroupSize.x];
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: from sumOfMyElements() to one sum in shared memory, and that to sums[workGroupNumber()]
    const uint lane = gl_LocalInvocationID.x;
    uint sum = sumOfMyElements();  // stays in a register: only neighbours read the copy in shared memory
    partial[lane] = sum;
    barrier();  // every partial sum is written before anyone reads a neighbour's

    for (uint stride = NEXT_POWER_OF_TWO(gl_WorkGroupSize.x) / 2; stride > 0; stride /= 2) {
        // The second test only matters where the work-group size is no power of two.
        if (lane < stride && lane + stride < gl_WorkGroupSize.x) {
            sum += partial[lane + stride];
            partial[lane] = sum;
        }
        barrier();  // the next step reads what this one wrote; all invocations come here, also the idle ones
    }

    if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = sum;
    // END SOLUTION
}
