// The first step of KernelDecomposition, Unroll, Atomic and Subgroup: each invocation adds up its ELEMENTS elements of the
// group's tile in a register. What all invocations load at once is one unbroken run of memory, so loads coalesce.
// Needs: ELEMENTS, source[], sourceVectors[] (the same elements, four at a time), push.count.
#include "A2Element.h"

Element sumOfMyElements()
{
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;

    const uint mine = begin + gl_LocalInvocationID.x;
    Element sum = 0;
    if (begin < push.count && push.count - begin >= tile) {
        // A full tile needs no bounds test, so the loads do not wait for one another; each brings four elements if it can.
        if (ELEMENTS % 4 == 0) {
            Element4 sums = Element4(0);
            [[unroll]] for (uint k = 0; k < ELEMENTS / 4; ++k)
                sums += sourceVectors[begin / 4 + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
            sum = sums.x + sums.y + sums.z + sums.w;
        } else {
            [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) sum += source[mine + k * gl_WorkGroupSize.x];
        }
    } else {
        for (uint index = mine; index < min(begin + tile, push.count); index += gl_WorkGroupSize.x) sum += source[index];
    }
    return sum;
}

// Groups that only fill up the last row of a folded dispatch have no tile and write nothing.
bool workGroupHasTile() { return workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS < push.count; }
