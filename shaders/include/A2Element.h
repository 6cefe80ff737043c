// The type of the array's elements, and of their sums. A kernel that includes this and says Element runs with floats, too:
// a2 --type float32 compiles it so. One that says uint is for uint alone, or for int, which adds up the same words.
#ifndef A2_ELEMENT_H
#define A2_ELEMENT_H

#ifdef A2_FLOAT32
#define Element float
#define Element4 vec4
#define BITS_OF(element) floatBitsToUint(element)
#define ELEMENT_OF(bits) uintBitsToFloat(bits)
#else
#define Element uint
#define Element4 uvec4
#define BITS_OF(element) (element)
#define ELEMENT_OF(bits) (bits)
#endif

#endif
