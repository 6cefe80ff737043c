// Offset: adds to every element of a tile the sum of all tiles to its left, which turns local scans into one whole scan.
//
// One work-group per tile, in place. Nothing lies to the left of the array's first tile: no group is started for it.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Element.h"  // Element: uint, or float with --type float32
#include "include/A2Task2.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) buffer Data { Element data[]; };
layout(set = 0, binding = BINDING_IN) buffer DataVectors { Element4 dataVectors[]; };  // the same elements, four at a time
layout(set = 0, binding = BINDING_OFFSETS) readonly buffer Offsets { Element offsets[]; };  // per tile: the sum of all before it
layout(push_constant) uniform Push { OffsetPush push; };

void main()
{
    // BEGIN SOLUTION: add to each element of the tile what offsets[] has for it; the first tile is push.firstTile
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint number = workGroupNumber() + push.firstTile;
    const uint begin = number * tile;

    if (begin < push.count) {
        const Element offset = offsets[number];  // one address for the whole group: read once, broadcast
        if (push.count - begin >= tile && tile % 4 == 0) {
            // A full tile: four elements with each load and store, so that more bytes are on their way at any time.
            for (uint k = gl_LocalInvocationID.x; k < tile / 4; k += gl_WorkGroupSize.x) dataVectors[begin / 4 + k] += offset;
        } else {
            for (uint k = 0; k < ELEMENTS; ++k) {
                const uint index = begin + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
                if (index < push.count) data[index] += offset;
            }
        }
    }
    // END SOLUTION
}
