// Copy: what every other kernel's time is measured against, the fastest way through memory this device has.
//
// One uvec4 (16 bytes) per invocation, neighbouring invocations on neighbouring addresses.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Kernels.h"

layout(set = 0, binding = BINDING_IN) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uvec4 target[]; };
layout(push_constant) uniform Push { uint count; };  // in uvec4

void main()
{
    const uint index = invocationNumber();
    if (index < count) target[index] = source[index];
}
