// Second of three dispatches of each pass of a radix sort: of each digit, how many keys have it in the tiles before each
// tile, and in all. One work-group per digit scans its row of the counts in place.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Sort.h"
#include "include/A2SortGroupScan.glsl"

layout(set = 0, binding = BINDING_IN) buffer Counts { uint counts[]; };  // become offsets
layout(set = 0, binding = BINDING_OUT) writeonly buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { RadixPush push; };

const uint EACH = 8;  // counts that one invocation scans at a time
shared uint nextOffset;  // of the next part of the row

void main()
{
    // BEGIN SOLUTION: scan the row part by part
    const uint digit = gl_WorkGroupID.x, row = digit * push.tiles, last = gl_WorkGroupSize.x - 1;
    uint offset = 0;  // of this part
    for (uint part = 0; part < push.tiles; part += gl_WorkGroupSize.x * EACH) {
        const uint first = part + gl_LocalInvocationID.x * EACH;
        uint count[EACH], sum = 0;
        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            count[i] = first + i < push.tiles ? counts[row + first + i] : 0;
            sum += count[i];
        }
        uint before = offset + sumOfThoseBefore(sum);
        if (gl_LocalInvocationID.x == last) nextOffset = before + sum;
        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            if (first + i < push.tiles) counts[row + first + i] = before;
            before += count[i];
        }
        barrier();  // it is there; sumOfThoseBefore() waits before it is written again
        offset = nextOffset;
    }
    if (gl_LocalInvocationID.x == last) totals[digit] = offset;
    // END SOLUTION
}
