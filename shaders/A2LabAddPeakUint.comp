// Add peak: how many additions of uint a second this device reaches where no memory slows it down.
//
// A compiler may add integers in any order; past an exclusive or it cannot go.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define ELEMENT uint
#define ELEMENT4 uvec4
#define COMBINE(y, x) y ^= x
#include "include/A2LabAddPeak.glsl"
