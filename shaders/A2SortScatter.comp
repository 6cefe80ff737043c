// Third of three dispatches of each pass of a radix sort (Satish, Harris and Garland, 2009): each key goes where those
// before it end that have a smaller digit, or the same one. Keys with the same digit stay in order: so the passes before
// are not undone.
//
// A tile is sorted by its digit in shared memory first. Then neighbouring invocations write neighbouring keys, and most
// of them to neighbouring words.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Sort.h"
#include "include/A2SortGroupScan.glsl"

layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = BINDING_TILE_OFFSETS) readonly buffer Offsets { uint offsets[]; };  // digit by digit, in each the tiles
layout(set = 0, binding = BINDING_DIGIT_TOTALS) readonly buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { RadixPush push; };

const uint TILE = gl_WorkGroupSize.x * ELEMENTS, COUNTERS = gl_WorkGroupSize.x * SORT_DIGITS;
shared uint tileKeys[CONFLICT_FREE_INDEX(TILE - 1) + 1];
shared uint counters[CONFLICT_FREE_INDEX(COUNTERS - 1) + 1];
shared uint digitTotals[SORT_DIGITS];
shared uint places[SORT_DIGITS];  // where the digit's keys go, less where they lie in the tile

// Each invocation counts its keys in counters of its own: no atomics, no conflicts.
uint counterOf(uint key, uint invocation)
{
    return CONFLICT_FREE_INDEX(digitOf(key, push.shift) * gl_WorkGroupSize.x + invocation);
}

// All counters in a row: those of digit 0 of each invocation, then of digit 1, ... So their scan says where a key goes.
void scanCounters()
{
    const uint first = gl_LocalInvocationID.x * SORT_DIGITS;
    uint sum = 0;
    [[unroll]] for (uint i = 0; i < SORT_DIGITS; ++i) sum += counters[CONFLICT_FREE_INDEX(first + i)];
    uint before = sumOfThoseBefore(sum);
    [[unroll]] for (uint i = 0; i < SORT_DIGITS; ++i) {
        const uint at = CONFLICT_FREE_INDEX(first + i), count = counters[at];
        counters[at] = before;
        before += count;
    }
}

void findPlaces(uint tile)
{
    for (uint digit = gl_LocalInvocationID.x; digit < SORT_DIGITS; digit += gl_WorkGroupSize.x) {
        uint place = offsets[digit * push.tiles + tile] - counters[CONFLICT_FREE_INDEX(digit * gl_WorkGroupSize.x)];
        for (uint smaller = 0; smaller < digit; ++smaller) place += digitTotals[smaller];
        places[digit] = place;
    }
}

void main()
{
    const uint me = gl_LocalInvocationID.x, tile = workGroupNumber(), begin = tile * TILE;
    if (tile >= push.tiles) return;  // of a folded dispatch
    // BEGIN SOLUTION: load the tile, count its digits, scan the counters, sort it by its digits, write it
    for (uint i = me; i < TILE; i += gl_WorkGroupSize.x)  // what is beyond the end comes last
        tileKeys[CONFLICT_FREE_INDEX(i)] = begin + i < push.count ? source[begin + i] : 0xFFFFFFFF;
    [[unroll]] for (uint digit = 0; digit < SORT_DIGITS; ++digit)
        counters[CONFLICT_FREE_INDEX(digit * gl_WorkGroupSize.x + me)] = 0;
    for (uint digit = me; digit < SORT_DIGITS; digit += gl_WorkGroupSize.x) digitTotals[digit] = totals[digit];
    barrier();  // the tile is there before anyone takes its part of it

    // ELEMENTS keys that lie one after the other: so keys with the same digit stay in order.
    uint keys[ELEMENTS], before[ELEMENTS];  // of its digit
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k) {
        keys[k] = tileKeys[CONFLICT_FREE_INDEX(me * ELEMENTS + k)];
        const uint counter = counterOf(keys[k], me);
        before[k] = counters[counter];
        counters[counter] = before[k] + 1;
    }
    barrier();  // all keys are taken and counted
    scanCounters();
    barrier();  // all counters are scanned

    findPlaces(tile);
    [[unroll]] for (uint k = 0; k < ELEMENTS; ++k)
        tileKeys[CONFLICT_FREE_INDEX(counters[counterOf(keys[k], me)] + before[k])] = keys[k];
    barrier();  // the tile is sorted by its digit

    for (uint i = me; i < TILE; i += gl_WorkGroupSize.x) {
        const uint key = tileKeys[CONFLICT_FREE_INDEX(i)];
        if (begin + i < push.count) target[places[digitOf(key, push.shift)] + i] = key;
    }
    // END SOLUTION
}
