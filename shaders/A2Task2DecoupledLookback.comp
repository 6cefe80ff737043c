// Decoupled look-back: one dispatch reads every element once and writes it once, 8 bytes of memory traffic per element
// where the work-efficient scan with its Offset kernel moves 16.
//
// After Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016). A work-group publishes
// the sum of its tile, adds up what the tiles to its left have published, back to the nearest one whose prefix (the sum
// of everything up to its end) is known, and then publishes its own prefix.
//
// Three things make that right on every device:
// - Tiles are handed out by a ticket, in the order in which work-groups start: a tile's left neighbours have started.
// - Vulkan promises no progress to a work-group that has started. A group that has waited long enough adds up the missing
//   tile itself.
// - What is published is a flag and a value that must be seen together: each of two words holds the flag and half of the
//   value. Words with the same flag belong together, so the order of memory accesses does not matter. The flag has the
//   number of the run in it: what the run before left there counts as nothing.
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
// Zero before the first run. tickets: the run's number in the highest 8 bits, the next tile's in the others.
layout(set = 0, binding = BINDING_TILE_STATES) buffer TileStates { uint tickets, fallbacks, words[]; };
layout(push_constant) uniform Push { LookbackPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS;

// BEGIN SOLUTION: what tiles publish, and how others look back at it
const uint ROWS = ELEMENTS / 4;  // vectors per invocation

// What a tile has published.
const uint NOTHING = 0, SUM = 1, PREFIX = 2;

// How often a tile that has published nothing is looked at before the group adds it up itself. A GPU's neighbours publish
// within a few looks; lavapipe ends an invocation after 65,535 loop iterations, silently.
const uint PATIENCE = 256;
const uint NONE = 0xFFFFFFFF;  // no tile

shared uint ticket;
shared Element subgroupSums[gl_WorkGroupSize.x];  // one per subgroup, which has at least one invocation
shared Element sharedPrefix;
shared uint missingTile;

uint width;  // invocations of this subgroup

// A subgroup's share of the tile is one unbroken run of memory, and so is each row of it: a vector per invocation.
Element4 rows[ROWS];
uint myVector(uint begin, uint row)
{
    const uint before = gl_LocalInvocationID.x - gl_SubgroupInvocationID;  // invocations of the subgroups to the left
    return begin / 4 + before * ROWS + row * width + gl_SubgroupInvocationID;
}

void loadRows(uint begin, bool full)
{
    if (full) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = sourceVectors[myVector(begin, r)];
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            const uint first = 4 * myVector(begin, r);
            [[unroll]] for (uint c = 0; c < 4; ++c) rows[r][c] = first + c < push.count ? source[first + c] : 0;
        }
    }
}

void storeRows(uint begin, bool full, Element prefix)
{
    if (full) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) targetVectors[myVector(begin, r)] = rows[r] + prefix;
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            const uint first = 4 * myVector(begin, r);
            [[unroll]] for (uint c = 0; c < 4; ++c)
                if (first + c < push.count) target[first + c] = rows[r][c] + prefix;
        }
    }
}

// Of the subgroups' sums, the sum of those to the left of this one; in the first subgroup, which has none, of all.
Element sumToMyLeftOrOfAll()
{
    Element sum = 0;
    for (uint i = gl_SubgroupInvocationID; gl_SubgroupID == 0 ? i * width < gl_WorkGroupSize.x : i < gl_SubgroupID;
         i += width)
        sum += subgroupSums[i];
    return subgroupAdd(sum);
}

// Each vector has been scanned on its own; `left` is the sum of everything to the left in the tile.
void scanRows(Element left)
{
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const Element sum = rows[r].w, upToMe = subgroupInclusiveAdd(sum);
        const Element before = left + upToMe - sum;
        left += subgroupShuffle(upToMe, width - 1);  // the whole row, for less than another addition over the subgroup
        rows[r] = (EXCLUSIVE == 1 ? Element4(0, rows[r].xyz) : rows[r]) + before;
    }
}

void publish(uint tile, uint run, uint flag, Element value)
{
    const uint bits = BITS_OF(value), tag = run << 24 | flag << 16;
    atomicStore(words[tile * WORDS_PER_TILE_STATE], tag | bits & 0xFFFF, gl_ScopeDevice, 0, 0);
    atomicStore(words[tile * WORDS_PER_TILE_STATE + 1], tag | bits >> 16, gl_ScopeDevice, 0, 0);
}

// What `tile` has published in this run: the flag, and the value; NOTHING while one of the words is still to come.
uint published(uint tile, uint run, out Element value)
{
    const uint low = atomicLoad(words[tile * WORDS_PER_TILE_STATE], gl_ScopeDevice, 0, 0);
    const uint high = atomicLoad(words[tile * WORDS_PER_TILE_STATE + 1], gl_ScopeDevice, 0, 0);
    value = ELEMENT_OF(low & 0xFFFF | high << 16);
    return low >> 16 == high >> 16 && low >> 24 == run ? low >> 16 & 0xFF : NOTHING;
}

// By the first subgroup: adds to `prefix` what tiles `last`, last - 1, ... have published, one tile per invocation at a
// time. Returns NONE when the prefix is whole, or the tile that it has waited for in vain.
uint lookBack(uint run, inout uint last, inout Element prefix)
{
    for (uint looks = 0; looks < PATIENCE; ++looks) {
        Element value = 0;
        uint flag = PREFIX;  // left of the array there is nothing to add
        if (last != NONE && gl_SubgroupInvocationID <= last)
            flag = published(last - gl_SubgroupInvocationID, run, value);

        const uint nearestPrefix = subgroupMin(flag == PREFIX ? gl_SubgroupInvocationID : width);
        const uint nearestGap = subgroupMin(flag == NOTHING ? gl_SubgroupInvocationID : width);
        const uint usable = min(nearestPrefix + 1, nearestGap);  // tiles
        prefix += subgroupAdd(gl_SubgroupInvocationID < usable ? value : 0);
        if (nearestPrefix < nearestGap) return NONE;
        last -= usable;
        if (usable > 0) looks = 0;
    }
    return last;
}

// The sum of a tile of this slice, by the whole work-group; in the first subgroup. (The slices before were finished
// before this one began: no tile of theirs is ever missing.)
Element sumOfMissingTile(uint tile)
{
    const uint begin = (tile - push.firstGroup) * TILE;
    Element sum = 0;
    for (uint k = 0; k < ELEMENTS; ++k) {
        const uint index = begin + k * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        if (index < push.count) sum += source[index];
    }
    sum = subgroupAdd(sum);
    // Everybody has read what these words held before the barrier that comes before each call.
    if (subgroupElect()) subgroupSums[gl_SubgroupID] = sum;
    barrier();  // every subgroup's sum of the missing tile is there
    return sumToMyLeftOrOfAll();
}

// The sum of everything to the left of the tile, whose own sum is `all` (known in the first subgroup, which publishes it).
Element prefixOf(uint tile, uint run, Element all)
{
    uint last = tile - 1;
    Element prefix = 0;
    for (;;) {
        if (gl_SubgroupID == 0) {
            const uint missing = lookBack(run, last, prefix);
            if (subgroupElect()) {
                if (missing == NONE) publish(tile, run, PREFIX, prefix + all);
                missingTile = missing;
                sharedPrefix = prefix;
            }
        }
        barrier();  // the first subgroup has said what it found
        const uint missing = missingTile;
        if (missing == NONE) break;

        const Element sum = sumOfMissingTile(missing);
        if (gl_SubgroupID == 0) {
            prefix += sum;
            --last;
            if (subgroupElect()) atomicAdd(fallbacks, 1);
        }
    }
    return sharedPrefix;
}
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: scan the next tile that is not taken yet
    width = subgroupWidth();
    uint tile = 0, run = 0;
    if (push.groups > 1) {
        if (gl_LocalInvocationID.x == 0) {
            ticket = atomicAdd(tickets, 1);
            // The last one starts the next run: its number goes up, its tiles begin at 0.
            if ((ticket & 0xFFFFFF) + 1 == push.groups) atomicAdd(tickets, (1 << 24) - push.groups);
        }
        barrier();  // the ticket is drawn before it is read
        // No tile is beyond the last one. Where the counters are not zeroed, a ticket may be, and looking back from it
        // would take minutes.
        tile = min(ticket & 0xFFFFFF, push.groups - 1);
        run = ticket >> 24;
    }
    // Groups that only fill up the last row of a folded dispatch have an empty tile, and go through the same motions.
    const uint begin = (tile - push.firstGroup) * TILE;
    const bool full = begin < push.count && push.count - begin >= TILE;
    loadRows(begin, full);

    Element sum = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        rows[r].y += rows[r].x;
        rows[r].z += rows[r].y;
        rows[r].w += rows[r].z;
        sum += rows[r].w;
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) subgroupSums[gl_SubgroupID] = sum;
    barrier();  // every subgroup's sum is there

    // As early as can be: others wait for it.
    const Element leftOrAll = sumToMyLeftOrOfAll();
    if (push.groups > 1 && gl_SubgroupID == 0 && subgroupElect()) publish(tile, run, tile == 0 ? PREFIX : SUM, leftOrAll);

    scanRows(gl_SubgroupID == 0 ? 0 : leftOrAll);
    storeRows(begin, full, tile == 0 ? 0 : prefixOf(tile, run, leftOrAll));
    // END SOLUTION
}
