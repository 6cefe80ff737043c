// First of three dispatches of each pass of a radix sort: how many keys of each tile have which digit.
//
// Counters are kept in copies, as in A2HistogramReplicas.comp: keys that are next to each other may be the same.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Sort.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Counts { uint counts[]; };  // digit by digit, in each the tiles
layout(push_constant) uniform Push { RadixPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS, DIGITS = SORT_DIGITS(TILE);
shared uint counted[DIGITS * SORT_COPIES];  // copy c of digit d: element d * SORT_COPIES + c

void main()
{
    // BEGIN SOLUTION: clear the counters, count the tile's digits, write how many there are of each
    for (uint i = gl_LocalInvocationID.x; i < DIGITS * SORT_COPIES; i += gl_WorkGroupSize.x) counted[i] = 0;
    barrier();  // every counter is zero before the first key is counted

    const uint tile = workGroupNumber(), begin = tile * TILE;
    uint keys[ELEMENTS];  // all are asked for before the first is needed
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
        const uint i = begin + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        keys[k] = i < push.count ? source[i] : 0xFFFFFFFF;  // what is beyond the end counts as the largest digit
    }
    const uint copy = gl_LocalInvocationID.x % SORT_COPIES;
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k)
        atomicAdd(counted[(keys[k] >> push.shift & (DIGITS - 1)) * SORT_COPIES + copy], 1);
    barrier();  // all keys are counted before the first counter is read

    if (tile >= push.tiles) return;  // of a folded dispatch
    for (uint digit = gl_LocalInvocationID.x; digit < DIGITS; digit += gl_WorkGroupSize.x) {
        uint sum = 0;
        [[unroll]] for (uint c = 0; c < SORT_COPIES; ++c) sum += counted[digit * SORT_COPIES + c];
        counts[digit * push.tiles + tile] = sum;
    }
    // END SOLUTION
}
