// What the device's arithmetic can do where nothing waits for memory: the limit that a kernel's additions are held against.
// Needs: ELEMENT and ELEMENT4, a number and a vector of four; COMBINE(y, x), as cheap as an addition, and such that a
// compiler cannot foresee where the additions between lead.
//
// Each invocation works on eight numbers x and eight y of its own, in registers, which depend on nobody else's.
#include "A2Labs.h"

layout(set = 0, binding = BINDING_IN) writeonly buffer Target { ELEMENT target[]; };
layout(push_constant) uniform Push { AddPeakPush push; };

void main()
{
    precise ELEMENT4 x0 = ELEMENT4(push.x), x1 = ELEMENT4(push.x, push.y, push.x, push.y);
    precise ELEMENT4 y0 = ELEMENT4(push.y), y1 = ELEMENT4(push.y, push.y, push.x, push.x);
    for (uint round = 0; round < ADD_PEAK_ROUNDS; ++round) {
        [[unroll]] for (uint k = 0; k < ADD_PEAK_UNROLL; ++k) {
            x0 += y0;
            x1 += y1;
            COMBINE(y0, x0);
            COMBINE(y1, x1);
        }
    }
    // All 16 numbers go into what is stored, so that none can be left out.
    const ELEMENT4 all = (x0 + y0) + (x1 + y1);
    target[invocationNumber()] = (all.x + all.y) + (all.z + all.w);
}
