// Several histograms per work-group: neighbouring invocations count in copies of their own, so that equal elements, which
// often lie beside each other, do not meet at one word of shared memory. Elements come four at a time.
//
// The copies of a bin lie beside each other: invocations that count equal elements in different copies find them in
// different banks.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Histogram.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 4;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) buffer Bins { uint bins[]; };  // zero before the first slice
layout(push_constant) uniform Push { HistogramPush push; };

const uint COPIES = HISTOGRAM_COPIES;
shared uint counted[HISTOGRAM_BINS * COPIES];  // copy c of bin b: element b * COPIES + c

void count(uint element)
{
    atomicAdd(counted[element % HISTOGRAM_BINS * COPIES + gl_LocalInvocationID.x % COPIES], 1);
}

void main()
{
    // BEGIN SOLUTION: as in A2HistogramShared.comp, with copies of each bin
    for (uint i = gl_LocalInvocationID.x; i < HISTOGRAM_BINS * COPIES; i += gl_WorkGroupSize.x) counted[i] = 0;
    barrier();  // every copy is zero before the first element is counted

    const uint tile = gl_WorkGroupSize.x * ELEMENTS, begin = workGroupNumber() * tile;
    if (ELEMENTS % 4 == 0 && begin < push.count && push.count - begin >= tile) {
        // A full tile needs no bounds test, so the loads do not wait for one another.
        uvec4 vectors[(ELEMENTS + 3) / 4];  // of none there is no array
        [[unroll]] for (uint k = 0; k < ELEMENTS / 4; ++k)
            vectors[k] = sourceVectors[begin / 4 + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
        [[unroll]] for (uint k = 0; k < ELEMENTS / 4; ++k)
            [[unroll]] for (uint c = 0; c < 4; ++c) count(vectors[k][c]);
    } else {
        const uint end = min(begin + tile, push.count);
        for (uint i = begin + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) count(source[i]);
    }
    barrier();  // all elements are counted before the first bin is read

    for (uint bin = gl_LocalInvocationID.x; bin < HISTOGRAM_BINS; bin += gl_WorkGroupSize.x) {
        uint sum = 0;
        [[unroll]] for (uint copy = 0; copy < COPIES; ++copy) sum += counted[bin * COPIES + copy];
        if (sum > 0) atomicAdd(bins[bin], sum);
    }
    // END SOLUTION
}
