// The steps of a bitonic sort whose pairs lie within a tile, in shared memory: device memory is read and written once for
// all of them.
//
// Either each tile is sorted, or the last steps of a merge are done in it, from pairs half a tile apart down.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Sort.h"
#include "include/A2SortPairs.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) buffer Keys { uint keys[]; };
layout(push_constant) uniform Push { SortStepPush push; };

// A merge has a power of two of keys: the largest that fits.
const uint TILE = NEXT_POWER_OF_TWO(gl_WorkGroupSize.x * ELEMENTS + 1) / 2;
shared uint tile[TILE];

// BEGIN SOLUTION: one step in the tile, and the steps that end a merge
void compare(uint stride, bool starts)
{
    for (uint pair = gl_LocalInvocationID.x; pair < TILE / 2; pair += gl_WorkGroupSize.x) {
        const uvec2 at = keysOf(pair, stride, starts);
        const uint first = tile[at.x], second = tile[at.y];
        tile[at.x] = min(first, second);
        tile[at.y] = max(first, second);
    }
    barrier();  // the next step has other pairs
}

void endMerge(uint stride)
{
    for (; stride > 0; stride /= 2) compare(stride, false);
}
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: load the tile, sort it or end a merge in it, store it
    const uint begin = workGroupNumber() * TILE;
    for (uint i = gl_LocalInvocationID.x; i < TILE; i += gl_WorkGroupSize.x)
        tile[i] = begin + i < push.count ? keys[begin + i] : 0xFFFFFFFF;
    barrier();  // every key is there before the first pair is compared

    if (push.starts != 0) {
        for (uint run = 1; run < TILE; run *= 2) {
            compare(run, true);
            endMerge(run / 2);
        }
    } else {
        endMerge(TILE / 2);
    }

    for (uint i = gl_LocalInvocationID.x; i < TILE; i += gl_WorkGroupSize.x)
        if (begin + i < push.count) keys[begin + i] = tile[i];
    // END SOLUTION
}
