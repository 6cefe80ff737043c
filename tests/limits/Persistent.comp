// An experiment: scan/persistent without what makes it right everywhere, which is help for a group that makes no progress,
// a short last tile, slices, and groups that start late (docs/record.md).
//
// Work-groups stay to the end and take one tile after another. A group publishes the sum of its next tile before it
// finishes the present one. It keeps its own prefix, and adds to it what other groups have published since, one tile per
// invocation: these sums are as old as a tile, so that there is hardly any waiting. The array must consist of whole tiles,
// and all groups must run at the same time.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Task2.h"
#include "include/A2SubgroupWidth.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 4;  // a multiple of 4
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer TargetVectors { uvec4 target[]; };
layout(set = 0, binding = BINDING_TILE_STATES) buffer TileStates { uint tickets, fallbacks, words[]; };  // 0 at first
layout(push_constant) uniform Push { LookbackPush push; };

const uint ROWS = ELEMENTS / 4;  // vectors per invocation
const uint TILE_VECTORS = gl_WorkGroupSize.x * ROWS;

shared uint ticket;
// One per subgroup: its sum of the next tile, and at OTHERS its share of what others have published.
shared uint sums[2 * gl_WorkGroupSize.x];
const uint OTHERS = gl_WorkGroupSize.x;

uint width;  // invocations of this subgroup

uint myVector(uint tile, uint row)
{
    const uint before = gl_LocalInvocationID.x - gl_SubgroupInvocationID;  // invocations of the subgroups to the left
    return tile * TILE_VECTORS + before * ROWS + row * width + gl_SubgroupInvocationID;
}

// The next tile for this group, and the number of the run; a tile beyond the last one where none is left. In each run,
// each group asks once in vain.
uint take(out uint run)
{
    if (gl_LocalInvocationID.x == 0) {
        const uint draws = push.groups + gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        ticket = atomicAdd(tickets, 1);
        if ((ticket & 0xFFFFFF) + 1 == draws) atomicAdd(tickets, (1 << 24) - draws);
    }
    barrier();  // the ticket is drawn before it is read, and the sums are read before the next tile's are written
    run = ticket >> 24;
    return ticket & 0xFFFFFF;
}

// As in A2Task2DecoupledLookback.comp: each word holds half of the sum and the number of the run, plus one.
void publish(uint tile, uint run, uint sum)
{
    const uint tag = (run + 1) << 16;
    atomicStore(words[tile * WORDS_PER_TILE_STATE], tag | sum & 0xFFFF, gl_ScopeDevice, 0, 0);
    atomicStore(words[tile * WORDS_PER_TILE_STATE + 1], tag | sum >> 16, gl_ScopeDevice, 0, 0);
}
uint waitFor(uint tile, uint run)
{
    for (;;) {
        const uint low = atomicLoad(words[tile * WORDS_PER_TILE_STATE], gl_ScopeDevice, 0, 0);
        const uint high = atomicLoad(words[tile * WORDS_PER_TILE_STATE + 1], gl_ScopeDevice, 0, 0);
        if (low >> 16 == run + 1 && high >> 16 == run + 1) return low & 0xFFFF | high << 16;
    }
}

uvec4 rows[ROWS], next[ROWS];

// Loads a tile into `next`; each vector is scanned on its own. Returns the sum of this invocation's vectors.
uint load(uint tile)
{
    uint sum = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) next[r] = source[myVector(tile, r)];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        next[r].y += next[r].x;
        next[r].z += next[r].y;
        next[r].w += next[r].z;
        sum += next[r].w;
    }
    return sum;
}

// Of the subgroups' sums from `first` on, that of all of them; `left`: of those to the left of this one.
uint sumOfAll(uint first, out uint left)
{
    uint mine = 0, before = 0;
    for (uint i = gl_SubgroupInvocationID; i * width < gl_WorkGroupSize.x; i += width) {
        mine += sums[first + i];
        before += i < gl_SubgroupID ? sums[first + i] : 0;
    }
    left = subgroupAdd(before);
    return subgroupAdd(mine);
}

void main()
{
    width = subgroupWidth();
    uint run;
    uint tile = take(run);
    if (tile >= push.groups) return;
    uint sum = subgroupAdd(load(tile));
    if (subgroupElect()) sums[gl_SubgroupID] = sum;
    barrier();  // every subgroup's sum of the first tile is there
    uint left;
    uint all = sumOfAll(0, left);
    if (gl_LocalInvocationID.x == 0) publish(tile, run, all);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = next[r];

    uint known = 0, prefix = 0;  // prefix: the sum of the tiles before `known`
    for (;;) {
        uint sameRun;
        const uint nextTile = take(sameRun);
        const bool more = nextTile < push.groups;
        // Before the next tile is loaded: 0.265 ms at 2^27 on an NVIDIA H200, and 0.332 after it.
        uint others = 0;
        for (uint t = known + gl_LocalInvocationID.x; t < tile; t += gl_WorkGroupSize.x) others += waitFor(t, run);
        sum = load(min(nextTile, push.groups - 1));  // once in vain, without a condition
        sum = subgroupAdd(sum);
        others = subgroupAdd(others);
        if (subgroupElect()) {
            sums[gl_SubgroupID] = sum;
            sums[OTHERS + gl_SubgroupID] = others;
        }
        barrier();  // every subgroup's sum of the next tile is there, and its share of what others have published
        uint nextLeft, unused;
        all = sumOfAll(0, nextLeft);
        if (more && gl_LocalInvocationID.x == 0) publish(nextTile, run, all);
        prefix += sumOfAll(OTHERS, unused);
        known = tile;

        uint before = prefix + left;
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            const uint mine = rows[r].w, upToMe = subgroupInclusiveAdd(mine);
            target[myVector(tile, r)] = rows[r] + (before + upToMe - mine);
            before += subgroupShuffle(upToMe, width - 1);
        }
        if (!more) return;
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = next[r];
        left = nextLeft;
        tile = nextTile;
    }
}
