// The first step of KernelDecomposition, Unroll, Atomic and Subgroup: each invocation adds up its ELEMENTS elements of the
// group's tile in a register. What all invocations load at once is one unbroken run of memory, so loads coalesce.
// Needs: ELEMENTS, source[], sourceVectors[] (the same elements, four at a time), push.count.

uint sumOfMyElements()
{
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;

    uint sum = 0;
    if (ELEMENTS % 4 == 0 && begin < push.count && push.count - begin >= tile) {
        // A full tile needs no bounds test: the loads do not wait for one another, and each brings four elements.
        uvec4 sums = uvec4(0);
        [[unroll]] for (uint k = 0; k < ELEMENTS / 4; ++k)
            sums += sourceVectors[begin / 4 + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
        sum = sums.x + sums.y + sums.z + sums.w;
    } else {
        const uint end = min(begin + tile, push.count);
        for (uint index = begin + gl_LocalInvocationID.x; index < end; index += gl_WorkGroupSize.x) sum += source[index];
    }
    return sum;
}

// Groups that only fill up the last row of a folded dispatch have no tile and write nothing.
bool workGroupHasTile() { return workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS < push.count; }
