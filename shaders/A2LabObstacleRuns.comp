// Stream compaction: the scan of the starts tells each obstacle's number, so that its first and its last beam can be
// written to its place in a short list, all at once and without asking anybody.
//
// numbers[i] is how many obstacles begin at beam i or before it; an obstacle ends where the next beam sees none, or where
// there is none. Each place of the lists is written by exactly one invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Labs.h"

layout(set = 0, binding = BINDING_IN) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = BINDING_FLAGS) readonly buffer Flags { uint flags[]; };
layout(set = 0, binding = BINDING_FIRSTS) writeonly buffer Firsts { uint firsts[]; };
layout(set = 0, binding = BINDING_LASTS) writeonly buffer Lasts { uint lasts[]; };
layout(push_constant) uniform Push { ObstacleRunsPush push; };

void main()
{
    const uint beam = invocationNumber();
    if (beam < push.count && flags[beam] == 1) {
        const uint place = numbers[beam] - 1;
        if (beam == 0 || flags[beam - 1] == 0) firsts[place] = beam;
        if (beam == push.count - 1 || flags[beam + 1] == 0) lasts[place] = beam;
    }
}
