// Third of three dispatches of each pass of a radix sort (Satish, Harris and Garland, 2009): each key goes where those
// before it end that have a smaller digit, or the same one. Keys with the same digit stay in order: so the passes before
// are not undone.
//
// A subgroup asks by ballots which of its keys have the same digit (Ashkiani and others, 2016), so that no two invocations
// count at the same counter. A tile is sorted by its digit in shared memory first. Then neighbouring invocations write
// neighbouring keys, and most of them to neighbouring words.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#include "include/A2Sort.h"
#include "include/A2SortGroupScan.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = BINDING_TILE_OFFSETS) readonly buffer Offsets { uint offsets[]; };  // digit by digit, in each the tiles
layout(set = 0, binding = BINDING_DIGIT_TOTALS) readonly buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { RadixPush push; };

const uint W = gl_WorkGroupSize.x, TILE = W * ELEMENTS;
const uint BITS = SORT_DIGIT_BITS(TILE), DIGITS = SORT_DIGITS(TILE), DIGITS_EACH = (DIGITS + W - 1) / W;
const uint ROW = SORT_ROW(W), ROWS = (W + ROW - 1) / ROW;
const uint LAST = 1u << 31;  // beside a rank: no voter after this one has the same digit
const uint COUNTERS = ROWS * DIGITS;  // row by row; become where the row's keys of each digit begin in the sorted tile
shared uint words[COUNTERS > TILE ? COUNTERS : TILE];  // counters, and then the sorted tile: the less, the more tiles at a time
shared uint places[DIGITS];                            // where the digit's keys go, less where they lie in the tile
shared uint widthOfSubgroups;

uint digitOf(uint key) { return key >> push.shift & (DIGITS - 1); }

// For whom of 32 invocations of this subgroup, mine among them, it is so.
uint ballot(bool isSo) { return subgroupBallot(isSo)[gl_SubgroupInvocationID / 32]; }

// Those of the voters whose keys have the same digit.
uint thoseWith(uint digit, uint voters)
{
    uint same = voters;
    [[unroll]] for (uint bit = 0; bit < BITS; ++bit) {
        const bool isSet = (digit & 1 << bit) != 0;
        const uint set = ballot(isSet);
        same &= isSet ? set : ~set;
    }
    return same;
}

// Each invocation has some digits that follow each other, given where their keys of this tile go among all of the digit, and
// how many there are.
void findPlaces(const uint offset[DIGITS_EACH], const uint total[DIGITS_EACH])
{
    const uint first = gl_LocalInvocationID.x * DIGITS_EACH;
    uint inTile = 0, inAll = 0, counted[DIGITS_EACH * ROWS];
    [[unroll]] for (uint i = 0; i < DIGITS_EACH; ++i) {
        inAll += total[i];
        [[unroll]] for (uint row = 0; row < ROWS; ++row) {
            counted[i * ROWS + row] = first + i < DIGITS ? words[row * DIGITS + first + i] : 0;
            inTile += counted[i * ROWS + row];
        }
    }
    uint place = sumOfThoseBefore(inTile), placeOfAll = sumOfThoseBefore(inAll);
    [[unroll]] for (uint i = 0; i < DIGITS_EACH && first + i < DIGITS; ++i) {
        places[first + i] = placeOfAll + offset[i] - place;
        placeOfAll += total[i];
        [[unroll]] for (uint row = 0; row < ROWS; ++row) {
            words[row * DIGITS + first + i] = place;
            place += counted[i * ROWS + row];
        }
    }
}

void main()
{
    const uint me = gl_LocalInvocationID.x, tile = workGroupNumber(), begin = tile * TILE;
    if (tile >= push.tiles) return;  // of a folded dispatch
    // BEGIN SOLUTION: load the tile, count its digits, scan the counters, sort it by its digits, write it
    const uint lane = gl_SubgroupInvocationID % 32, first = me - lane, voters = ballot(true);  // first of the voters
    uint keys[ELEMENTS], rank[ELEMENTS];  // among the row's keys of the same digit
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
        const uint i = begin + first * ELEMENTS + k * bitCount(voters) + lane;
        keys[k] = i < push.count ? source[i] : 0xFFFFFFFF;  // what is beyond the end comes last
    }
    uint offset[DIGITS_EACH], total[DIGITS_EACH];  // of my digits; here, so that they are there when they are needed
    [[unroll]] for (uint i = 0; i < DIGITS_EACH; ++i) {
        const uint digit = me * DIGITS_EACH + i;
        offset[i] = digit < DIGITS ? offsets[digit * push.tiles + tile] : 0;
        total[i] = digit < DIGITS ? totals[digit] : 0;
    }
    // Before anybody counts: so that no key's question waits for the counters of the keys before it.
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
        const uint same = thoseWith(digitOf(keys[k]), voters);
        rank[k] = bitCount(same & (1 << lane) - 1) | (same >> lane == 1 ? LAST : 0);
    }
    const uint width = subgroupWidth();
    if (me == 0) widthOfSubgroups = width;
    for (uint i = me; i < COUNTERS; i += W) words[i] = 0;
    barrier();  // every counter is zero

    // Where several subgroups share a row, they take turns, from left to right. (What the first invocation reads, all are
    // given: Mesa's CPU driver looks at the condition of a loop for invocations that are not there, too.)
    const uint row = me / ROW, perTurn = min(subgroupBroadcastFirst(widthOfSubgroups), 32);
    for (uint turn = 0; turn < ROW; turn += perTurn) {
        const bool isMine = turn == first % ROW;
        if (subgroupAny(isMine))
            [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
                const uint counter = row * DIGITS + digitOf(keys[k]);
                const bool isLast = rank[k] >= LAST;
                if (isMine) rank[k] = words[counter] + (rank[k] & LAST - 1);
                subgroupBarrier();  // the counters are read before they are changed
                if (isMine && isLast) words[counter] = rank[k] + 1;
                subgroupBarrier();  // and changed before they are read again
            }
        barrier();  // the next ones go on from what is counted, and in the end all keys are
    }
    findPlaces(offset, total);
    barrier();  // all counters are scanned

    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) rank[k] += words[row * DIGITS + digitOf(keys[k])];  // now in the tile
    barrier();  // the counters are no longer needed
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) words[rank[k]] = keys[k];
    barrier();  // the tile is sorted by its digit

    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
        const uint i = k * W + me, key = words[i];
        if (begin + i < push.count) target[places[digitOf(key)] + i] = key;
    }
    // END SOLUTION
}
