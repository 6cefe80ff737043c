// The first step of KernelDecomposition, Unroll and Atomic: each invocation adds up its ELEMENTS elements of the
// group's tile in a register. Element k of all invocations together is one unbroken run of memory, so loads coalesce.
// Needs: ELEMENTS, source[], push.count.

uint sumOfMyElements()
{
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;
    const uint mine = begin + gl_LocalInvocationID.x;

    uint sum = 0;
    if (begin < push.count && push.count - begin >= tile) {
        // A full tile needs no bounds test: the loads do not wait for one another.
        for (uint k = 0; k < ELEMENTS; ++k) sum += source[mine + k * gl_WorkGroupSize.x];
    } else {
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint index = mine + k * gl_WorkGroupSize.x;
            if (index < push.count) sum += source[index];
        }
    }
    return sum;
}

// Groups that only fill up the last row of a folded dispatch have no tile and write nothing.
bool workGroupHasTile() { return workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS < push.count; }
