// Unrolled: the tree's strides are written out as constants, so no loop counter, no test and no branch is left between barriers.
//
// The work-group size is a specialisation constant, so the driver drops the steps that are too wide for it.
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

// BEGIN SOLUTION: shared memory, and one step of the tree as a macro, whose stride is a constant
shared uint partial[gl_WorkGroupSize.x];

// One step of the tree. The second test only matters where the work-group size is no power of two. The barrier stays in
// the last steps too: Vulkan does not promise that the invocations of a subgroup run in lockstep.
#define STEP(stride)                                             \
    if (gl_WorkGroupSize.x > stride) {                           \
        if (lane < stride && lane + stride < gl_WorkGroupSize.x) \
            partial[lane] = sum += partial[lane + stride];       \
        barrier();                                               \
    }
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: as in A2Task1KernelDecomposition.comp, its steps written out
    const uint lane = gl_LocalInvocationID.x;
    uint sum = sumOfMyElements();  // stays in a register: only neighbours read the copy in shared memory
    partial[lane] = sum;
    barrier();  // every partial sum is written before anyone reads a neighbour's

    STEP(1024)
    STEP(512)
    STEP(256)
    STEP(128)
    STEP(64)
    STEP(32)
    STEP(16)
    STEP(8)
    STEP(4)
    STEP(2)
    STEP(1)

    if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = sum;
    // END SOLUTION
}
