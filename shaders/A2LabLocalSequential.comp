// The same tree with the workers side by side: no remainders, whole subgroups that are done early, and neighbouring words.
//
// The partial sums that are left fill the front of the tile; invocation t adds the one half the way further on to its own.
// As many additions as in LocalModulo, from as many invocations: all that differs is which ones.
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

    for (uint live = TILE; live > 1; live = (live + 1) / 2) {
        const uint width = (live + 1) / 2;  // rounded up: an odd one in the middle waits for the next step
        barrier();  // the sums of the step before are written
        for (uint t = lane; t + width < live; t += gl_WorkGroupSize.x) partial[t] += partial[t + width];
    }

    // Invocation 0 made the last sum itself. Groups that only fill up the last row of a folded dispatch have no tile.
    if (lane == 0 && begin < push.count) sums[workGroupNumber()] = partial[0];
}
