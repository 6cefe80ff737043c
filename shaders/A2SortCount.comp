// First of three dispatches of each pass of a radix sort: how many keys of each tile have which digit.
//
// Counters are kept in copies, as in A2HistogramReplicas.comp, since 16 digits are few for many invocations.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Sort.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Counts { uint counts[]; };  // digit by digit, in each the tiles
layout(push_constant) uniform Push { RadixPush push; };

shared uint counted[SORT_DIGITS * SORT_COPIES];  // copy c of digit d: element d * SORT_COPIES + c

void main()
{
    // BEGIN SOLUTION: clear the counters, count the tile's digits, write how many there are of each
    for (uint i = gl_LocalInvocationID.x; i < SORT_DIGITS * SORT_COPIES; i += gl_WorkGroupSize.x) counted[i] = 0;
    barrier();  // every counter is zero before the first key is counted

    const uint tile = workGroupNumber(), begin = tile * gl_WorkGroupSize.x * ELEMENTS;
    const uint end = min(begin + gl_WorkGroupSize.x * ELEMENTS, push.count);
    for (uint i = begin + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        atomicAdd(counted[digitOf(source[i], push.shift) * SORT_COPIES + gl_LocalInvocationID.x % SORT_COPIES], 1);
    barrier();  // all keys are counted before the first counter is read

    if (tile >= push.tiles) return;  // of a folded dispatch
    for (uint digit = gl_LocalInvocationID.x; digit < SORT_DIGITS; digit += gl_WorkGroupSize.x) {
        uint sum = 0;
        [[unroll]] for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counted[digit * SORT_COPIES + copy];
        counts[digit * push.tiles + tile] = sum;
    }
    // END SOLUTION
}
