// Subgroup arithmetic: a subgroup adds up its invocations' sums in registers, in one instruction, so that shared memory
// holds one value per subgroup and a single barrier replaces the tree; and one dispatch does it all.
//
// Each work-group adds its sum to a running one by a single 64-bit atomic, which also counts the groups: so the last one
// knows both that it is the last and the whole sum, and no order between memory accesses is needed. It leaves the running
// sum at zero for the next run. Right for any subgroup size: nothing here counts on 32.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sum { uint total; };
layout(set = 0, binding = BINDING_RUNNING_SUM) buffer RunningSum { uint64_t sumAndGroups; };  // high and low word; 0 at first
layout(push_constant) uniform Push { SubgroupPush push; };

#include "include/A2SubgroupSum.glsl"

void main()
{
    // BEGIN SOLUTION: from sumOfTile() to the sum of all work-groups, by the one that is last
    const uint sum = sumOfTile();

    if (gl_SubgroupID == 0 && subgroupElect()) {
        // The sum is modulo 2^32: what overflows falls off the high end.
        const uint64_t before = push.groups > 1 ? atomicAdd(sumAndGroups, uint64_t(sum) << 32 | 1) : 0;
        if (uint(before) + 1 == push.groups) {
            total = uint(before >> 32) + sum;
            if (push.groups > 1) atomicExchange(sumAndGroups, 0);  // for the next run; no other group comes in this one
        }
    }
    // END SOLUTION
}
