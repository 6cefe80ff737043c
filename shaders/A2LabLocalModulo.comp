// A tree in shared memory, chosen by remainders: the point compared with is LocalSequential, which does the same additions.
//
// In the step with stride s, invocation t works if t is a multiple of s. Those that do lie ever further apart: almost every
// subgroup still has one, and runs for it alone (divergence); a remainder is a slow division; and the words they touch
// are a power of two apart, so they queue up for the same shared-memory bank.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Element.h"
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { Element source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { Element sums[]; };
layout(push_constant) uniform Push { DecompositionPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS;
shared Element partial[TILE];

void main()
{
    const uint begin = workGroupNumber() * TILE;
    const uint lane = gl_LocalInvocationID.x;
    for (uint i = lane; i < TILE; i += gl_WorkGroupSize.x) partial[i] = begin + i < push.count ? source[begin + i] : 0;

    for (uint stride = 1; stride < TILE; stride *= 2) {
        barrier();  // the sums of the step before are written
        for (uint t = lane; t < TILE / 2; t += gl_WorkGroupSize.x)
            // The second test only matters where the tile is no power of two.
            if (t % stride == 0 && 2 * t + stride < TILE) partial[2 * t] += partial[2 * t + stride];
    }

    // Invocation 0 made the last sum itself. Groups that only fill up the last row of a folded dispatch have no tile.
    if (lane == 0 && begin < push.count) sums[workGroupNumber()] = partial[0];
}
