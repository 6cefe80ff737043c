// Subgroup arithmetic with one dispatch per level, for devices without the 64-bit atomics that A2Task1Subgroup needs.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Element.h"
#include "include/A2Task1.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { Element source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { Element4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { Element sums[]; };
layout(push_constant) uniform Push { DecompositionPush push; };

#include "include/A2SubgroupSum.glsl"

void main()
{
    // BEGIN SOLUTION: store sumOfTile() in sums[workGroupNumber()]
    const Element sum = sumOfTile();
    if (gl_SubgroupID == 0 && subgroupElect() && workGroupHasTile()) sums[workGroupNumber()] = sum;
    // END SOLUTION
}
