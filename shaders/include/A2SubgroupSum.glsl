// The sum of a work-group's tile by subgroup arithmetic, for the Subgroup kernels.
// Needs: ELEMENTS, source[], sourceVectors[] (the same elements as uvec4), push.count.
#include "A2SubgroupWidth.glsl"

// One per subgroup; as many as there are invocations, for no subgroup has fewer than one.
shared uint subgroupSums[gl_WorkGroupSize.x];

// Of the elements that this invocation loads.
uint sumOfMyElements(uint begin)
{
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    uint sum = 0;
    if (ELEMENTS % 4 == 0 && begin < push.count && push.count - begin >= tile) {
        // A full tile: loads are four elements wide, and all on their way before the first one is needed.
        uvec4 sums4 = uvec4(0);
        [[unroll]] for (uint k = 0; k < ELEMENTS / 4; ++k)
            sums4 += sourceVectors[begin / 4 + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
        sum = sums4.x + sums4.y + sums4.z + sums4.w;
    } else {
        const uint end = min(begin + tile, push.count);
        for (uint index = begin + gl_LocalInvocationID.x; index < end; index += gl_WorkGroupSize.x)
            sum += source[index];
    }
    return sum;
}

// Of the whole tile; in the invocations of the first subgroup only.
uint sumOfTile(uint begin)
{
    const uint mySubgroupsSum = subgroupAdd(sumOfMyElements(begin));
    if (subgroupElect()) subgroupSums[gl_SubgroupID] = mySubgroupsSum;
    barrier();  // every subgroup's sum is written before the first subgroup adds them

    uint sum = 0;
    if (gl_SubgroupID == 0) {
        const uint width = subgroupWidth();
        for (uint i = gl_SubgroupInvocationID; i * width < gl_WorkGroupSize.x; i += width) sum += subgroupSums[i];
        sum = subgroupAdd(sum);
    }
    return sum;
}
