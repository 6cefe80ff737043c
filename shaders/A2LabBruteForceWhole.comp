// Brute force over the whole array, as the point to compare with: invocation i adds up elements 0 to i, N (N + 1) / 2
// additions for N elements.
//
// Two kernels and a tree of block sums are spared, at a price that grows with the square of N: `a2 obstacles` runs it on
// short arrays only.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"

layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { TileScanPush push; };

void main()
{
    const uint index = invocationNumber();
    if (index < push.count) {
        uint sum = 0;
        for (uint k = 0; k <= index; ++k) sum += source[k];
        target[index] = sum;  // once: the sum grows in a register
    }
}
