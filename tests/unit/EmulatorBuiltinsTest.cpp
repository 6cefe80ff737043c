// What compute kernels may use of GLSL 4.60 and its extensions, except images: the walk follows all of it, and its
// results are compared with C++.

#include "a2/Error.h"
#include "spirv/KernelNeeds.h"
#include "spirv/SilentInstructions.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
float floatOf(std::uint32_t word) { return std::bit_cast<float>(word); }

Words wordsOf(const std::vector<float>& values)
{
    Words words;
    for (const float one : values) words.push_back(bitsOf(one));
    return words;
}

std::string extensions(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names) text += "#extension GL_" + name + " : require\n";
    return text;
}

// Buffers `u` and `f` are the same one, as words and as floats; `i` contains what is read.
std::string kernelText(const std::string& body, const std::string& before, std::uint32_t invocations)
{
    return "#version 460\n" + before + "layout(local_size_x = " + std::to_string(invocations) +
           ") in;\n"
           "layout(set = 0, binding = 0) readonly buffer In { float i[]; };\n"
           "layout(set = 0, binding = 1) buffer Words { uint u[]; };\n"
           "layout(set = 0, binding = 1) buffer Floats { float f[]; };\n"
           "void main() {\n    const uint l = gl_LocalInvocationIndex;\n" +
           body + "\n}\n";
}

// What one work-group writes to the second buffer.
Words walked(const std::string& body, const Words& in, std::size_t results, const std::string& before = "",
             std::uint32_t invocations = 1, std::uint32_t subgroup = 4, const std::string& says = "")
{
    EmulatedGlsl kernel(kernelText(body, before, invocations));
    kernel.settings.subgroupSize = subgroup;
    kernel.buffer(in).buffer(Words(results));
    const Emulated all = kernel.run();
    EXPECT_EQ(findingsText(all), says) << body;
    EXPECT_FALSE(all.unknown) << all.unknown->what << "\n" << body;
    return kernel.words(1);
}

// Gauss elimination with pivots; empty: there is no inverse. Columns, as in GLSL.
std::vector<long double> inverseOf(std::vector<long double> m, std::size_t size, long double& determinant)
{
    std::vector<long double> inverse(size * size);
    for (std::size_t i = 0; i < size; ++i) inverse[i * size + i] = 1;
    determinant = 1;
    for (std::size_t step = 0; step < size; ++step) {
        std::size_t pivot = step;
        for (std::size_t row = step; row < size; ++row)
            if (std::fabs(m[step * size + row]) > std::fabs(m[step * size + pivot])) pivot = row;
        if (pivot != step) determinant = -determinant;
        for (std::size_t column = 0; column < size; ++column) {
            std::swap(m[column * size + step], m[column * size + pivot]);
            std::swap(inverse[column * size + step], inverse[column * size + pivot]);
        }
        const long double by = m[step * size + step];
        determinant *= by;
        if (by == 0) return {};
        for (std::size_t column = 0; column < size; ++column) {
            m[column * size + step] /= by;
            inverse[column * size + step] /= by;
        }
        for (std::size_t row = 0; row < size; ++row) {
            if (row == step) continue;
            const long double times = m[step * size + row];
            for (std::size_t column = 0; column < size; ++column) {
                m[column * size + row] -= times * m[column * size + step];
                inverse[column * size + row] -= times * inverse[column * size + step];
            }
        }
    }
    return inverse;
}

}  // namespace

TEST(EmulatorBuiltins, SplitFloats)
{
    const std::vector<float> in = {3.75F, -2.5F, 0.0F, 1e10F, 0.15625F, -6.0F};
    const Words found = walked(
        "float whole; int exponent; for (int k = 0; k < 6; ++k) {\n"
        "f[10 * k] = modf(i[k], whole); f[10 * k + 1] = whole; f[10 * k + 2] = modf(i[k], f[10 * k + 3]);\n"
        "f[10 * k + 4] = frexp(i[k], exponent); u[10 * k + 5] = uint(exponent); f[10 * k + 6] = ldexp(i[k], k - 3);\n"
        "vec3 wholes; ivec2 exponents; vec3 v = modf(vec3(i[k], 1.5, -1.5), wholes); f[10 * k + 7] = v.x + "
        "wholes.z;\n"
        "vec2 w = frexp(vec2(1, i[k]), exponents); f[10 * k + 8] = w.y; u[10 * k + 9] = uint(exponents.y); }",
        wordsOf(in), 60);
    for (std::size_t k = 0; k < in.size(); ++k) {
        const std::uint32_t* at = found.data() + 10 * k;
        float whole = 0;
        int exponent = 0;
        const float rest = std::modf(in[k], &whole), part = std::frexp(in[k], &exponent);
        EXPECT_EQ(at[0], bitsOf(rest));
        EXPECT_EQ(at[1], bitsOf(whole));
        EXPECT_EQ(at[2], bitsOf(rest));
        EXPECT_EQ(at[3], bitsOf(whole)) << "into a buffer";
        EXPECT_EQ(at[4], bitsOf(part));
        EXPECT_EQ(at[5], static_cast<std::uint32_t>(exponent));
        EXPECT_EQ(at[6], bitsOf(std::ldexp(in[k], static_cast<int>(k) - 3)));
        EXPECT_EQ(floatOf(at[7]), rest - 1);
        EXPECT_EQ(at[8], bitsOf(part));
        EXPECT_EQ(at[9], static_cast<std::uint32_t>(exponent));
    }
}

TEST(EmulatorBuiltins, InvertMatrices)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> numbers(-4, 4);
    for (const std::size_t size : {2U, 3U, 4U})
        for (const char* kind : {"", "d"}) {
            std::vector<float> in(size * size);
            for (float& one : in) one = numbers(random);
            const std::string n = std::to_string(size), type = kind + ("mat" + n);
            const Words found = walked(
                type + " m; for (int c = 0; c < " + n + "; ++c) for (int r = 0; r < " + n + "; ++r) m[c][r] = i[c * " +
                    n + " + r];\nf[0] = float(determinant(m)); " + type + " v = inverse(m); for (int c = 0; c < " + n +
                    "; ++c) for (int r = 0; r < " + n + "; ++r) f[1 + c * " + n + " + r] = float(v[c][r]);",
                wordsOf(in), 1 + size * size);
            long double determinant = 0;
            const auto inverse = inverseOf({in.begin(), in.end()}, size, determinant);
            EXPECT_NEAR(floatOf(found[0]), static_cast<float>(determinant), 1e-4) << type;
            ASSERT_EQ(inverse.size(), size * size);
            for (std::size_t k = 0; k < inverse.size(); ++k)
                EXPECT_NEAR(floatOf(found[1 + k]), static_cast<float>(inverse[k]), 1e-4) << type << ", " << k;
        }
}

TEST(EmulatorBuiltins, MultiplyAndTransposeMatrices)
{
    const Words found = walked(
        "mat3x2 o = outerProduct(vec2(i[0], i[1]), vec3(i[2], i[3], i[4])); mat2x3 t = transpose(o);\n"
        "for (int c = 0; c < 3; ++c) for (int r = 0; r < 2; ++r) { f[2 * c + r] = o[c][r]; f[6 + 2 * c + r] = "
        "t[r][c]; }\n"
        "mat2 p = matrixCompMult(mat2(1, 2, 3, 4), mat2(i[0])); f[12] = p[0][0]; f[13] = p[0][1]; f[14] = p[1][1];",
        wordsOf({2, 3, 5, 7, 11}), 15);
    EXPECT_EQ(found, wordsOf({10, 15, 14, 21, 22, 33, 10, 15, 14, 21, 22, 33, 2, 0, 8}));
}

TEST(EmulatorBuiltins, BendLight)
{
    const std::array<float, 3> in = {0.6F, -0.8F, 0}, normal = {0, 1, 0};
    const Words found = walked(
        "vec3 a = vec3(i[0], i[1], i[2]), n = vec3(0, 1, 0); vec3 r = refract(a, n, 0.75), s = refract(a, n, 3.0);\n"
        "f[0] = r.x; f[1] = r.y; f[2] = r.z; f[3] = s.x; f[4] = s.y; r = reflect(a, n); f[5] = r.x; f[6] = r.y;\n"
        "r = faceforward(n, a, n); f[7] = r.y; f[8] = refract(-1.0, 1.0, 0.5); f[9] = faceforward(1.0, 1.0, 1.0);",
        wordsOf({in[0], in[1], in[2]}), 10);
    // Snell: the sines have this ratio; with a ratio of 3 there is no such angle.
    const double sine = 0.75 * 0.6;
    EXPECT_NEAR(floatOf(found[0]), sine, 1e-6);
    EXPECT_NEAR(floatOf(found[1]), -std::sqrt(1 - sine * sine) * normal[1], 1e-6);
    EXPECT_EQ(floatOf(found[2]), 0);
    EXPECT_EQ(floatOf(found[3]), 0);
    EXPECT_EQ(floatOf(found[4]), 0);
    EXPECT_FLOAT_EQ(floatOf(found[5]), 0.6F);
    EXPECT_FLOAT_EQ(floatOf(found[6]), 0.8F);
    EXPECT_EQ(floatOf(found[7]), 1);
    EXPECT_EQ(floatOf(found[8]), -1);
    EXPECT_EQ(floatOf(found[9]), -1);
}

TEST(EmulatorBuiltins, AreThoseOfMathematics)
{
    struct Function {
        const char* name;
        double (*there)(double);
    };
    const std::vector<Function> all = {
        {"sin", std::sin},     {"cos", std::cos},       {"tan", std::tan},     {"asin", std::asin},
        {"acos", std::acos},   {"atan", std::atan},     {"sinh", std::sinh},   {"cosh", std::cosh},
        {"tanh", std::tanh},   {"asinh", std::asinh},   {"atanh", std::atanh}, {"exp", std::exp},
        {"log", std::log},     {"exp2", std::exp2},     {"log2", std::log2},   {"sqrt", std::sqrt},
        {"abs", std::fabs},    {"floor", std::floor},   {"trunc", std::trunc}, {"ceil", std::ceil},
        {"round", std::round}, {"roundEven", std::rint}};
    std::string body;
    for (std::size_t k = 0; k < all.size(); ++k)
        body += "f[" + std::to_string(2 * k) + "] = " + all[k].name + "(i[0]); f[" + std::to_string(2 * k + 1) +
                "] = " + all[k].name + "(vec3(0.25, 0.5, i[0])).z;\n";
    for (const float x : {0.1F, 0.625F, 0.99F}) {
        const Words found = walked(body, wordsOf({x}), 2 * all.size());
        for (std::size_t k = 0; k < all.size(); ++k) {
            const double value = all[k].there(static_cast<double>(x));
            EXPECT_NEAR(floatOf(found[2 * k]), value, 1e-6 * std::max(1.0, std::fabs(value)))
                << all[k].name << " " << x;
            EXPECT_EQ(found[2 * k], found[2 * k + 1]) << all[k].name;
        }
    }
}

TEST(EmulatorBuiltins, PackAndUnpack)
{
    const Words found = walked(
        "u[0] = packUnorm4x8(vec4(0, 0.5, 1, 2)); u[1] = packSnorm4x8(vec4(-1, -2, 0, 1)); u[2] = "
        "packUnorm2x16(vec2(1, 0.25));\n"
        "u[3] = packSnorm2x16(vec2(-1, 0.5)); u[4] = packHalf2x16(vec2(i[0], -2)); uvec2 d = "
        "unpackDouble2x32(packDouble2x32(uvec2(7, 9))); u[5] = d.x * 16u + d.y;\n"
        "vec4 a = unpackUnorm4x8(u[0]); f[6] = a.z; a = unpackSnorm4x8(u[1]); f[7] = a.x; vec2 b = "
        "unpackUnorm2x16(u[2]); f[8] = b.x;\n"
        "b = unpackSnorm2x16(u[3]); f[9] = b.x; b = unpackHalf2x16(u[4]); f[10] = b.x; f[11] = b.y;",
        wordsOf({1.5F}), 12);
    EXPECT_EQ(Words(found.begin(), found.begin() + 6),
              (Words{0xFFFF8000, 0x7F008181, 0x4000FFFF, 0x40008001, 0xC0003E00, 7 * 16 + 9}));
    EXPECT_EQ(Words(found.begin() + 6, found.end()), wordsOf({1, -1, 1, -1, 1.5F, -2}));
}

// The only guarantee of a clock is that it advances: a wait for it ends.
TEST(EmulatorBuiltins, TellTheTime)
{
    const std::string before =
        extensions({"ARB_shader_clock", "EXT_shader_realtime_clock", "EXT_shader_explicit_arithmetic_types_int64"});
    const Words found = walked(
        "uvec2 a = clock2x32ARB(); uint64_t b = clockARB(); uvec2 c = clockRealtime2x32EXT(); uint64_t d = "
        "clockRealtimeEXT();\n"
        "u[4 * l] = uint(packUint2x32(a) < b && b < d && packUint2x32(c) < d); while (clockARB() - b < 1000000ul) {}\n"
        "u[4 * l + 1] = uint(clockARB() - b >= 1000000ul);",
        {}, 64, before, 16, 8);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(found[k], k % 4 < 2 ? 1U : 0U) << k;
}

TEST(EmulatorBuiltins, AddFloatsAtomically)
{
    const std::string before =
        extensions({"EXT_shader_atomic_float", "EXT_shader_atomic_float2", "EXT_shader_explicit_arithmetic_types",
                    "EXT_shader_16bit_storage", "KHR_memory_scope_semantics"}) +
        "layout(set = 0, binding = 1) buffer Doubles { double d[]; };\n"
        "layout(set = 0, binding = 1) buffer Halves { float16_t h[]; };\nshared float sum;\n";
    const Words found = walked(
        "if (l == 0) { sum = 0; f[1] = 100.0; f[2] = -100.0; } barrier(); memoryBarrierBuffer(); barrier();\n"
        "atomicAdd(f[0], 0.5); atomicMin(f[1], float(l) + 2.0); atomicMax(f[2], float(l)); atomicAdd(d[2], 1.5lf);\n"
        "atomicAdd(sum, 0.25); atomicAdd(h[12], float16_t(1)); atomicMax(h[13], float16_t(l)); barrier();\n"
        "if (l == 0) { f[7] = atomicExchange(sum, 3.0); f[8] = sum; atomicStore(f[9], 2.5, gl_ScopeDevice, "
        "0, 0); }",
        {}, 10, before, 32, 8);
    EXPECT_EQ(floatOf(found[0]), 16);
    EXPECT_EQ(floatOf(found[1]), 2);
    EXPECT_EQ(floatOf(found[2]), 31);
    EXPECT_EQ(std::bit_cast<double>(found[4] | std::uint64_t{found[5]} << 32), 48);
    EXPECT_EQ(found[6], 0x4FC05000U) << "31 and 32 as halves";
    EXPECT_EQ(floatOf(found[7]), 8);
    EXPECT_EQ(floatOf(found[8]), 3);
    EXPECT_EQ(floatOf(found[9]), 2.5);
}

// A float atomic orders nothing, like any relaxed atomic, and races with accesses that are not atomic.
TEST(EmulatorBuiltins, FloatAtomicsRaceWithPlainAccesses)
{
    const std::string before = extensions({"EXT_shader_atomic_float"}) + "shared float sum;\n";
    EmulatedGlsl kernel(kernelText("if (l == 0) sum = 0; barrier(); atomicAdd(sum, 1.0); f[l] = sum;", before, 4));
    kernel.buffer(Words(1)).buffer(Words(4));
    const Emulated all = kernel.run();
    ASSERT_FALSE(all.findings.empty());
    EXPECT_EQ(all.findings[0].rule, "shared-race") << findingsText(all);
}

TEST(EmulatorBuiltins, PartitionSubgroups)
{
    const std::string before = extensions({"NV_shader_subgroup_partitioned", "KHR_shader_subgroup_ballot"});
    constexpr std::size_t count = 24, size = 8;
    std::vector<float> in(count);
    for (std::size_t k = 0; k < count; ++k) in[k] = static_cast<float>(k * 5 % 3);
    const Words found = walked(
        "uint v = uint(i[l]), x = l * l + 1u; uvec4 p = subgroupPartitionNV(v); u[6 * l] = p.x; u[6 * l + 1] = "
        "subgroupPartitionedAddNV(x, p);\n"
        "u[6 * l + 2] = subgroupPartitionedInclusiveMaxNV(x, p); u[6 * l + 3] = subgroupPartitionedExclusiveAddNV(x, "
        "p);\n"
        "u[6 * l + 4] = uint(subgroupPartitionedMulNV(i[l] + 1.0, p)); u[6 * l + 5] = subgroupPartitionedXorNV(x, p);",
        wordsOf(in), 6 * count, before, count, size);
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t first = k / size * size;
        std::uint32_t alike = 0, sum = 0, most = 0, sumBefore = 0, bits = 0;
        double product = 1;
        for (std::size_t other = first; other < first + size; ++other) {
            if (in[other] != in[k]) continue;
            const auto x = static_cast<std::uint32_t>(other * other + 1);
            alike |= 1U << (other - first);
            sum += x;
            bits ^= x;
            product *= static_cast<double>(in[other]) + 1;
            if (other <= k) most = std::max(most, x);
            if (other < k) sumBefore += x;
        }
        const Words expected = {alike, sum, most, sumBefore, static_cast<std::uint32_t>(product), bits};
        EXPECT_EQ(Words(found.begin() + static_cast<std::ptrdiff_t>(6 * k),
                        found.begin() + static_cast<std::ptrdiff_t>(6 * k + 6)),
                  expected)
            << k;
    }
}

// glslang knows some of them only by newer names.
TEST(EmulatorBuiltins, KnowOldAndNewSubgroupOperations)
{
    const std::string before =
        extensions({"ARB_shader_ballot", "ARB_shader_group_vote", "EXT_shader_explicit_arithmetic_types_int64",
                    "EXT_spirv_intrinsics"}) +
        "spirv_instruction(extensions = [\"SPV_KHR_subgroup_rotate\"], capabilities = [6026], id = 4431)\n"
        "uint rotated(uint scope, uint value, uint delta);\n"
        "spirv_instruction(extensions = [\"SPV_KHR_subgroup_rotate\"], capabilities = [6026], id = 4431)\n"
        "uint rotatedIn(uint scope, uint value, uint delta, uint cluster);\n";
    constexpr std::uint32_t count = 16, size = 8;
    const Words found = walked(
        "u[8 * l] = uint(ballotARB(l % 3u == 0u)); u[8 * l + 1] = readFirstInvocationARB(l); u[8 * l + 2] = "
        "readInvocationARB(l, 2u);\n"
        "u[8 * l + 3] = uint(anyInvocationARB(l == 9u)); u[8 * l + 4] = uint(allInvocationsARB(l < 8u)); u[8 * l + 5] "
        "= uint(allInvocationsEqualARB(l < 8u));\n"
        "u[8 * l + 6] = rotated(3u, l, 3u); u[8 * l + 7] = rotatedIn(3u, l, 1u, 4u);",
        {}, 8 * count, before, count, size);
    for (std::uint32_t l = 0; l < count; ++l) {
        const std::uint32_t first = l / size * size;
        std::uint32_t ballot = 0;
        for (std::uint32_t k = 0; k < size; ++k) ballot |= ((first + k) % 3 == 0 ? 1U : 0U) << k;
        const Words expected = {ballot,
                                first,
                                first + 2,
                                first > 0,
                                first == 0,
                                1,
                                first + (l - first + 3) % size,
                                l / 4 * 4 + (l + 1) % 4};
        EXPECT_EQ(Words(found.begin() + 8 * l, found.begin() + 8 * l + 8), expected) << l;
    }
}

TEST(EmulatorBuiltins, KnowSubgroupsOfOtherTypes)
{
    const std::string before =
        extensions({"KHR_shader_subgroup_arithmetic", "KHR_shader_subgroup_clustered", "KHR_shader_subgroup_shuffle",
                    "EXT_shader_explicit_arithmetic_types", "EXT_shader_subgroup_extended_types_int8",
                    "EXT_shader_subgroup_extended_types_int16", "EXT_shader_subgroup_extended_types_int64",
                    "EXT_shader_subgroup_extended_types_float16"});
    const Words found = walked(
        "u[8 * l] = uint(subgroupAdd(uint8_t(200))); u[8 * l + 1] = uint(int(subgroupMin(int16_t(-int(l))))); "
        "uint64_t w = subgroupInclusiveMul(uint64_t(l + 70000u)); u[8 * l + 2] = uint(w >> 32);\n"
        "u[8 * l + 3] = uint(subgroupMax(float16_t(l))); u[8 * l + 4] = uint(subgroupAdd(double(l) + 0.5lf)); u[8 * l "
        "+ 5] = uint(subgroupShuffle(w, 1) >> 32);\n"
        "u[8 * l + 6] = subgroupClusteredMax(l, 2); u[8 * l + 7] = uint(subgroupClusteredAnd(int16_t(l | 8u), 4));",
        {}, 64, before, 8, 4);
    for (std::uint32_t l = 0; l < 8; ++l) {
        const std::uint32_t first = l / 4 * 4;
        std::uint64_t product = 1, second = 0;
        std::uint32_t both = UINT32_MAX;
        for (std::uint32_t k = first; k < first + 4; ++k) both &= k | 8;
        for (std::uint32_t k = first; k <= l; ++k) product *= k + 70000;
        second = std::uint64_t{first + 70000} * (first + 70001);
        const Words expected = {(4U * 200) & 0xFF,
                                0U - (first + 3),
                                static_cast<std::uint32_t>(product >> 32),
                                first + 3,
                                4 * first + 6 + 2,
                                static_cast<std::uint32_t>(second >> 32),
                                l | 1,
                                both};
        EXPECT_EQ(Words(found.begin() + 8 * l, found.begin() + 8 * l + 8), expected) << l;
    }
}

TEST(EmulatorBuiltins, KnowSmallAndLargeNumbersInMemory)
{
    const std::string before = extensions({"EXT_shader_explicit_arithmetic_types", "EXT_shader_8bit_storage",
                                           "EXT_shader_16bit_storage", "EXT_shader_atomic_int64"}) +
                               "layout(set = 0, binding = 1) buffer Bytes { uint8_t b[]; };\n"
                               "layout(set = 0, binding = 1) buffer Halves { float16_t h[]; };\n"
                               "layout(set = 0, binding = 1) buffer Shorts { int16_t s[]; };\n"
                               "layout(set = 0, binding = 1) buffer Longs { int64_t q[]; };\nshared uint64_t wide;\n";
    const Words found = walked(
        "b[1] = uint8_t(0xAB); s[3] = int16_t(-2); h[4] = float16_t(i[0]); h[5] = float16_t(1) / float16_t(3); q[2] = "
        "-5l;\n"
        "atomicMin(q[2], -7l); wide = 1ul; atomicAdd(wide, 0x100000000ul); q[3] = int64_t(wide); int16_t m = s[3]; "
        "m = int16_t(m * int16_t(300) - int16_t(7)) % int16_t(100); u[8] = uint(int(m)); u[9] = uint(b[1] >> "
        "uint8_t(3)); f16vec2 v = f16vec2(h[4], h[5]) * float16_t(2); u[10] = packFloat2x16(v);",
        wordsOf({1.25F}), 11, before, 1, 4, "note: % of a negative number has no result in GLSL\n");
    const int product = (-2 * 300 - 7) % 100 + 100;  // OpSMod has the divisor's sign
    EXPECT_EQ(found, (Words{0xAB00, 0xFFFE0000, 0x35553D00, 0, 0xFFFFFFF9, 0xFFFFFFFF, 1, 1,
                            static_cast<std::uint32_t>(product), 0x15, 0x39554100}));
}

TEST(EmulatorBuiltins, TakeSpecialisationConstantsOfEverySize)
{
    const std::string text =
        "#version 460\n" + extensions({"EXT_shader_explicit_arithmetic_types"}) +
        "layout(local_size_x = 1) in; layout(constant_id = 0) const uint64_t W = 5ul; "
        "layout(constant_id = 1) const double D = 2.5lf; layout(constant_id = 2) const int16_t H = "
        "int16_t(-3); layout(constant_id = 3) const bool B = false;\n"
        "const uint64_t X = W + 1ul; const uint S = B ? uint(H) : 7u;\n"
        "layout(set = 0, binding = 0) buffer O { uint o[]; };\nvoid main() { o[0] = uint(X); o[1] = "
        "uint(X >> 32); o[2] = uint(D * 2.0lf); o[3] = uint(int(H)); o[4] = S; }\n";
    const auto run = [&](const Specialisation& given) {
        EmulatedGlsl kernel(text, given);
        kernel.buffer(Words(5));
        EXPECT_EQ(findingsText(kernel.run()), "");
        return kernel.words(0);
    };
    EXPECT_EQ(run({}), (Words{6, 0, 5, 0xFFFFFFFD, 7}));
    Specialisation given;
    const auto add = [&](std::uint32_t id, auto value) {
        std::vector<std::uint8_t> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        given.add(id, bytes);
    };
    add(0, std::uint64_t{0x500000001});
    add(1, 4.5);
    add(2, std::int16_t{-9});
    add(3, std::uint32_t{1});
    EXPECT_EQ(run(given), (Words{2, 5, 9, 0xFFFFFFF7, 0xFFFFFFF7}));
}

TEST(EmulatorBuiltins, PrintNothingWhereAKernelPrints)
{
    const std::string before = extensions({"EXT_debug_printf"});
    const Words found = walked("debugPrintfEXT(\"%u of %f\", l, i[0]); u[l] = l + 1u; debugPrintfEXT(\"done\");",
                               wordsOf({1}), 4, before, 4);
    EXPECT_EQ(found, (Words{1, 2, 3, 4}));
}

TEST(EmulatorBuiltins, PrintNothingOnDriversThatCannot)
{
    const auto has = [](const std::vector<std::uint32_t>& words, const std::string& text) {
        const std::string bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
        return bytes.find(text) != std::string::npos;
    };
    const auto words =
        compileGlsl(kernelText("debugPrintfEXT(\"%u\", l); u[l] = l + 1u;", extensions({"EXT_debug_printf"}), 4));
    EXPECT_TRUE(has(words, "NonSemantic.DebugPrintf"));
    const auto less = withoutSilentInstructions(SpirvModule(std::span<const std::uint32_t>(words)));
    EXPECT_FALSE(has(less, "NonSemantic.DebugPrintf"));
    EXPECT_FALSE(has(less, "SPV_KHR_non_semantic_info"));
    EmulatedGlsl kernel(less, {});
    kernel.buffer(Words(1)).buffer(Words(4));
    EXPECT_EQ(findingsText(kernel.run()), "");
    EXPECT_EQ(kernel.words(1), (Words{1, 2, 3, 4}));
}

TEST(EmulatorBuiltins, OfVendorsAreRefusedByName)
{
    struct Case {
        std::string extension, body, name;
    };
    for (const Case& one :
         {Case{"INTEL_shader_integer_functions2", "u[0] = countLeadingZeros(u[1]);", "IntegerFunctions2INTEL"},
          Case{"AMD_shader_trinary_minmax", "f[0] = mid3(f[1], f[2], f[3]);", "SPV_AMD_shader_trinary_minmax"}}) {
        try {
            const EmulatedGlsl kernel(kernelText(one.body, extensions({one.extension}), 1));
            FAIL() << one.name << " was not refused";
        } catch (const KernelError& error) {
            EXPECT_NE(std::string(error.what()).find(one.name), std::string::npos) << error.what();
        }
    }
}

TEST(EmulatorBuiltins, SayWhichTableIsTooLong)
{
    std::string table = "const uint table[100000] = uint[](0u";
    for (int k = 1; k < 100000; ++k) table += ",0u";
    try {
        const std::vector<std::uint32_t> words = compileGlsl(kernelText("u[0] = table[u[1]];", table + ");\n", 1));
        const SpirvModule module{std::span<const std::uint32_t>(words)};
        FAIL() << "nothing was refused";
    } catch (const KernelError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("makes an array of 100000 values, and an instruction of SPIR-V has room "
                            "for 65532"),
                  std::string::npos)
            << error.what();
    }
}

TEST(KernelNeeds, AreTheFeaturesThatVulkanAsksFor)
{
    const auto needs = [](const std::string& body, const std::vector<std::string>& names,
                          const std::string& before = "") {
        const Words words = compileGlsl(kernelText(body, extensions(names) + before, 4));
        return kernelNeeds(SpirvModule(std::span<const std::uint32_t>(words)));
    };
    using Set = std::set<std::string>;
    EXPECT_EQ(needs("u[0] = 1;", {}), Set{});
    EXPECT_EQ(needs("f[0] = float(double(i[0]) * 3.0lf);", {}), (Set{"shaderFloat64"}));
    EXPECT_EQ(needs("u[0] = subgroupClusteredAdd(u[1], 4);", {"KHR_shader_subgroup_clustered"}),
              (Set{"clustered subgroup operations"}));
    EXPECT_EQ(needs("u[0] = uint(subgroupAdd(uint64_t(u[1])));",
                    {"EXT_shader_explicit_arithmetic_types_int64", "KHR_shader_subgroup_arithmetic",
                     "EXT_shader_subgroup_extended_types_int64"}),
              (Set{"shaderInt64", "shaderSubgroupExtendedTypes", "subgroup arithmetic"}));
    EXPECT_EQ(needs("atomicAdd(f[0], 1.0); atomicAdd(s, 1.0);", {"EXT_shader_atomic_float"}, "shared float s;\n"),
              (Set{"shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd"}));
    EXPECT_EQ(needs("atomicAdd(s, 1ul);", {"EXT_shader_atomic_int64", "EXT_shader_explicit_arithmetic_types_int64"},
                    "shared uint64_t s;\n"),
              (Set{"shaderInt64", "shaderSharedInt64Atomics"}));
    EXPECT_EQ(needs("u[0] = clock2x32ARB().x;", {"ARB_shader_clock"}), (Set{"shaderSubgroupClock"}));
    EXPECT_EQ(needs("u[0] = clockRealtime2x32EXT().x;", {"EXT_shader_realtime_clock"}), (Set{"shaderDeviceClock"}));
    EXPECT_EQ(needs("b[0] = uint8_t(1);", {"EXT_shader_8bit_storage"},
                    "layout(set = 0, binding = 2) buffer Bytes { uint8_t b[]; };\n"),
              (Set{"storageBuffer8BitAccess"}));
}

}  // namespace a2
