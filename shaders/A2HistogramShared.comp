// A histogram per work-group in shared memory, added to the one in device memory at the end.
//
// Atomics in shared memory are close by, and only the work-group's own invocations meet at a bin. Of what a tile counts,
// one atomic per bin goes to device memory.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Histogram.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) buffer Bins { uint bins[]; };  // zero before the first slice
layout(push_constant) uniform Push { HistogramPush push; };

shared uint counted[HISTOGRAM_BINS];

void main()
{
    // BEGIN SOLUTION: clear the group's bins, count its tile in them, add them to those of all
    for (uint bin = gl_LocalInvocationID.x; bin < HISTOGRAM_BINS; bin += gl_WorkGroupSize.x) counted[bin] = 0;
    barrier();  // every bin is zero before the first element is counted

    const uint begin = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS;
    const uint end = min(begin + gl_WorkGroupSize.x * ELEMENTS, push.count);
    for (uint i = begin + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        atomicAdd(counted[source[i] % HISTOGRAM_BINS], 1);
    barrier();  // all elements are counted before the first bin is read

    for (uint bin = gl_LocalInvocationID.x; bin < HISTOGRAM_BINS; bin += gl_WorkGroupSize.x)
        if (counted[bin] > 0) atomicAdd(bins[bin], counted[bin]);
    // END SOLUTION
}
