// The sum of a work-group's tile by subgroup arithmetic, for the Subgroup kernels.
// Needs: what A2LoadTile.glsl needs.

#include "A2Element.h"
#include "A2LoadTile.glsl"
#include "A2SubgroupWidth.glsl"

// One per subgroup; as many as there are invocations, for no subgroup has fewer than one.
shared Element subgroupSums[gl_WorkGroupSize.x];

// In the invocations of the first subgroup only.
Element sumOfTile()
{
    const uint width = subgroupWidth();  // here, while the loads are under way
    const Element mySubgroupsSum = subgroupAdd(sumOfMyElements());
    if (subgroupElect()) subgroupSums[gl_SubgroupID] = mySubgroupsSum;
    barrier();  // every subgroup's sum is written before the first subgroup adds them

    Element sum = 0;
    if (gl_SubgroupID == 0) {
        for (uint i = gl_SubgroupInvocationID; i * width < gl_WorkGroupSize.x; i += width) sum += subgroupSums[i];
        sum = subgroupAdd(sum);
    }
    return sum;
}
