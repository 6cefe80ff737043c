// What the emulator calculates, for each group of instructions, compared with C++.

#include "a2/Error.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

// Runs one invocation that writes words; `in` contains what it reads.
Words calculated(const std::string& body, const Words& in, std::size_t results, const std::string& before = "",
                 const std::string& says = "")
{
    EmulatedGlsl kernel("#version 460\n" + before +
                        "layout(local_size_x = 1) in;\n"
                        "layout(set = 0, binding = 0) readonly buffer In { uint i[]; };\n"
                        "layout(set = 0, binding = 1) buffer Out { uint o[]; };\n"
                        "void main() {\n" +
                        body + "\n}\n");
    kernel.buffer(in).buffer(Words(results));
    const Emulated all = kernel.run();
    EXPECT_EQ(findingsText(all), says);
    return kernel.words(1);
}

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr std::uint32_t minusOf(std::uint32_t x) { return 0U - x; }

}  // namespace

TEST(Emulator, CalculatesWholeNumbers)
{
    const std::uint32_t x = 0xFFFFFFF9, y = 5;  // -7
    const Words found = calculated(
        "int x = int(i[0]), y = int(i[1]);\n"
        "o[0] = i[0] + i[1]; o[1] = i[0] - i[1]; o[2] = i[0] * i[1]; o[3] = i[0] / i[1]; o[4] = i[0] % i[1];\n"
        "o[5] = uint(x / y); o[6] = uint(x % y); o[7] = uint(-x); o[8] = uint(x >> 1); o[9] = i[0] >> 1;\n"
        "o[10] = i[0] << 3; o[11] = i[0] & i[1]; o[12] = i[0] | i[1]; o[13] = i[0] ^ i[1]; o[14] = ~i[0];\n"
        "o[15] = uint(abs(x)); o[16] = uint(sign(x)); o[17] = uint(min(x, y)); o[18] = max(i[0], i[1]);\n"
        "o[19] = uint(clamp(x, -3, y)); o[20] = uint(x < y) | uint(i[0] < i[1]) << 1 | uint(x == y) << 2 | uint(x != "
        "y) << 3;",
        {x, y}, 21, "", "note: % of a negative number has no result in GLSL\n");
    EXPECT_EQ(found, (Words{x + y, x - y, x * y, x / y, x % y, minusOf(1), 3, 7, minusOf(4), x >> 1, x << 3,
                            x & y, x | y, x ^ y, ~x,    7,     minusOf(1), x, x, minusOf(3), 9}));
}

TEST(Emulator, CalculatesWithBits)
{
    const Words found = calculated(
        "o[0] = bitfieldExtract(i[0], 4, 8); o[1] = uint(bitfieldExtract(int(i[0]), 24, 8));\n"
        "o[2] = bitfieldInsert(i[0], 0x5u, 8, 4); o[3] = bitfieldReverse(i[0]); o[4] = uint(bitCount(i[0]));\n"
        "o[5] = uint(findLSB(i[0])); o[6] = uint(findMSB(i[0])); o[7] = uint(findMSB(int(i[0]))); o[8] = "
        "uint(findLSB(i[1]));\n"
        "uint carry, borrow, high, low; int shigh, slow; o[9] = uaddCarry(i[0], i[2], carry); o[10] = carry;\n"
        "o[11] = usubBorrow(i[2], i[0], borrow); o[12] = borrow; umulExtended(i[0], i[2], high, low); o[13] = high; "
        "o[14] = low;\n"
        "imulExtended(int(i[0]), int(i[2]), shigh, slow); o[15] = uint(shigh); o[16] = uint(slow);",
        {0xF00000F0, 0, 0x20000000}, 17);
    EXPECT_EQ(found, (Words{0xF, 0xFFFFFFF0, 0xF00005F0, 0x0F00000F, 8, 4, 31, 27, UINT32_MAX, 0x100000F0, 1,
                            0x2FFFFF10, 1, 0x1E00001E, 0, 0xFE00001E, 0}));
}

TEST(Emulator, CalculatesFloatsAsIeeeSingles)
{
    const float x = 0.1F, y = 3.7F;
    const Words found = calculated(
        "float x = uintBitsToFloat(i[0]), y = uintBitsToFloat(i[1]);\n"
        "o[0] = floatBitsToUint(x + y); o[1] = floatBitsToUint(x - y); o[2] = floatBitsToUint(x * y); o[3] = "
        "floatBitsToUint(x / y);\n"
        "o[4] = floatBitsToUint(-x); o[5] = floatBitsToUint(sqrt(y)); o[6] = floatBitsToUint(floor(-y)); o[7] = "
        "floatBitsToUint(fract(y));\n"
        "o[8] = floatBitsToUint(mod(-y, 1.5)); o[9] = uint(y); o[10] = uint(int(-y)); o[11] = "
        "floatBitsToUint(float(int(i[2])));\n"
        "o[12] = uint(x < y) | uint(x > y) << 1 | uint(isnan(x / 0.0)) << 2 | uint(isinf(x / 0.0)) << 3;\n"
        "o[13] = floatBitsToUint(fma(x, y, x)); o[14] = floatBitsToUint(min(x, y)); o[15] = floatBitsToUint(clamp(y, "
        "0.0, 1.0));\n"
        "o[16] = floatBitsToUint(mix(x, y, 0.5)); o[17] = floatBitsToUint(step(x, y)); o[18] = "
        "floatBitsToUint(round(y));\n"
        "o[19] = floatBitsToUint(exp2(3.0 * y / y)); o[20] = floatBitsToUint(ldexp(y, 3)); int e; o[21] = "
        "floatBitsToUint(frexp(y, e)); o[22] = uint(e);\n"
        "o[23] = floatBitsToUint(float(i[2])); o[24] = floatBitsToUint(trunc(-y)); o[25] = floatBitsToUint(ceil(x)); "
        "o[26] = floatBitsToUint(inversesqrt(4.0 + x - x));\n",
        {bitsOf(x), bitsOf(y), 0xFFFFFFFB}, 27);
    const float whole = std::floor(-y / 1.5F);
    EXPECT_EQ(found[0], bitsOf(x + y));
    EXPECT_EQ(found[1], bitsOf(x - y));
    EXPECT_EQ(found[2], bitsOf(x * y));
    EXPECT_EQ(found[3], bitsOf(x / y));
    EXPECT_EQ(found[4], bitsOf(-x));
    EXPECT_EQ(found[5], bitsOf(std::sqrt(y)));
    EXPECT_EQ(found[6], bitsOf(-4));
    EXPECT_EQ(found[7], bitsOf(y - 3));
    EXPECT_NEAR(std::bit_cast<float>(found[8]), -y - 1.5F * whole, 1e-6F);
    EXPECT_EQ(found[9], 3U);
    EXPECT_EQ(found[10], minusOf(3));
    EXPECT_EQ(found[11], bitsOf(-5));
    EXPECT_EQ(found[12], 1U | 8U);
    EXPECT_EQ(found[13], bitsOf(std::fma(x, y, x)));
    EXPECT_EQ(found[14], bitsOf(x));
    EXPECT_EQ(found[15], bitsOf(1));
    EXPECT_NEAR(std::bit_cast<float>(found[16]), 1.9F, 1e-6F);
    EXPECT_EQ(found[17], bitsOf(1));
    EXPECT_EQ(found[18], bitsOf(4));
    EXPECT_EQ(found[19], bitsOf(8));
    EXPECT_EQ(found[20], bitsOf(y * 8));
    EXPECT_EQ(found[21], bitsOf(y / 4));
    EXPECT_EQ(found[22], 2U);
    EXPECT_EQ(found[23], bitsOf(4294967291.0F));
    EXPECT_EQ(found[24], bitsOf(-3));
    EXPECT_EQ(found[25], bitsOf(1));
    EXPECT_EQ(found[26], bitsOf(0.5F));
}

TEST(Emulator, CalculatesWideAndNarrowNumbers)
{
    const Words found = calculated(
        "uint64_t w = uint64_t(i[0]) << 32 | i[1]; int64_t s = -int64_t(i[1]);\n"
        "w += 1ul; o[0] = uint(w); o[1] = uint(w >> 32); w *= 3ul; o[2] = uint(w); o[3] = uint(w >> 32);\n"
        "s /= 3l; o[4] = uint(s); o[5] = uint(uint64_t(s) >> 32); o[6] = uint(s < 0l); uvec2 parts = unpack32(w); o[7] "
        "= parts.x;\n"
        "uint16_t h = uint16_t(i[2]); h += uint16_t(1); o[8] = uint(h); int8_t b = int8_t(i[2]); o[9] = uint(int(b)); "
        "o[10] = uint(uint8_t(b));\n"
        "double d = double(i[1]); d = d / 3.0lf; o[11] = uint(d > 1.0lf); uvec2 bits = unpackDouble2x32(d); o[12] = "
        "bits.x; o[13] = bits.y;\n"
        "float16_t f = float16_t(1.0) / float16_t(3.0); o[14] = floatBitsToUint(float(f)); o[15] = "
        "packHalf2x16(vec2(1.5, -2.0));",
        {1, 0xFFFFFFFF, 0xFFFF}, 16,
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension GL_EXT_shader_16bit_storage : "
        "enable\n");
    const std::uint64_t w = 0x200000000ULL * 3;
    const std::int64_t s = -std::int64_t{0xFFFFFFFF} / 3;
    const auto d = std::bit_cast<std::uint64_t>(4294967295.0 / 3.0);
    EXPECT_EQ(found,
              (Words{0, 2, static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(w >> 32),
                     static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(static_cast<std::uint64_t>(s) >> 32), 1,
                     static_cast<std::uint32_t>(w), 0, UINT32_MAX, 0xFF, 1, static_cast<std::uint32_t>(d),
                     static_cast<std::uint32_t>(d >> 32), bitsOf(0.333251953125F), 0xC0003E00}));
}

// Calculations of one number have handlers of their own; those of vectors do not.
TEST(Emulator, CalculatesOneNumberAsItDoesVectors)
{
    const Words edges = {0, 1, 2, 7, 31, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF9, 0xFFFFFFFF};
    const std::array<std::pair<std::string, std::string>, 12> pairs = {{{"x + y", "(p + q).x"},
                                                                        {"x - y", "(p - q).x"},
                                                                        {"x * y", "(p * q).x"},
                                                                        {"x & y", "(p & q).x"},
                                                                        {"x << s", "(p << r).x"},
                                                                        {"x >> s", "(p >> r).x"},
                                                                        {"x == y", "equal(p, q).x"},
                                                                        {"x != y", "notEqual(p, q).x"},
                                                                        {"x < y", "lessThan(p, q).x"},
                                                                        {"x <= y", "lessThanEqual(p, q).x"},
                                                                        {"x > y", "greaterThan(p, q).x"},
                                                                        {"x >= y", "greaterThanEqual(p, q).x"}}};
    std::string writes;
    for (const auto& [one, two] : pairs) writes += "o[k++] = uint(" + one + "); o[k++] = uint(" + two + ");\n";
    const struct {
        std::string one, two, bits;
    } types[] = {{"uint", "uvec2", "31"},      {"int", "ivec2", "31"},        {"uint16_t", "u16vec2", "15"},
                 {"int16_t", "i16vec2", "15"}, {"uint64_t", "u64vec2", "63"}, {"int64_t", "i64vec2", "63"}};
    const std::string count = std::to_string(edges.size());
    for (const auto& [t, v, bits] : types) {
        const std::string body = "uint k = 0; for (uint a = 0; a < " + count + "; ++a) for (uint b = 0; b < " + count +
                                 "; ++b) {\n" + t + " x = " + t + "(i[a]), y = " + t + "(i[b]), s = y & " + t + "(" +
                                 bits + "); x *= x; " + v + " p = " + v + "(x, y), q = " + v + "(y, x), r = " + v +
                                 "(s, 0);\n" + writes + "}";
        const Words found = calculated(body, edges, edges.size() * edges.size() * pairs.size() * 2,
                                       "#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension "
                                       "GL_EXT_shader_16bit_storage : enable\n");
        for (std::size_t k = 0; k < found.size(); k += 2)
            ASSERT_EQ(found[k], found[k + 1]) << t << ": " << pairs[k / 2 % pairs.size()].first << ", " << k;
    }
}

TEST(Emulator, CalculatesVectorsAndMatrices)
{
    const Words found = calculated(
        "uvec4 v = uvec4(i[0], i[1], i[2], i[3]); uvec4 w = v.wzyx + 1u; v.yz = w.xy; v[i[0]] += 100u;\n"
        "o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w; bvec4 b = lessThan(v, w); o[4] = uint(any(b)) | uint(all(b)) "
        "<< 1; \n"
        "mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6); vec3 r = m * vec2(2, 1); o[5] = uint(r.x); o[6] = uint(r.y); o[7] = "
        "uint(r.z);\n"
        "vec2 l = vec3(1, 0, 1) * m; o[8] = uint(l.x); o[9] = uint(l.y); mat2 p = transpose(m) * m; o[10] = "
        "uint(p[0][1]); o[11] = uint(p[1][1]);\n"
        "o[12] = uint(dot(vec3(1, 2, 3), vec3(4, 5, 6))); vec3 c = cross(vec3(1, 0, 0), vec3(0, 1, 0)); o[13] = "
        "uint(c.z); o[14] = uint(length(vec2(3, 4)));\n"
        "mat2 q = outerProduct(vec2(1, 2), vec2(3, 4)); o[15] = uint(q[1][0]); vec2 n = normalize(vec2(0, 5)); o[16] = "
        "uint(n.y);\n"
        "o[17] = uint((2.0 * m)[1].z); m[1][i[0]] = 9.0; o[18] = uint(m[1].y); o[19] = v[i[2]];",
        {1, 2, 3, 4}, 20);
    EXPECT_EQ(found, (Words{1, 105, 4, 4, 1, 6, 9, 12, 4, 10, 32, 77, 32, 1, 5, 4, 1, 12, 9, 4}));
}

TEST(Emulator, KnowsStructuresArraysAndCalls)
{
    const Words found = calculated(
        "Part parts[2][3]; for (int a = 0; a < 2; ++a) for (int b = 0; b < 3; ++b) { parts[a][b].n = uint(10 * a + b); "
        "parts[a][b].v = vec3(b); }\n"
        "Part one = parts[1][i[0]]; one.n += 1u; parts[0] = parts[1]; o[0] = one.n; o[1] = parts[0][2].n; o[2] = "
        "uint(one.v.z); \n"
        "uint rest = 7u; o[3] = twice(i[0], rest); o[4] = rest; o[5] = table[i[1]]; o[6] = uint(table.length());\n"
        "uint k = 0u; switch (i[1]) { case 1u: k = 5u; case 2u: k += 10u; break; default: k = 99u; } o[7] = k;\n"
        "uint sum = 0u; do { sum += k; if (sum > 40u) break; if (sum == 20u) continue; sum += 1u; } while (sum < "
        "100u); o[8] = sum;",
        {1, 2}, 9,
        "struct Part { uint n; vec3 v; }; const uint table[4] = uint[4](3, 5, 7, 9);\n"
        "uint half_(inout uint x) { x /= 2u; return x; }\nuint twice(uint x, inout uint rest) { rest += half_(x); "
        "return 2u * x + half_(rest); }\n");
    EXPECT_EQ(found, (Words{12, 12, 1, 3, 3, 7, 4, 10, 43}));
}

TEST(Emulator, KnowsLayouts)
{
    EmulatedGlsl kernel(R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
struct Inner { vec3 a; float b; uint c[2]; };
layout(set = 0, binding = 0, std140) uniform U { mat2 m; layout(row_major) mat3x2 r; float f[2]; Inner s; };
layout(set = 0, binding = 1, std430) buffer O { uint first; uint8_t bytes[4]; uint16_t halves[2]; uint64_t wide; layout(row_major) mat2x3 rows; Inner all[]; } o;
layout(push_constant) uniform P { uint x; layout(offset = 16) vec2 y; } p;
void main() {
    o.first = uint(m[1][0]) + uint(r[2][1]) * 10u + uint(f[1]) * 100u + uint(s.b) * 1000u + s.c[1] * 10000u;
    o.bytes[2] = uint8_t(p.x); o.halves[1] = uint16_t(0xABCD); o.wide = 0x123456789ABCDEF0ul;
    o.rows = mat2x3(1, 2, 3, 4, 5, 6); o.rows[0].z = 9; o.all[1] = s; o.all[1].c[0] = uint(p.y.y) + uint(o.all.length());
})");
    std::vector<std::uint32_t> uniform(96);
    uniform[4] = bitsOf(2);          // m[1][0], columns 16 bytes apart
    uniform[8 + 4 + 2] = bitsOf(3);  // r[2][1]: row 1, column 2
    uniform[16 + 4] = bitsOf(4);     // f[1]
    uniform[24 + 3] = bitsOf(5);     // s.b
    uniform[28 + 4] = 6;             // s.c[1], 16 bytes apart
    std::vector<std::uint32_t> out(96);
    kernel.buffer(uniform).buffer(out).push({0x1FF, 0, 0, 0, bitsOf(1), bitsOf(7)});
    const Emulated all = kernel.run();
    EXPECT_EQ(findingsText(all), "");
    const auto found = kernel.words(1);
    EXPECT_EQ(found[0], 65432U);
    EXPECT_EQ(found[1], 0xFF0000U);
    EXPECT_EQ(found[2], 0xABCD0000U);
    EXPECT_EQ(found[4], 0x9ABCDEF0U);
    EXPECT_EQ(found[5], 0x12345678U);
    // Rows of two, 8 bytes apart: (1 4) (2 5) (9 6).
    EXPECT_EQ(std::vector(found.begin() + 6, found.begin() + 12),
              (Words{bitsOf(1), bitsOf(4), bitsOf(2), bitsOf(5), bitsOf(9), bitsOf(6)}));
}

TEST(Emulator, DoesAtomicsOnBuffersAndSharedMemory)
{
    EmulatedGlsl kernel(R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint add, low, high, both, any, flip, swap, old; int slow, shigh; uint64_t wide; };
shared uint sum;
void main() {
    uint l = gl_LocalInvocationIndex;
    if (l == 0) sum = 0;
    barrier();
    atomicAdd(sum, l);
    atomicAdd(add, 2); atomicMin(low, l + 5); atomicMax(high, l); atomicAnd(both, ~(1u << (l % 32))); atomicOr(any, 1u << (l % 8)); atomicXor(flip, l);
    atomicCompSwap(swap, 7, 8); atomicMin(slow, -int(l)); atomicMax(shigh, int(l) - 100); atomicAdd(wide, 0x100000001ul);
    barrier();
    if (l == 0) old = atomicExchange(sum, 0);
})");
    kernel.buffer({0, 100, 0, 0xFFFFFFFF, 0, 0, 7, 0, 0, minusOf(200), 0, 0});
    EXPECT_EQ(findingsText(kernel.run()), "");
    EXPECT_EQ(kernel.words(0), (Words{128, 5, 63, 0, 0xFF, 0, 8, 2016, minusOf(63), minusOf(37), 64, 64}));
}

// At every size of a subgroup, compared with loops.
TEST(Emulator, DoesSubgroupOperations)
{
    const std::string text = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 48) in;
layout(set = 0, binding = 0) readonly buffer I { uint x[]; };
layout(set = 0, binding = 1) buffer O { uint o[][24]; };
void main() {
    uint l = gl_LocalInvocationIndex, v = x[l], s = gl_SubgroupInvocationID;
    o[l][0] = subgroupAdd(v); o[l][1] = subgroupInclusiveAdd(v); o[l][2] = subgroupExclusiveAdd(v); o[l][3] = subgroupMax(v);
    o[l][4] = uint(subgroupElect()) | uint(subgroupAll(v > 3)) << 1 | uint(subgroupAny(v > 40)) << 2 | uint(subgroupAllEqual(v)) << 3;
    uvec4 b = subgroupBallot((v & 1) != 0); o[l][5] = b.x; o[l][6] = subgroupBallotBitCount(b); o[l][7] = subgroupBallotExclusiveBitCount(b);
    o[l][8] = subgroupBroadcastFirst(v); o[l][9] = subgroupBroadcast(v, 1); o[l][10] = subgroupShuffleXor(v, 1);
    uint up = subgroupShuffleUp(v, 1); o[l][11] = s >= 1 ? up : 77; uint down = subgroupShuffleDown(v, 2);
    o[l][12] = s + 2 < gl_SubgroupSize && l + 2 < 48 ? down : 77; o[l][13] = subgroupClusteredAdd(v, 4); o[l][14] = subgroupQuadSwapHorizontal(v);
    o[l][15] = subgroupQuadBroadcast(v, 3); o[l][16] = gl_SubgroupID; o[l][17] = gl_NumSubgroups; o[l][18] = gl_SubgroupLtMask.x;
    if ((l & 1) == 0) o[l][19] = subgroupAdd(v); else o[l][19] = subgroupAdd(1);
    uint n = 0; for (uint k = 0; k <= s % 3; ++k) n += subgroupAdd(1); o[l][20] = n;
    o[l][21] = uint(subgroupInverseBallot(b)) | uint(subgroupBallotBitExtract(b, 0)) << 1; o[l][22] = subgroupXor(v); o[l][23] = subgroupAdd(1);
})";
    std::vector<std::uint32_t> x(48);
    for (std::uint32_t i = 0; i < 48; ++i) x[i] = (i * 7 + 3) % 50;
    for (const std::uint32_t size : {4U, 8U, 16U, 32U, 64U}) {
        EmulatedGlsl kernel(text);
        kernel.settings.subgroupSize = size;
        kernel.buffer(x).buffer(Words(48 * 24));
        EXPECT_EQ(findingsText(kernel.run()), "") << size;
        const auto o = kernel.words(1);
        for (std::uint32_t l = 0; l < 48; ++l) {
            const std::uint32_t first = l / size * size, end = std::min(first + size, 48U), s = l - first;
            const auto at = [&](std::uint32_t k) { return o[l * 24 + k]; };
            std::uint32_t sum = 0, before = 0, most = 0, exclusive = 0, ballot = 0, odd = 0, even = 0, odds = 0,
                          bits = 0;
            bool all = true, any = false;
            for (std::uint32_t k = first; k < end; ++k) {
                sum += x[k];
                if (k < l) before += x[k];
                most = std::max(most, x[k]);
                exclusive ^= x[k];
                all = all && x[k] > 3;
                any = any || x[k] > 40;
                if (x[k] & 1) ++odds;
                if ((x[k] & 1) && k - first < 32) ballot |= 1U << (k - first);
                if ((x[k] & 1) && k < l) ++bits;
                if (k & 1) ++odd;
                if (!(k & 1)) even += x[k];
            }
            std::uint32_t turns = 0;
            for (std::uint32_t t = 0; t <= s % 3; ++t)
                for (std::uint32_t k = first; k < end; ++k) turns += (k - first) % 3 >= t;
            const std::string where = "subgroup size " + std::to_string(size) + ", invocation " + std::to_string(l);
            EXPECT_EQ(at(0), sum) << where;
            EXPECT_EQ(at(1), before + x[l]) << where;
            EXPECT_EQ(at(2), before) << where;
            EXPECT_EQ(at(3), most) << where;
            EXPECT_EQ(at(4), (s == 0 ? 1U : 0U) | (all ? 2U : 0U) | (any ? 4U : 0U)) << where;
            EXPECT_EQ(at(5), ballot) << where;
            EXPECT_EQ(at(6), odds) << where;
            EXPECT_EQ(at(7), bits) << where;
            EXPECT_EQ(at(8), x[first]) << where;
            EXPECT_EQ(at(9), x[first + 1]) << where;
            EXPECT_EQ(at(10), x[l ^ 1]) << where;
            EXPECT_EQ(at(11), s >= 1 ? x[l - 1] : 77) << where;
            EXPECT_EQ(at(12), s + 2 < size && l + 2 < 48 ? x[l + 2] : 77) << where;
            EXPECT_EQ(at(13), x[l / 4 * 4] + x[l / 4 * 4 + 1] + x[l / 4 * 4 + 2] + x[l / 4 * 4 + 3]) << where;
            EXPECT_EQ(at(14), x[l ^ 1]) << where;
            EXPECT_EQ(at(15), x[l / 4 * 4 + 3]) << where;
            EXPECT_EQ(at(16), l / size) << where;
            EXPECT_EQ(at(17), (48 + size - 1) / size) << where;
            EXPECT_EQ(at(18), s >= 32 ? UINT32_MAX : (1U << s) - 1) << where;
            EXPECT_EQ(at(19), l & 1 ? odd : even) << where;
            EXPECT_EQ(at(20), turns) << where;
            EXPECT_EQ(at(21), (x[l] & 1) | (x[first] & 1) << 1) << where;
            EXPECT_EQ(at(22), exclusive) << where;
            EXPECT_EQ(at(23), end - first) << where;
        }
    }
}

TEST(Emulator, KnowsTheBuiltInVariables)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 2, local_size_y = 3, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer O { uvec4 o[]; };
void main() {
    uvec3 all = gl_NumWorkGroups * gl_WorkGroupSize;
    uint number = (gl_GlobalInvocationID.z * all.y + gl_GlobalInvocationID.y) * all.x + gl_GlobalInvocationID.x;
    o[number] = uvec4(gl_WorkGroupID.x + 10 * gl_WorkGroupID.y + 100 * gl_WorkGroupID.z, gl_LocalInvocationIndex, gl_LocalInvocationID.y, number);
})");
    kernel.buffer(Words(12 * 12 * 4));
    const Emulated all = kernel.run({2, 3, 2});
    EXPECT_EQ(findingsText(all), "");
    EXPECT_EQ(all.invocations, 144U);
    EXPECT_EQ(all.idle, 0U);
    const auto o = kernel.words(0);
    for (std::uint32_t z = 0; z < 4; ++z)
        for (std::uint32_t y = 0; y < 9; ++y)
            for (std::uint32_t x = 0; x < 4; ++x) {
                const std::uint32_t at = ((z * 9 + y) * 4 + x) * 4;
                EXPECT_EQ(o[at], x / 2 + 10 * (y / 3) + 100 * (z / 2));
                EXPECT_EQ(o[at + 1], x % 2 + 2 * (y % 3) + 6 * (z % 2));
                EXPECT_EQ(o[at + 2], y % 3);
                EXPECT_EQ(o[at + 3], at / 4);
            }
}

TEST(Emulator, IsTheSameInEveryOrder)
{
    const std::string text = R"(#version 460
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer O { uint count, order[]; };
void main() { if (gl_LocalInvocationIndex == 0) order[atomicAdd(count, 1)] = gl_WorkGroupID.x; })";
    const auto orderOf = [&](EmulatorSettings::Order order, std::uint64_t seed) {
        EmulatedGlsl kernel(text);
        kernel.settings.order = order;
        kernel.settings.seed = seed;
        kernel.buffer(Words(12));
        EXPECT_EQ(findingsText(kernel.run({11, 1, 1})), "");
        auto words = kernel.words(0);
        words.erase(words.begin());
        return words;
    };
    const Words forwards = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(orderOf(EmulatorSettings::Order::forwards, 0), forwards);
    EXPECT_EQ(orderOf(EmulatorSettings::Order::backwards, 0), Words(forwards.rbegin(), forwards.rend()));
    auto shuffled = orderOf(EmulatorSettings::Order::shuffled, 1);
    EXPECT_EQ(shuffled, orderOf(EmulatorSettings::Order::shuffled, 1));
    EXPECT_NE(shuffled, orderOf(EmulatorSettings::Order::shuffled, 2));
    EXPECT_NE(shuffled, forwards);
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, forwards);
}

TEST(Emulator, NamesWhatItDoesNotKnow)
{
    EmulatedGlsl kernel(R"(#version 460
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer O { int o[]; };
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6016, 6019], id = 4450)
int dotOf(ivec2 x, ivec2 y);
void main() { o[0] = 1; o[1] = dotOf(ivec2(o[2]), ivec2(3)); o[0] = 2; })");
    kernel.buffer(Words(3));
    const Emulated all = kernel.run();
    EXPECT_FALSE(all.complete);
    ASSERT_TRUE(all.unknown);
    EXPECT_EQ(all.unknown->where.line, 7U);
    EXPECT_NE(all.unknown->what.find("OpSDot"), std::string::npos) << all.unknown->what;
    EXPECT_EQ(kernel.words(0).at(0), 1U);
}

TEST(Emulator, RefusesWhatIsTooLarge)
{
    const auto refused = [](const std::string& text) {
        try {
            Specialisation given;
            given.values = {{7, 8192}};
            EmulatedGlsl kernel("#version 460\n" + text, given);
        } catch (const KernelError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(
        refused("layout(local_size_x = 1024) in; shared uint s[1000]; void main() { s[gl_LocalInvocationIndex] = 1; }"),
        "");
    EXPECT_NE(refused("layout(local_size_x_id = 7) in; void main() {}"), "");
    EXPECT_NE(refused("layout(local_size_x = 1) in; shared uint s[8000000]; void main() { s[0] = 1; }"), "");
    EXPECT_NE(refused("layout(local_size_x = 1) in; void main() { uint s[8000000]; s[gl_GlobalInvocationID.x] = 1; }"),
              "");
    EXPECT_NE(
        refused("layout(local_size_x = 1024) in; void main() { uint s[500000]; s[gl_GlobalInvocationID.x] = 1; }"), "");
    std::string deep = "layout(local_size_x = 1) in; struct S0 { uint a; };";
    for (int i = 1; i < 300; ++i) deep += "struct S" + std::to_string(i) + " { S" + std::to_string(i - 1) + " a; };";
    EXPECT_NE(refused(deep + "shared S299 s; void main() { S299 t; s = t; }"), "");
}

TEST(Emulator, KeepsToItsBudget)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main() { uint sum = 0; for (uint k = 0; k < 1000000; ++k) sum = sum * 3 + k; o[gl_GlobalInvocationID.x] = sum; })");
    kernel.buffer(Words(64));
    kernel.settings.budget = 100'000;
    const Emulated all = kernel.run();
    EXPECT_TRUE(all.overBudget);
    EXPECT_FALSE(all.complete);
    EXPECT_TRUE(all.findings.empty());
    EXPECT_LT(all.instructions, 200'000U);
}

// When a walk ends early, it examines the loops, each for some of its invocations. A turn of the outer two takes as
// many steps as are tried at all.
TEST(Emulator, LooksAtLoopsForNoLongerThanItSays)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main() { uint sum = 0;
    for (uint i = 0; i < 5000; ++i) for (uint j = 0; j < 5000; ++j) for (uint k = 0; k < 5000; ++k) sum = sum * 3 + k;
    o[gl_GlobalInvocationID.x] = sum; })");
    kernel.buffer(Words(64));
    kernel.settings.budget = 1'000'000;
    const Emulated all = kernel.run();
    EXPECT_TRUE(all.overBudget);
    EXPECT_GT(all.effort, all.instructions + 1'000'000);
    EXPECT_LT(all.effort, std::uint64_t{1} << 27);
}

// All wait for the last one, and no device has memory for so many at once.
TEST(Emulator, StartsNoMoreWorkGroupsThanMemoryHolds)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main() {
    uint own[4000];
    own[gl_GlobalInvocationID.x % 4000] = 1;
    if (gl_WorkGroupID.x + 1 == gl_NumWorkGroups.x) atomicAdd(o[0], 1);
    while (atomicAdd(o[0], 0) == 0) { }
    o[1] = own[gl_GlobalInvocationID.x % 4000]; })");
    kernel.buffer(Words(2));
    kernel.settings.checks = false;
    EXPECT_TRUE(kernel.run({4, 1, 1}).complete);
    kernel.at(0).fill(0, 8, 0);
    const Emulated all = kernel.run({1000, 1, 1});
    EXPECT_FALSE(all.complete);
    ASSERT_EQ(all.findings.size(), 1U);
    EXPECT_EQ(all.findings[0].rule, "endless-loop");
}

// None of these loops makes many turns, but together they do.
TEST(Emulator, EndsInShortLoopsOneInTheOther)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main() { uint sum = 0;
    for (uint i = 0; i < 900; ++i) for (uint j = 0; j < 900; ++j) for (uint k = 0; k < 900; ++k) sum = sum * 3 + k;
    o[0] = sum; })");
    kernel.buffer(Words(1));
    kernel.settings.budget = 100'000;
    EXPECT_TRUE(kernel.run().overBudget);
    kernel.settings.budget = UINT64_MAX;
    unsigned asked = 0;
    kernel.settings.ends = [&] { return ++asked == 3; };
    const Emulated all = kernel.run();
    EXPECT_TRUE(all.overBudget);
    EXPECT_FALSE(all.complete);
    EXPECT_EQ(asked, 3U);
}

}  // namespace a2
