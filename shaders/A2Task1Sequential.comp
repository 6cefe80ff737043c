// Sequential addressing: neighbouring invocations touch neighbouring elements, so every memory transaction is used whole.
//
// One dispatch per step. The live partial sums fill the front of the array; the array is cut into ELEMENTS chunks of
// `width`, and invocation i adds element i of every chunk into element i of the first. Every step still reads from and
// writes to global memory: that is what the next rung mends.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) buffer Data { uint data[]; };
layout(push_constant) uniform Push { SequentialPush push; };

void main()
{
    // BEGIN SOLUTION: add the elements that are push.width apart, ELEMENTS into the first of them
    const uint first = invocationNumber();

    // Elements without a partner in the second chunk are in their place already.
    if (first < push.width && first + push.width < push.live) {
        uint sum = data[first];
        for (uint k = 1; k < ELEMENTS; ++k) {
            const uint index = first + k * push.width;
            if (index < push.live) sum += data[index];
        }
        data[first] = sum;  // only this invocation reads element `first`, so in place is safe
    }
    // END SOLUTION
}
