// Digest: two sums over an array, by which a result is known without bringing it to the host.
//
// Of all numbers, and of all numbers times their index, modulo 2^32 (after Fletcher's checksum, 1982). a2's own: it looks
// at results, and sums the parts of a scan over several devices. It stands alone, so that no other file under shaders/
// can change what it says.
#version 450

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1) buffer Digest { uint sum, weighted; };  // 0 at first
// Words, the index of the first of them, and whether they are floats.
layout(push_constant) uniform Push { uint count, first, reals; };

// Of the work-group: so the digest itself meets few atomics.
shared uint sumOfGroup, weightedOfGroup;

// What a word stands for (src/base/ElementType.h): floats that are whole numbers up to 2^24, and the words of these
// numbers, take each other's place.
uint numberOf(uint word)
{
    const float value = uintBitsToFloat(word);
    const bool isSmallest = (word >> 23 & 0xFF) == 0;  // or 0: a device may take one for the other
    if (reals == 0) return word;
    if ((word & 0x7FFFFFFF) == 0) return 0;
    if (!isSmallest && abs(value) <= 16777216.0 && value == trunc(value)) return uint(int(value));
    return word + 16777216 <= 33554432 ? floatBitsToUint(float(int(word))) : word;
}

uint ofNumbers = 0, ofWeighted = 0;

void add(uint i, uint word)
{
    const uint number = numberOf(word);
    ofNumbers += number;
    ofWeighted += number * (first + i);
}

void main()
{
    if (gl_LocalInvocationIndex == 0) sumOfGroup = weightedOfGroup = 0;
    barrier();  // the sums are 0 before the first addition

    // Four words are on their way from memory at a time.
    const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint i = gl_GlobalInvocationID.x;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const uvec4 four = uvec4(words[i], words[i + stride], words[i + 2 * stride], words[i + 3 * stride]);
        for (uint k = 0; k < 4; ++k) add(i + k * stride, four[k]);
    }
    for (; i < count; i += stride) add(i, words[i]);

    atomicAdd(sumOfGroup, ofNumbers);
    atomicAdd(weightedOfGroup, ofWeighted);
    barrier();  // all invocations have added theirs
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(sum, sumOfGroup);
        atomicAdd(weighted, weightedOfGroup);
    }
}
