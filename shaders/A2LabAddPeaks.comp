// Add peaks: how many additions of each type a second this device reaches where nothing waits for memory: the limit that
// a kernel's additions are held against.
//
// Each invocation works on eight numbers x and eight y of its own, in registers, which depend on no other invocation's. Of
// floats, x += y, y -= x comes back to where it began after six times, so that nothing overflows. A compiler may add
// integers in any order; past an exclusive or it cannot go, and so cannot foresee where the additions between lead.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Element.h"
#include "include/A2Labs.h"

#ifdef A2_FLOAT32
#define COMBINE(y, x) y -= x
#else
#define COMBINE(y, x) y ^= x
#endif

layout(set = 0, binding = BINDING_IN) writeonly buffer Target { Element target[]; };
layout(push_constant) uniform Push { AddPeakPush push; };

void main()
{
    precise Element4 x0 = Element4(push.x), x1 = Element4(push.x, push.y, push.x, push.y);
    precise Element4 y0 = Element4(push.y), y1 = Element4(push.y, push.y, push.x, push.x);
    for (uint round = 0; round < ADD_PEAK_ROUNDS; ++round) {
        [[unroll]] for (uint k = 0; k < ADD_PEAK_UNROLL; ++k) {
            x0 += y0;
            x1 += y1;
            COMBINE(y0, x0);
            COMBINE(y1, x1);
        }
    }
    // All 16 numbers go into what is stored, so that none can be left out.
    const Element4 all = (x0 + y0) + (x1 + y1);
    target[invocationNumber()] = (all.x + all.y) + (all.z + all.w);
}
