// One step of a bitonic sort (Batcher, 1968), the plain way: each invocation compares pairs of keys in device memory, and
// swaps those that are in the wrong order.
//
// n keys take log2(n) (log2(n) + 1) / 2 steps, a dispatch each, and each of them reads all keys and writes many.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Sort.h"
#include "include/A2SortPairs.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;  // even
layout(set = 0, binding = BINDING_IN) buffer Keys { uint keys[]; };
layout(push_constant) uniform Push { SortStepPush push; };

void main()
{
    // BEGIN SOLUTION: of each of my pairs, put the smaller key first
    const uint pairs = gl_WorkGroupSize.x * (ELEMENTS / 2), begin = workGroupNumber() * pairs;
    for (uint i = gl_LocalInvocationID.x; i < pairs; i += gl_WorkGroupSize.x) {
        const uvec2 at = keysOf(begin + i, push.stride, push.starts != 0);
        if (at.y >= push.count) continue;
        const uint first = keys[at.x], second = keys[at.y];
        if (first <= second) continue;
        keys[at.x] = second;
        keys[at.y] = first;
    }
    // END SOLUTION
}
