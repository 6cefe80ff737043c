// Kogge-Stone: the sum that ends in an element is made of the sums already found to its left, in log2 T steps for a tile
// of T elements, where brute force adds up to T elements one by one.
//
// After the step with stride s every element of the tile in shared memory holds the sum of the up to 2 s elements that end
// in it. It is done in place: that takes two barriers a step, and T log2 T - (T - 1) additions, which is what Brent-Kung
// mends. After Kogge and Stone (1973), as in Hillis and Steele (1986).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Element.h"
#include "include/A2Task2.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { Element source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { Element target[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS) writeonly buffer BlockSums { Element blockSums[]; };
layout(push_constant) uniform Push { TileScanPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS;
shared Element sums[TILE];

void main()
{
    const uint begin = workGroupNumber() * TILE;
    const uint lane = gl_LocalInvocationID.x;

    // Element i of the tile is this invocation's for i = lane, lane + gl_WorkGroupSize.x, and so on.
    for (uint i = lane; i < TILE; i += gl_WorkGroupSize.x) sums[i] = begin + i < push.count ? source[begin + i] : 0;

    for (uint stride = 1; stride < TILE; stride *= 2) {
        Element left[ELEMENTS];
        barrier();  // every sum of the step before is written, before a neighbour's is read
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint i = k * gl_WorkGroupSize.x + lane;
            if (i >= stride) left[k] = sums[i - stride];
        }
        barrier();  // everybody has read, before anybody writes over what a neighbour reads
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint i = k * gl_WorkGroupSize.x + lane;
            if (i >= stride) sums[i] += left[k];
        }
    }
    barrier();  // the last step's sums are written: an exclusive scan, and the total, take a neighbour's

    for (uint i = lane; i < TILE; i += gl_WorkGroupSize.x) {
        if (begin + i < push.count) {
            if (EXCLUSIVE == 0) target[begin + i] = sums[i];
            else target[begin + i] = i > 0 ? sums[i - 1] : 0;
        }
    }
    // Beyond the array's end the tile is filled up with zeros, so that its last sum is always the total. Groups that only
    // fill up the last row of a folded dispatch have no tile and write nothing.
    if (lane == 0 && begin < push.count) blockSums[workGroupNumber()] = sums[TILE - 1];
}
