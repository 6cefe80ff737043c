// The scan of one number of each invocation: by subgroup arithmetic within subgroups, by a short loop over their sums.
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "A2SubgroupWidth.glsl"

shared uint subgroupSums[gl_WorkGroupSize.x];

// The sum of the values of the invocations before this one. All of the work-group come here together.
uint sumOfThoseBefore(uint value)
{
    uint before = subgroupExclusiveAdd(value);
    if (gl_SubgroupInvocationID == subgroupWidth() - 1) subgroupSums[gl_SubgroupID] = before + value;
    barrier();  // all sums are there
    for (uint i = 0; i < gl_SubgroupID; ++i) before += subgroupSums[i];
    barrier();  // all sums have been read, and may be written the next time
    return before;
}
