// Atomics: one shared variable collects the whole work-group's sum, so two barriers replace one per tree level.
//
// The order of the additions is not fixed; for integers every order gives the same sum.
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

// BEGIN SOLUTION: the sum of the whole work-group in shared memory
shared uint groupSum;
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: add every sumOfMyElements() into one sum, and store that in sums[workGroupNumber()]
    if (gl_LocalInvocationID.x == 0) groupSum = 0;
    barrier();  // the sum is 0 before the first addition

    atomicAdd(groupSum, sumOfMyElements());
    barrier();  // every invocation has added before the sum is read

    if (gl_LocalInvocationID.x == 0 && workGroupHasTile()) sums[workGroupNumber()] = groupSum;
    // END SOLUTION
}
