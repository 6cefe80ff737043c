// Work-efficient scan of one tile per work-group in shared memory: about 2 n additions instead of n log2 n.
//
// Up-sweep and down-sweep after Blelloch (1989) over a tree with two leaves per invocation. With ELEMENTS = 2 a leaf is
// one element, as in the assignment; with more, a leaf is ELEMENTS / 2 neighbours that one invocation scans alone, which
// saves the tree's lowest levels and their barriers. The tile's total goes to blockSums, for the scan of a larger array.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Kernels.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;  // even
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS) writeonly buffer BlockSums { uint blockSums[]; };
layout(push_constant) uniform Push { TileScanPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS;
const uint LEAF = ELEMENTS / 2;

// The tree needs a power of two of leaves: fill up with zeros where the work-group size is none.
const uint LEAVES = NEXT_POWER_OF_TWO(2 * gl_WorkGroupSize.x);
const uint PADDED_TILE = LEAVES * LEAF;

// One more element than the tile: the total behind it turns the exclusive scan into an inclusive one, read one place
// further to the right.
shared uint tile[CONFLICT_FREE_INDEX(PADDED_TILE) + 1];

// Where the partial sum of tree node `node` lies, when nodes span `span` leaves each: at the node's last element.
uint nodeIndex(uint node, uint span) { return CONFLICT_FREE_INDEX((node + 1) * span * LEAF - 1); }

void loadTile(uint begin)
{
    const uint lane = gl_LocalInvocationID.x;
    if (begin < push.count && push.count - begin >= TILE && PADDED_TILE == TILE) {
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint index = k * gl_WorkGroupSize.x + lane;
            tile[CONFLICT_FREE_INDEX(index)] = source[begin + index];
        }
    } else {
        for (uint index = lane; index < PADDED_TILE; index += gl_WorkGroupSize.x) {
            const bool inside = index < TILE && begin + index < push.count;
            tile[CONFLICT_FREE_INDEX(index)] = inside ? source[begin + index] : 0;
        }
    }
    barrier();  // the tile is whole before an invocation reads what its neighbours loaded
}

// Each invocation scans its leaves alone, in place; a leaf's last element is then its sum.
void sumLeaves()
{
    for (uint leaf = gl_LocalInvocationID.x; leaf < LEAVES; leaf += gl_WorkGroupSize.x) {
        uint sum = tile[CONFLICT_FREE_INDEX(leaf * LEAF)];
        for (uint k = 1; k < LEAF; ++k) {
            sum += tile[CONFLICT_FREE_INDEX(leaf * LEAF + k)];
            tile[CONFLICT_FREE_INDEX(leaf * LEAF + k)] = sum;
        }
    }
    barrier();  // leaf sums are written before the tree adds them
}

void upSweep()
{
    for (uint span = 1; span < LEAVES; span *= 2) {
        for (uint pair = gl_LocalInvocationID.x; 2 * pair * span < LEAVES; pair += gl_WorkGroupSize.x)
            tile[nodeIndex(2 * pair + 1, span)] += tile[nodeIndex(2 * pair, span)];
        barrier();  // the next level reads this level's sums
    }
}

// From the root down: the left child gets its parent's prefix, the right child that plus the left child's sum.
void downSweep()
{
    for (uint span = LEAVES / 2; span > 0; span /= 2) {
        for (uint pair = gl_LocalInvocationID.x; 2 * pair * span < LEAVES; pair += gl_WorkGroupSize.x) {
            const uint left = nodeIndex(2 * pair, span);
            const uint right = nodeIndex(2 * pair + 1, span);
            const uint leftSum = tile[left];
            tile[left] = tile[right];
            tile[right] += leftSum;
        }
        barrier();  // the next level reads this level's prefixes
    }
}

// A leaf's last element now holds the sum of everything before the leaf: hand it on to the leaf's elements.
void spreadIntoLeaves()
{
    for (uint leaf = gl_LocalInvocationID.x; leaf < LEAVES; leaf += gl_WorkGroupSize.x) {
        const uint before = tile[nodeIndex(leaf, 1)];
        for (uint k = LEAF - 1; k > 0; --k)
            tile[CONFLICT_FREE_INDEX(leaf * LEAF + k)] = before + tile[CONFLICT_FREE_INDEX(leaf * LEAF + k - 1)];
        tile[CONFLICT_FREE_INDEX(leaf * LEAF)] = before;
    }
    barrier();  // prefixes are in place before they are stored in another order
}

void storeTile(uint begin)
{
    const uint shift = 1 - EXCLUSIVE;
    for (uint k = 0; k < ELEMENTS; ++k) {
        const uint index = k * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        if (begin + index < push.count) target[begin + index] = tile[CONFLICT_FREE_INDEX(index + shift)];
    }
}

void main()
{
    const uint begin = workGroupNumber() * TILE;
    loadTile(begin);
    sumLeaves();
    upSweep();

    if (gl_LocalInvocationID.x == 0) {
        const uint root = nodeIndex(0, LEAVES);
        const uint total = tile[root];
        tile[CONFLICT_FREE_INDEX(PADDED_TILE)] = total;
        tile[root] = 0;  // nothing lies to the left of the whole tile
        // Groups that only fill up the last row of a folded dispatch have no tile and write nothing.
        if (begin < push.count) blockSums[workGroupNumber()] = total;
    }
    // No barrier: the down-sweep's first level is one pair, and invocation 0 works on it, too.

    downSweep();
    spreadIntoLeaves();
    storeTile(begin);
}
