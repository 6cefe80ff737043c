// Brute force: every element is the sum of all elements before it in its tile, added up one by one; the scan's first idea.
//
// No invocation waits for another one and no shared memory is needed, but a tile of T elements takes T (T + 1) / 2 reads
// and additions where T would do. The sum stays in a register and is written once: a sum that grows in global memory
// would be read and written as often as it is added to. The tile's total goes to blockSums, for a larger array.
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

void main()
{
    const uint begin = workGroupNumber() * TILE;

    for (uint i = gl_LocalInvocationID.x; i < TILE; i += gl_WorkGroupSize.x) {
        const uint index = begin + i;
        if (index < push.count) {
            Element before = 0;
            for (uint k = begin; k < index; ++k) before += source[k];
            const Element sum = before + source[index];

            target[index] = EXCLUSIVE == 0 ? sum : before;
            if (i == TILE - 1 || index == push.count - 1) blockSums[workGroupNumber()] = sum;  // the tile's last element
        }
    }
}
