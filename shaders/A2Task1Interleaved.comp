// Interleaved addressing: a tree of additions in place, the plainest parallel reduction and the ladder's first rung.
//
// One dispatch per step. Live partial sums lie `stride` apart; each invocation adds ELEMENTS neighbours into the
// first of them. From step to step they lie further apart, so that a subgroup's loads fall into ever more memory
// transactions of which it uses ever fewer bytes: that is what the next rung mends.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) buffer Data { uint data[]; };
layout(push_constant) uniform Push { InterleavedPush push; };

void main()
{
    // BEGIN SOLUTION: add the live partial sums that are push.stride apart, ELEMENTS into the first of them
    // The last work-group has invocations to spare; no barrier() follows, so a guard is all they need.
    if (invocationNumber() < push.invocations) {
        const uint first = invocationNumber() * ELEMENTS * push.stride;
        const uint partners = (push.count - 1 - first) / push.stride;  // live partial sums to the right

        uint sum = data[first];
        for (uint k = 1; k < ELEMENTS; ++k)
            if (k <= partners) sum += data[first + k * push.stride];
        data[first] = sum;  // no other invocation uses this element in this step
    }
    // END SOLUTION
}
