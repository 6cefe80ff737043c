// A histogram, the plain way: each element adds one to its bin in device memory, by an atomic.
//
// Right at once, and slow: many invocations meet at few bins, and an atomic on a word that others are at waits for them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Histogram.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) buffer Bins { uint bins[]; };  // zero before the first slice
layout(push_constant) uniform Push { HistogramPush push; };

void main()
{
    // BEGIN SOLUTION: count each element of the group's tile in its bin
    const uint begin = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS;
    const uint end = min(begin + gl_WorkGroupSize.x * ELEMENTS, push.count);
    for (uint i = begin + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        atomicAdd(bins[source[i] % HISTOGRAM_BINS], 1);
    // END SOLUTION
}
