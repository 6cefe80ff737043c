// Brent-Kung: two walks over a tree need fewer than 2 T additions for a tile of T elements, where Kogge-Stone's single one
// needs T log2 T - (T - 1); the price is twice as many steps.
//
// Up the tree, pairs of partial sums are joined: each node's sum lies at its last element. Down again, the sum that ends
// before a node's first element is handed to the middle of the node. With two elements per invocation all invocations
// have a pair in the first step. After Brent and Kung (1982).
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
    for (uint i = lane; i < TILE; i += gl_WorkGroupSize.x) sums[i] = begin + i < push.count ? source[begin + i] : 0;

    // Up: the node with number p joins the sums of its two halves, of `stride` elements each. Neighbouring invocations
    // have neighbouring nodes, so that those with work are next to each other.
    for (uint stride = 1; stride < TILE; stride *= 2) {
        barrier();  // the sums of the level below are written
        for (uint p = lane; p < TILE / (2 * stride); p += gl_WorkGroupSize.x) {
            const uint last = (p + 1) * 2 * stride - 1;
            sums[last] += sums[last - stride];
        }
    }
    // Down: the whole sum up to element `last` is known, and makes that of the `stride` elements after it whole.
    for (uint stride = NEXT_POWER_OF_TWO(TILE) / 4; stride > 0; stride /= 2) {
        barrier();  // the whole sums of the level above are written
        for (uint p = lane; (p + 1) * 2 * stride - 1 + stride < TILE; p += gl_WorkGroupSize.x) {
            const uint last = (p + 1) * 2 * stride - 1;
            sums[last + stride] += sums[last];
        }
    }
    barrier();  // all sums are whole, before they are written out by other invocations than those that made them

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
