// Second of three dispatches of each pass of a radix sort: of each digit, how many keys have it in the tiles before each
// tile, and in all. One work-group per digit scans its row of the counts in place.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Sort.h"
#include "include/A2SortGroupScan.glsl"

layout(set = 0, binding = BINDING_IN) buffer Counts { uint counts[]; };  // become offsets
layout(set = 0, binding = BINDING_OUT) writeonly buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { RadixPush push; };

void main()
{
    const uint digit = workGroupNumber();
    if (digit >= SORT_DIGITS) return;  // of a folded dispatch
    // BEGIN SOLUTION: each invocation sums its part of the row; the scan of these sums is where its part's offsets begin
    const uint part = (push.tiles + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    const uint row = digit * push.tiles;
    const uint first = row + min(gl_LocalInvocationID.x * part, push.tiles);
    const uint end = min(first + part, row + push.tiles);
    uint sum = 0;
    for (uint i = first; i < end; ++i) sum += counts[i];

    uint offset = sumOfThoseBefore(sum);
    for (uint i = first; i < end; ++i) {
        const uint count = counts[i];
        counts[i] = offset;
        offset += count;
    }
    if (gl_LocalInvocationID.x == gl_WorkGroupSize.x - 1) totals[digit] = offset;
    // END SOLUTION
}
