// Work-efficient scan of one tile per work-group in shared memory: about 2 n additions instead of n log2 n.
//
// Up-sweep and down-sweep after Blelloch (1989) over a tree with two leaves per invocation. With ELEMENTS = 2 a leaf is
// one element, as in the assignment; with more, a leaf is ELEMENTS / 2 neighbours that one invocation scans alone, in
// registers, which saves the tree's lowest levels and their barriers: only the leaves' sums are in shared memory. The
// tile's total goes to blockSums, for the scan of a larger array.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Element.h"  // Element: uint, or float with --type float32
#include "include/A2Task2.h"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;  // even
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { Element source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { Element4 sourceVectors[]; };  // the same elements
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { Element target[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer TargetVectors { Element4 targetVectors[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS) writeonly buffer BlockSums { Element blockSums[]; };
layout(push_constant) uniform Push { TileScanPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS;

// BEGIN SOLUTION: a tree in shared memory, its up-sweep and its down-sweep (CONFLICT_FREE_INDEX pads an index)
const uint LEAF = ELEMENTS / 2;

// The tree needs a power of two of leaves: fill up with zeros where the work-group size is none.
const uint LEAVES = NEXT_POWER_OF_TWO(2 * gl_WorkGroupSize.x);
shared Element tree[CONFLICT_FREE_INDEX(LEAVES - 1) + 1];

// Where the partial sum of tree node `node` lies, when nodes span `span` leaves each: at the node's last leaf.
uint nodeIndex(uint node, uint span) { return CONFLICT_FREE_INDEX((node + 1) * span - 1); }

// Leaf i (0 or 1) of this invocation: neighbouring invocations have neighbouring leaves.
uint myLeaf(uint i) { return i * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

// Of each of my leaves, one after the other: the elements, then their scan. Loops over it are unrolled: an array that is
// only indexed by constants stays in registers.
Element scanned[ELEMENTS];

void loadMyLeaves(uint begin, bool full)
{
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint first = begin + myLeaf(i) * LEAF;
        if (full && LEAF % 4 == 0) {
            // Four elements with each load, so that more bytes are on their way at any time.
            [[unroll]] for (uint k = 0; k < LEAF; k += 4) {
                const Element4 four = sourceVectors[(first + k) / 4];
                scanned[i * LEAF + k] = four.x;
                scanned[i * LEAF + k + 1] = four.y;
                scanned[i * LEAF + k + 2] = four.z;
                scanned[i * LEAF + k + 3] = four.w;
            }
        } else {
            for (uint k = 0; k < LEAF; ++k) scanned[i * LEAF + k] = first + k < push.count ? source[first + k] : 0;
        }
    }
}

void sumMyLeaves()
{
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        [[unroll]] for (uint k = 1; k < LEAF; ++k) scanned[i * LEAF + k] += scanned[i * LEAF + k - 1];
        tree[nodeIndex(myLeaf(i), 1)] = scanned[i * LEAF + LEAF - 1];
    }
    for (uint leaf = 2 * gl_WorkGroupSize.x + gl_LocalInvocationID.x; leaf < LEAVES; leaf += gl_WorkGroupSize.x)
        tree[nodeIndex(leaf, 1)] = 0;
    barrier();  // leaf sums are written before the tree adds them
}

void upSweep()
{
    for (uint span = 1; span < LEAVES; span *= 2) {
        for (uint pair = gl_LocalInvocationID.x; 2 * pair * span < LEAVES; pair += gl_WorkGroupSize.x)
            tree[nodeIndex(2 * pair + 1, span)] += tree[nodeIndex(2 * pair, span)];
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
            const Element leftSum = tree[left];
            tree[left] = tree[right];
            tree[right] += leftSum;
        }
        barrier();  // the next level reads this level's prefixes
    }
}

// Element k of leaf i in the finished scan; `before` is the sum of everything to the left of the leaf.
Element finished(uint i, uint k, Element before)
{
    if (EXCLUSIVE == 0) return before + scanned[i * LEAF + k];
    return k == 0 ? before : before + scanned[i * LEAF + k - 1];
}

void storeMyLeaves(uint begin, bool full)
{
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uint first = begin + myLeaf(i) * LEAF;
        const Element before = tree[nodeIndex(myLeaf(i), 1)];
        if (full && LEAF % 4 == 0) {
            [[unroll]] for (uint k = 0; k < LEAF; k += 4)
                targetVectors[(first + k) / 4] = Element4(finished(i, k, before), finished(i, k + 1, before),
                                                          finished(i, k + 2, before), finished(i, k + 3, before));
        } else {
            for (uint k = 0; k < LEAF; ++k)
                if (first + k < push.count) target[first + k] = finished(i, k, before);
        }
    }
}
// END SOLUTION

void main()
{
    // BEGIN SOLUTION: scan the tile, store it in target[], and its total in blockSums[workGroupNumber()]
    const uint begin = workGroupNumber() * TILE;
    const bool full = begin < push.count && push.count - begin >= TILE;
    loadMyLeaves(begin, full);
    sumMyLeaves();
    upSweep();

    if (gl_LocalInvocationID.x == 0) {
        const uint root = nodeIndex(0, LEAVES);
        // Groups that only fill up the last row of a folded dispatch have no tile and write nothing.
        if (begin < push.count) blockSums[workGroupNumber()] = tree[root];
        tree[root] = 0;  // nothing lies to the left of the whole tile
    }
    // No barrier: the down-sweep's first level is one pair, and invocation 0 works on it, too.

    downSweep();
    storeMyLeaves(begin, full);
    // END SOLUTION
}
