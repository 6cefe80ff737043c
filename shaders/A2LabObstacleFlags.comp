// Threshold: what a sum can count must be 0 or 1, so each beam says whether it sees an obstacle, and whether it is the
// first of its neighbours to see it.
//
// The scan of `flags` numbers the readings, the scan of `starts` the obstacles.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Labs.h"

layout(set = 0, binding = BINDING_IN) readonly buffer Distances { float distances[]; };
layout(set = 0, binding = BINDING_FLAGS) writeonly buffer Flags { uint flags[]; };
layout(set = 0, binding = BINDING_STARTS) writeonly buffer Starts { uint starts[]; };
layout(push_constant) uniform Push { ObstacleFlagsPush push; };

void main()
{
    const uint beam = invocationNumber();
    if (beam < push.count) {
        const bool sees = distances[beam] < push.maxDistance;
        const bool leftSees = beam > 0 && distances[beam - 1] < push.maxDistance;
        flags[beam] = sees ? 1 : 0;
        starts[beam] = sees && !leftSees ? 1 : 0;
    }
}
