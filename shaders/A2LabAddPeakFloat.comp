// Add peak: how many additions of float a second this device reaches where no memory slows it down.
//
// x += y, y -= x comes back to where it began after six times, so that nothing overflows.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define ELEMENT float
#define ELEMENT4 vec4
#define COMBINE(y, x) y -= x
#include "include/A2LabAddPeak.glsl"
