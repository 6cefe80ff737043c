// A scan whose work-groups wait for nobody, or hardly ever: as the decoupled look-back, it reads every element once and
// writes it once.
//
// There, a group waits until the groups to its left have added up what lies before them. Here, groups stay ("persistent
// work-groups") and take one tile after another. A group publishes the sum of its next tile before it finishes the one that
// it has, so that others find a tile's sum long before they need it. It keeps the sum of everything up to its last tile,
// and adds what other groups have published since, one tile per invocation.
//
// Three things make that right on every device:
// - Tiles are handed out by a ticket: all tiles to the left of a group's own are taken, by groups that have started.
// - Vulkan promises no progress to a work-group that has started. An invocation that has waited long enough adds up the
//   missing tile itself.
// - What is published is a number of the run and a sum that must be seen together: each of two words holds the number and
//   half of the sum. What an earlier run left there has another number, and counts as nothing.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Element.h"
#include "include/A2Task2.h"
#include "include/A2SubgroupWidth.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 4;  // a multiple of 4
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { Element source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { Element4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { Element target[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer TargetVectors { Element4 targetVectors[]; };
// Zero before the first run. tickets: the run's number in the highest 8 bits, the next tile's in the others. fallbacks: how
// often an invocation added up a tile for another group. upToSlice: the sum of everything up to the end of a slice; each
// slice reads one of the two and writes the other.
layout(set = 0, binding = BINDING_TILE_STATES) buffer TileStates { uint tickets, fallbacks, upToSlice[2], words[]; };
layout(push_constant) uniform Push { PersistentPush push; };

// BEGIN SOLUTION: what tiles publish, and how others find it
const uint ROWS = ELEMENTS / 4;  // vectors per invocation
const uint TILE_VECTORS = gl_WorkGroupSize.x * ROWS;

// How often an invocation looks for a sum before it adds up the tile itself. lavapipe ends an invocation after 65,535 loop
// iterations, silently.
const uint PATIENCE = 256;

shared uint ticket;
shared uint subgroups;  // of this work-group
// One per subgroup: its sum of the next tile, and from OTHERS on its share of what others have published.
shared Element sums[2 * gl_WorkGroupSize.x];
const uint OTHERS = gl_WorkGroupSize.x;

uint width;  // invocations of this subgroup

// A subgroup's share of a tile is one unbroken run of memory, and so is each row of it: a vector per invocation.
uint myVector(uint tile, uint row)
{
    const uint before = gl_LocalInvocationID.x - gl_SubgroupInvocationID;  // invocations of the subgroups to the left
    return tile * TILE_VECTORS + before * ROWS + row * width + gl_SubgroupInvocationID;
}

// The next tile that is not taken yet, and the number of this run; after the last tile, numbers of no tile.
uint take(uint tiles, out uint run)
{
    if (gl_LocalInvocationID.x == 0) {
        ticket = atomicAdd(tickets, 1);
        // Each group draws once in vain. The last one to do so starts the next run: its number goes up, its tiles begin at 0.
        const uint draws = tiles + gl_NumWorkGroups.x;
        if ((ticket & 0xFFFFFF) + 1 == draws) atomicAdd(tickets, (1 << 24) - draws);
    }
    barrier();  // the ticket is drawn before it is read, and the sums are read before the next tile's are written
    run = ticket >> 24;
    return ticket & 0xFFFFFF;
}

void publish(uint tile, uint run, Element sum)
{
    const uint bits = BITS_OF(sum), tag = run + 1 << 16;  // not 0
    atomicStore(words[tile * PERSISTENT_WORDS_PER_TILE], tag | bits & 0xFFFF, gl_ScopeDevice, 0, 0);
    atomicStore(words[tile * PERSISTENT_WORDS_PER_TILE + 1], tag | bits >> 16, gl_ScopeDevice, 0, 0);
}

// The sum of a tile that some group has taken. Others lie to its right, so that it is whole.
Element sumOfTile(uint tile, uint run)
{
    for (uint looks = 0; looks < PATIENCE; ++looks) {
        const uint low = atomicLoad(words[tile * PERSISTENT_WORDS_PER_TILE], gl_ScopeDevice, 0, 0);
        const uint high = atomicLoad(words[tile * PERSISTENT_WORDS_PER_TILE + 1], gl_ScopeDevice, 0, 0);
        if (low >> 16 == run + 1 && high >> 16 == run + 1) return ELEMENT_OF(low & 0xFFFF | high << 16);
    }
    atomicAdd(fallbacks, 1);
    Element4 sum = Element4(0);
    for (uint v = 0; v < TILE_VECTORS; ++v) sum += sourceVectors[tile * TILE_VECTORS + v];
    return sum.x + sum.y + sum.z + sum.w;
}

// Adds up what the subgroups have left in `sums` from `first` on: all of it, and in `left` that of the subgroups to the
// left of this one.
Element sumOfAll(uint first, out Element left)
{
    Element mine = 0, before = 0;
    for (uint i = gl_SubgroupInvocationID; i < subgroups; i += width) {
        mine += sums[first + i];
        before += i < gl_SubgroupID ? sums[first + i] : 0;
    }
    left = subgroupAdd(before);
    return subgroupAdd(mine);
}

Element4 rows[ROWS], nextRows[ROWS];  // of this invocation: of the tile to store, and of the one after it

// Loads a tile into `nextRows`, with zeros behind the last whole vector, and scans each vector on its own. Returns the sum
// of this invocation's vectors.
Element loadNext(uint tile, uint vectors)
{
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint v = myVector(tile, r);
        nextRows[r] = v < vectors ? sourceVectors[v] : Element4(0);
    }
    Element sum = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        nextRows[r].y += nextRows[r].x;
        nextRows[r].z += nextRows[r].y;
        nextRows[r].w += nextRows[r].z;
        sum += nextRows[r].w;
    }
    return sum;
}

// Scans the rows and stores them; `before` is the sum of everything to the left of them.
void store(uint tile, uint vectors, Element before)
{
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const Element sum = rows[r].w, upToMe = subgroupInclusiveAdd(sum);
        const uint v = myVector(tile, r);
        const Element4 scanned = (EXCLUSIVE == 1 ? Element4(0, rows[r].xyz) : rows[r]) + (before + upToMe - sum);
        if (v < vectors) targetVectors[v] = scanned;
        before += subgroupShuffle(upToMe, width - 1);  // the whole row
    }
}

// After the last tile, by one invocation: the elements after the last whole vector, and what the next slice begins with.
void finishSlice(Element upToTile)
{
    Element sum = upToTile;
    for (uint i = push.count / 4 * 4; i < push.count; ++i) {
        const Element value = source[i];
        target[i] = EXCLUSIVE == 1 ? sum : sum + value;
        sum += value;
    }
    upToSlice[push.slice & 1] = BITS_OF(sum);
}
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: scan one tile after another
    const uint vectors = push.count / 4, tiles = max((vectors + TILE_VECTORS - 1) / TILE_VECTORS, 1);
    width = subgroupWidth();
    if (gl_LocalInvocationID.x == 0) subgroups = (gl_WorkGroupSize.x + width - 1) / width;

    // The first tile is loaded and published as all others, without one to store meanwhile.
    uint run;
    uint tile = take(tiles, run);
    if (tile >= tiles) return;
    Element sum = subgroupAdd(loadNext(tile, vectors));
    if (subgroupElect()) sums[gl_SubgroupID] = sum;
    barrier();  // every subgroup's sum of the first tile is there
    Element left, unused;  // left: of this tile, the sum of what the subgroups to the left have
    Element all = sumOfAll(0, left);
    if (gl_LocalInvocationID.x == 0) publish(tile, run, all);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = nextRows[r];

    uint known = 0;  // tiles whose sums are in `prefix`
    Element prefix = push.slice == 0 ? 0 : ELEMENT_OF(upToSlice[push.slice - 1 & 1]);
    for (;;) {
        const uint nextTile = take(tiles, run);
        // Before the next tile is loaded, behind which these few loads would wait (0.265 ms at 2^27 on an NVIDIA H200, and
        // 0.332 the other way round).
        Element others = 0;
        for (uint t = known + gl_LocalInvocationID.x; t < tile; t += gl_WorkGroupSize.x) others += sumOfTile(t, run);
        sum = subgroupAdd(loadNext(nextTile, vectors));
        others = subgroupAdd(others);
        if (subgroupElect()) {
            sums[gl_SubgroupID] = sum;
            sums[OTHERS + gl_SubgroupID] = others;
        }
        barrier();  // every subgroup's sums are there
        Element nextLeft;
        const Element nextAll = sumOfAll(0, nextLeft);
        if (gl_LocalInvocationID.x == 0 && nextTile < tiles) publish(nextTile, run, nextAll);
        prefix += sumOfAll(OTHERS, unused);
        known = tile;

        store(tile, vectors, prefix + left);
        if (gl_LocalInvocationID.x == 0 && tile == tiles - 1) finishSlice(prefix + all);
        if (nextTile >= tiles) return;
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = nextRows[r];
        left = nextLeft;
        all = nextAll;
        tile = nextTile;
    }
    // END SOLUTION
}
