// Rotation of a matrix by 90 degrees clockwise through a tile in shared memory: loads and stores are both unbroken runs of
// global memory, where a kernel that went straight from rows to columns would scatter one of them.
//
// A work-group loads the rows of its tile and stores its columns. Neighbouring invocations then read words that lie SIDE
// apart in shared memory, all of them in one bank, unless the index macro's padding moves them to neighbouring banks.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2LabRotate.h"

layout(constant_id = SPEC_ELEMENTS) const uint SIDE = 32;  // of a tile
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };   // row by row
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };  // likewise, push.columns rows
layout(push_constant) uniform Push { RotatePush push; };

const uint TILE = SIDE * SIDE;
shared uint tile[TILE + TILE / NUM_BANKS];

void main()
{
    // Groups that only fill up the last row of a folded dispatch have a tile below the matrix: nothing of it is there.
    const uint tilesInARow = (push.columns + SIDE - 1) / SIDE;
    const uint top = workGroupNumber() / tilesInARow * SIDE;
    const uint left = workGroupNumber() % tilesInARow * SIDE;

    for (uint i = gl_LocalInvocationID.x; i < TILE; i += gl_WorkGroupSize.x) {
        const uint y = top + i / SIDE, x = left + i % SIDE;  // row by row
        if (y < push.rows && x < push.columns) tile[CONFLICT_FREE_INDEX(i)] = source[y * push.columns + x];
    }
    barrier();  // the whole tile is there before anyone reads what others loaded

    for (uint i = gl_LocalInvocationID.x; i < TILE; i += gl_WorkGroupSize.x) {
        const uint row = i % SIDE, column = i / SIDE;  // column by column
        const uint y = top + row, x = left + column;
        if (y < push.rows && x < push.columns)
            target[x * push.rows + push.rows - 1 - y] = tile[CONFLICT_FREE_INDEX(row * SIDE + column)];
    }
}
