// Naive scan: after the step with stride s every element holds the sum of the up to 2 s elements that end in it.
//
// One dispatch per step, ceil(log2 n) in all, each reading one array and writing the other (ping-pong): an element is
// read by two invocations, so nothing may be overwritten before the whole step is over. It adds about n log2 n times
// where n - 1 additions would do: that is what the work-efficient scan mends.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { NaivePush push; };

void main()
{
    // BEGIN SOLUTION: ELEMENTS elements each: add to each the one that is push.stride to its left
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;
    const uint mine = begin + gl_LocalInvocationID.x;
    // `shift` is 1 in the first step of an exclusive scan: the array moves one place to the right.
    const uint distance = push.stride + push.shift;

    if (begin >= distance && begin < push.count && push.count - begin >= tile) {
        // A full tile, all of whose elements have a partner to the left: no tests, the loads do not wait for one another.
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint index = mine + k * gl_WorkGroupSize.x;
            target[index] = source[index - push.shift] + source[index - distance];
        }
    } else {
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint index = mine + k * gl_WorkGroupSize.x;
            if (index < push.count) {
                uint sum = index >= push.shift ? source[index - push.shift] : 0;
                if (index >= distance) sum += source[index - distance];
                target[index] = sum;
            }
        }
    }
    // END SOLUTION
}
