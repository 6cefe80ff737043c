// Digest: two sums over an array, by which a result is known without bringing it to the host.
//
// Of all words, and of all words times their index, modulo 2^32 (after Fletcher's checksum, 1982). a2's own: it looks at
// what tasks left behind. It stands alone, so that no other file under shaders/ can change what it says.
#version 450

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1) buffer Digest { uint sum, weighted; };  // 0 at first
layout(push_constant) uniform Push { uint count, first; };           // words, and the index of the first of them

void main()
{
    uint ofWords = 0, ofWeighted = 0;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
        ofWords += words[i];
        ofWeighted += words[i] * (first + i);
    }
    atomicAdd(sum, ofWords);
    atomicAdd(weighted, ofWeighted);
}
