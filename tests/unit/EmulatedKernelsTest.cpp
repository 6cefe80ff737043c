// Right kernels in other styles: the emulator follows them to their end at every size of work-group and subgroup,
// without a finding and with the right result.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t groups = 4;

// x: the input. o: the result, not set at first. z: zeros. W invocations in each of four work-groups.
const std::string head = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint W = 64;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 0) readonly buffer X4 { uvec4 x4[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
#define SUB gl_SubgroupSize
#define LANE gl_SubgroupInvocationID
)";
const std::string zeros = "layout(set = 0, binding = 2) buffer Z { uint z[]; };\n";

Numbers inputOf(std::uint32_t w)
{
    Numbers x(std::size_t{w} * groups);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(3 + i * 37 % 101);
    return x;
}

// The final contents of o, computed from x and W.
using Result = std::function<Numbers(const Numbers& x, std::uint32_t w)>;

Numbers groupSums(const Numbers& x, std::uint32_t w)
{
    Numbers all;
    for (std::size_t i = 0; i < x.size(); i += w)
        all.push_back(std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i),
                                      x.begin() + static_cast<std::ptrdiff_t>(i + w), 0U));
    return all;
}
Numbers total(const Numbers& x, std::uint32_t) { return {std::accumulate(x.begin(), x.end(), 0U)}; }
Numbers groupScan(const Numbers& x, std::uint32_t w)
{
    Numbers all(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) all[i] = x[i] + (i % w ? all[i - 1] : 0);
    return all;
}
Numbers groupExclusive(const Numbers& x, std::uint32_t w)
{
    Numbers all(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) all[i] = i % w ? all[i - 1] + x[i - 1] : 0;
    return all;
}
Numbers wholeScan(const Numbers& x, std::uint32_t)
{
    Numbers all(x.size());
    std::partial_sum(x.begin(), x.end(), all.begin());
    return all;
}
Numbers same(const Numbers& x, std::uint32_t) { return x; }
Numbers reversed(const Numbers& x, std::uint32_t w)
{
    Numbers all(x);
    for (std::size_t i = 0; i < x.size(); i += w)
        std::reverse(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + w));
    return all;
}
Numbers sorted(const Numbers& x, std::uint32_t w)
{
    Numbers all(x);
    for (std::size_t i = 0; i < x.size(); i += w)
        std::sort(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + w));
    return all;
}
// Even numbers first, both kinds in their original order.
Numbers split(const Numbers& x, std::uint32_t w)
{
    Numbers all(x);
    for (std::size_t i = 0; i < x.size(); i += w)
        std::stable_partition(all.begin() + static_cast<std::ptrdiff_t>(i),
                              all.begin() + static_cast<std::ptrdiff_t>(i + w),
                              [](std::uint32_t value) { return value % 2 == 0; });
    return all;
}
Numbers histogram(const Numbers& x, std::uint32_t)
{
    Numbers all(1);
    for (const std::uint32_t value : x) all[0] += value % 16 == 5;
    return all;
}
Numbers smoothed(const Numbers& x, std::uint32_t w)
{
    Numbers all(x);
    for (std::size_t i = 0; i < x.size(); ++i)
        all[i] = x[i] + (i % w > 0 ? x[i - 1] : 0) + (i % w < w - 1 ? x[i + 1] : 0);
    return all;
}
Numbers greatest(const Numbers& x, std::uint32_t w)
{
    Numbers all;
    for (std::size_t i = 0; i < x.size(); i += w)
        all.push_back(*std::max_element(x.begin() + static_cast<std::ptrdiff_t>(i),
                                        x.begin() + static_cast<std::ptrdiff_t>(i + w)));
    return all;
}

// Without any one of its barriers, a race must be found. "barrier( )" marks a barrier that is not needed (with 64
// invocations, or because the emulator does not check the reader's side of a memory barrier).
void needsItsBarriers(const std::string& text)
{
    static const std::regex barrier(R"((barrier|memoryBarrier|memoryBarrierBuffer)\(\);)");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), barrier); at != std::sregex_iterator(); ++at) {
        const auto position = static_cast<std::size_t>(at->position()), length = static_cast<std::size_t>(at->length());
        const std::string less = text.substr(0, position) + "{/* HERE */};" + text.substr(position + length);
        Specialisation given;
        given.values = {{0, 64}};
        const Numbers words = compileGlsl(head + (text.find("binding = 2") != std::string::npos ? "" : zeros) + less);
        std::string found;
        for (const std::uint32_t together : {1U, 3U}) {
            EmulatedGlsl kernel(words, given);
            kernel.buffer(inputOf(64)).buffer(64 * groups + 8).buffer(Numbers(64 * groups * 4 + 64));
            kernel.settings.subgroupSize = 8;
            kernel.settings.together = together;
            found += findingsText(kernel.run({groups, 1, 1}));
        }
        EXPECT_NE(found.find("-race at line"), std::string::npos) << less << "\n" << found;
    }
}

// Checked at every size. most: the largest W, for kernels that take long.
void mustBeRight(const std::string& text, const Result& result, std::uint32_t least = 1, std::uint32_t most = 1024)
{
    SCOPED_TRACE(text);
    const bool own = text.find("binding = 2") != std::string::npos;
    const Numbers words = compileGlsl(head + (own ? "" : zeros) + text);
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes = {{1, 4},   {8, 4},    {8, 32},    {64, 4},
                                                                        {64, 8},  {64, 16},  {64, 32},   {64, 64},
                                                                        {256, 8}, {256, 64}, {1024, 16}, {1024, 64}};
    for (const auto& [w, subgroup] : sizes) {
        if (w < least || w > most) continue;
        for (const auto order : {EmulatorSettings::Order::forwards, EmulatorSettings::Order::shuffled}) {
            Specialisation given;
            given.values = {{0, w}};
            EmulatedGlsl kernel(words, given);
            const Numbers x = inputOf(w);
            kernel.buffer(x).buffer(x.size() + 8).buffer(Numbers(4 * x.size() + 64));
            kernel.settings.subgroupSize = subgroup;
            kernel.settings.order = order;
            kernel.settings.together = order == EmulatorSettings::Order::forwards ? 1 : 3;
            const Emulated all = kernel.run({groups, 1, 1});
            EXPECT_EQ(findingsText(all), "") << "work-group " << w << ", subgroup " << subgroup;
            const Numbers wanted = result(x, w);
            Numbers made = kernel.words(1);
            made.resize(wanted.size());
            EXPECT_EQ(made, wanted) << "work-group " << w << ", subgroup " << subgroup;
        }
    }
    needsItsBarriers(text);
}

const std::string load = "shared uint s[W];\nvoid main() { s[L] = x[I]; barrier();\n";

}  // namespace

TEST(EmulatedKernels, Trees)
{
    const std::string sum = "if (L == 0) o[G] = s[0]; }";
    mustBeRight(
        load + "for (int d = int(W) / 2; d > 0; d >>= 1) { if (int(L) < d) s[L] += s[L + d]; barrier(); }" + sum,
        groupSums);
    mustBeRight(load + "for (uint d = 1; d < W; d *= 2) { if (L % (2 * d) == 0) s[L] += s[L + d]; barrier(); }" + sum,
                groupSums);
    mustBeRight(
        load + "for (uint d = 1; d < W; d <<= 1) { uint k = 2 * d * L; if (k < W) s[k] += s[k + d]; barrier(); }" + sum,
        groupSums);
    mustBeRight(
        load +
            "uint n = W; while (n > 1) { uint h = (n + 1) / 2; if (L < n / 2) s[L] += s[L + h]; barrier(); n = h; }" +
            sum,
        groupSums);
    mustBeRight(load + "uint d = W; do { d /= 2; if (L < d) s[L] = s[L] + s[L + d]; barrier(); } while (d > 1);" + sum,
                groupSums);
    mustBeRight(load + "if (L == 0) { uint t = 0; for (int k = 0; k < int(W); k++) t += s[k]; o[G] = t; } }",
                groupSums);
    // Unrolled by hand; with a switch for each step; with an end that all invocations compute.
    mustBeRight(load + R"(
        if (W >= 1024) { if (L < 512) s[L] += s[L + 512]; barrier( ); }
        if (W >= 512) { if (L < 256) s[L] += s[L + 256]; barrier( ); }
        if (W >= 256) { if (L < 128) s[L] += s[L + 128]; barrier( ); }
        if (W >= 128) { if (L < 64) s[L] += s[L + 64]; barrier( ); }
        for (uint d = min(W / 2, 32u); d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); })" +
                    sum,
                groupSums);
    mustBeRight(load + R"(
        for (uint step = 0; step < 4; ++step) {
            uint d = 0;
            switch (step) { case 0: d = W / 2; break; case 1: d = W / 4; break; case 2: d = W / 8; break; default: d = 0; }
            if (L < d) s[L] += s[L + d];
            barrier();
        }
        if (L == 0) { uint t = 0; for (uint k = 0; k < W / 8; ++k) t += s[k]; o[G] = t; } })",
                groupSums, 8);
    mustBeRight(
        load + "for (uint d = W / 2; ; d /= 2) { if (d == 0) break; if (L < d) s[L] += s[L + d]; barrier(); }" + sum,
        groupSums);
    // Sums of other types.
    mustBeRight(
        "shared float s[W];\nvoid main() { s[L] = float(x[I]); barrier(); for (uint d = W / 2; d > 0; d /= 2) { if (L "
        "< d) s[L] += s[L + d]; barrier(); } if (L == 0) o[G] = uint(s[0]); }",
        groupSums);
    mustBeRight(
        "shared double s[W];\nvoid main() { s[L] = double(x[I]); barrier(); for (uint d = W / 2; d > 0; d /= 2) { if "
        "(L < d) s[L] += s[L + d]; barrier(); } if (L == 0) o[G] = uint(s[0]); }",
        groupSums);
    mustBeRight(
        "shared uint64_t s[W];\nvoid main() { s[L] = uint64_t(x[I]) << 20; barrier(); for (uint d = W / 2; d > 0; d /= "
        "2) { if (L < d) s[L] += s[L + d]; barrier(); } if (L == 0) o[G] = uint(s[0] >> 20); }",
        groupSums);
    mustBeRight(
        "shared uvec4 s[W];\nvoid main() { s[L] = uvec4(x[I], 1, 2, 3); barrier(); for (uint d = W / 2; d > 0; d /= 2) "
        "{ if (L < d) s[L] += s[L + d]; barrier(); } if (L == 0) o[G] = s[0].x + s[0].y - W; }",
        groupSums);
    mustBeRight(
        "struct P { uint most; uint sum; }; shared P s[W];\nP both(P a, P b) { return P(max(a.most, b.most), a.sum + "
        "b.sum); }\nvoid main() { s[L] = P(x[I], x[I]); barrier(); for (uint d = W / 2; d > 0; d /= 2) { if (L < d) "
        "s[L] = both(s[L], s[L + d]); barrier(); } if (L == 0) o[G] = s[0].most; }",
        greatest);
    // The tree in a function that is called twice, with a barrier before the second call.
    mustBeRight(
        "shared uint s[W];\nuint all(uint mine, bool most) { barrier(); s[L] = mine; barrier(); for (uint d = W / 2; d "
        "> 0; d /= 2) { if (L < d) s[L] = most ? max(s[L], s[L + d]) : s[L] + s[L + d]; barrier(); } return s[0]; "
        "}\nvoid main() { uint m = all(x[I], true), t = all(x[I], false); if (L == 0) o[G] = t + m - m; }",
        groupSums);
    mustBeRight(
        "shared uint s[W];\nvoid add(inout uint a, in uint b) { a += b; }\nvoid main() { s[L] = x[I]; barrier(); for "
        "(uint d = W / 2; d > 0; d /= 2) { if (L < d) add(s[L], s[L + d]); barrier(); } if (L == 0) o[G] = s[0]; }",
        groupSums);
    // Four elements at a time, with a stride of all work-groups.
    mustBeRight(
        "shared uint s[W];\nvoid main() { uvec4 v = uvec4(0); if (L < W / 4) v = x4[G * (W / 4) + L]; s[L] = v.x + v.y "
        "+ v.z + v.w; barrier(); for (uint d = W / 2; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); } if (L "
        "== 0) o[G] = s[0]; }",
        groupSums, 8);
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint t = 0; for (uint k = I; k < x.length(); k += W * gl_NumWorkGroups.x) t "
        "+= x[k]; s[L] = t; barrier(); for (uint d = W / 2; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); } "
        "if (L == 0) o[G] = s[0]; }",
        groupSums);
}

TEST(EmulatedKernels, SumsOfSubgroups)
{
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint t = subgroupAdd(x[I]); if (subgroupElect()) s[gl_SubgroupID] = t; "
        "barrier(); if (gl_SubgroupID == 0) { uint all = 0; for (uint k = LANE; k < gl_NumSubgroups; k += SUB) all += "
        "s[k]; all = subgroupAdd(all); if (subgroupElect()) o[G] = all; } }",
        groupSums);
    mustBeRight(
        "shared uint s;\nvoid main() { if (L == 0) s = 0; barrier(); uint t = subgroupAdd(x[I]); if (subgroupElect()) "
        "atomicAdd(s, t); barrier(); if (L == 0) o[G] = s; }",
        groupSums);
    mustBeRight(
        "shared uint s;\nvoid main() { if (L == 0) s = 0; barrier(); uint v = x[I]; for (uint d = 1; d < min(SUB, W); "
        "d *= 2) v += subgroupShuffleXor(v, d); if (LANE == 0) atomicAdd(s, v); barrier(); if (L == 0) o[G] = s; }",
        groupSums);
    mustBeRight(
        "shared uint s;\nvoid main() { if (L == 0) s = 0; barrier(); uint v = subgroupClusteredAdd(x[I], 4); if (L % 4 "
        "== 0) atomicAdd(s, v); barrier(); if (L == 0) o[G] = s; }",
        groupSums);
    mustBeRight(
        "shared uint s;\nvoid main() { if (L == 0) s = 0; barrier(); uint v = x[I]; v += "
        "subgroupQuadSwapHorizontal(v); v += subgroupQuadSwapVertical(v); if (L % 4 == 0) atomicAdd(s, v); barrier(); "
        "if (L == 0) o[G] = s; }",
        groupSums, 8);
    // The tree down to one subgroup, which finishes alone.
    mustBeRight(load +
                    "for (uint d = W / 2; d >= SUB; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); } if "
                    "(gl_SubgroupID == 0) { uint t = subgroupAdd(s[L]); if (subgroupElect()) o[G] = t; } }",
                groupSums);
    mustBeRight(
        load +
            "for (uint d = W / 2; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; if (d > SUB) { barrier(); } else "
            "subgroupBarrier(); } if (L == 0) o[G] = s[0]; }",
        groupSums);
    // Votes and ballots.
    mustBeRight(
        "shared uint n, at;\nvoid main() { if (L == 0) n = 0; barrier(); bool even = x[I] % 2 == 0; uvec4 b = "
        "subgroupBallot(even); uint first = 0; if (subgroupElect()) first = atomicAdd(n, subgroupBallotBitCount(b)); "
        "first = subgroupBroadcastFirst(first); barrier(); if (L == 0) at = n; barrier( ); uint t = 0; for (uint k = "
        "0; "
        "k < W; ++k) t += x[G * W + k]; if (L == 0) o[G] = t + at - n; }",
        groupSums, 1, 256);
    mustBeRight("void main() { if (subgroupAll(x[I] > 0) && subgroupAny(LANE == 0)) o[I] = x[I]; else o[I] = 0; }",
                same);
}

TEST(EmulatedKernels, Scans)
{
    const std::string out = "o[I] = s[L]; }";
    // Hillis and Steele: in place, between the two halves of an array, and by registers.
    mustBeRight(
        load + "for (uint d = 1; d < W; d *= 2) { uint y = L >= d ? s[L - d] : 0; barrier(); s[L] += y; barrier(); }" +
            out,
        groupScan);
    mustBeRight(
        "shared uint s[2 * W];\nvoid main() { uint to = 0, from = 1; s[L] = x[I]; barrier(); for (int d = 1; d < "
        "int(W); d *= 2) { to = 1 - to; from = 1 - to; if (int(L) >= d) s[to * W + L] = s[from * W + L] + s[from * W + "
        "L - d]; else s[to * W + L] = s[from * W + L]; barrier(); } o[I] = s[to * W + L]; }",
        groupScan);
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint v = x[I]; for (uint d = 1; d < W; d <<= 1) { s[L] = v; barrier(); if (L "
        ">= d) v += s[L - d]; barrier(); } o[I] = v; }",
        groupScan);
    // Sklansky; Ladner and Fischer; Brent and Kung; Blelloch, plain and padded; Han and Carlson.
    mustBeRight(
        load + "for (uint d = 1; d < W; d *= 2) { if ((L & d) != 0) s[L] += s[(L | (d - 1)) - d]; barrier(); }" + out,
        groupScan);
    mustBeRight(load +
                    "for (uint d = 1; d < W; d *= 2) { if (L < W / 2) { uint a = L / d * 2 * d + d; s[a + L % d] += "
                    "s[a - 1]; } barrier(); }" +
                    out,
                groupScan);
    mustBeRight(load +
                    "for (int d = 1; d < int(W); d *= 2) { int k = (int(L) + 1) * d * 2 - 1; if (k < int(W)) s[k] += "
                    "s[k - d]; barrier(); } for (int d = int(W) / 4; d > 0; d /= 2) { int k = (int(L) + 1) * d * 2 - "
                    "1; if (k + d < int(W)) s[k + d] += s[k]; barrier(); }" +
                    out,
                groupScan);
    const std::string down =
        "if (L == 0) s[AT(W - 1)] = 0; for (uint n = 1; n < W; n *= 2) { d /= 2; barrier(); if (L < n) { uint a = AT(d "
        "* (2 * L + 1) - 1), b = AT(d * (2 * L + 2) - 1), t = s[a]; s[a] = s[b]; s[b] += t; } } barrier(); o[I] = "
        "s[AT(L)]; }";
    const std::string up =
        "void main() { s[AT(L)] = x[I]; uint d = 1; for (uint n = W / 2; n > 0; n /= 2) { barrier(); if (L < n) s[AT(d "
        "* (2 * L + 2) - 1)] += s[AT(d * (2 * L + 1) - 1)]; d *= 2; } barrier( );\n";
    mustBeRight("#define AT(i) (i)\nshared uint s[W];\n" + up + down, groupExclusive);
    mustBeRight("#define AT(i) ((i) + ((i) >> 5))\nshared uint s[W + W / 32 + 1];\n" + up + down, groupExclusive);
    mustBeRight(load +
                    "bool odd = L % 2 == 1; if (odd) s[L] += s[L - 1]; barrier(); for (uint d = 2; d < W; d *= 2) { "
                    "uint y = 0; if (odd && L > d) y = s[L - d]; barrier(); if (odd) s[L] += y; barrier(); } if (!odd "
                    "&& L > 0) s[L] += s[L - 1]; " +
                    out,
                groupScan);
    // In parts: each of a few invocations goes through one part.
    mustBeRight(
        "shared uint s[W], part[8];\nvoid main() { s[L] = x[I]; barrier(); uint c = W / 8; if (L < 8) { uint t = 0; "
        "for (uint k = L * c; k < (L + 1) * c; ++k) { t += s[k]; s[k] = t; } part[L] = t; } barrier(); if (L == 0) for "
        "(uint k = 1; k < 8; ++k) part[k] += part[k - 1]; barrier(); o[I] = s[L] + (L >= c ? part[L / c - 1] : 0); }",
        groupScan, 8);
    // Rows and columns.
    mustBeRight(
        "shared uint s[8][W / 8 + 1];\nvoid main() { uint c = W / 8, row = L / c, column = L % c; s[row][column] = "
        "x[I]; barrier(); if (column == 0) for (uint k = 1; k < c; ++k) s[row][k] += s[row][k - 1]; barrier(); uint "
        "before = 0; for (uint r = 0; r < row; ++r) before += s[r][c - 1]; o[I] = before + s[row][column]; }",
        groupScan, 8);
    // By subgroups.
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint v = subgroupInclusiveAdd(x[I]); if (LANE == SUB - 1 || L == W - 1) "
        "s[gl_SubgroupID] = v; barrier(); uint before = 0; for (uint k = 0; k < gl_SubgroupID; ++k) before += s[k]; "
        "o[I] = before + v; }",
        groupScan);
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint v = x[I]; for (uint d = 1; d < SUB; d *= 2) { uint y = "
        "subgroupShuffleUp(v, d); if (LANE >= d) v += y; } if (LANE == SUB - 1) s[gl_SubgroupID] = v; barrier(); uint "
        "before = 0; for (uint k = 0; k < gl_SubgroupID; ++k) before += s[k]; o[I] = before + v; }",
        groupScan);
    mustBeRight(
        "void main() { if (gl_SubgroupID == 0) { uint carry = 0; for (uint k = LANE; k < W; k += SUB) { uint v = "
        "subgroupInclusiveAdd(x[G * W + k]); o[G * W + k] = carry + v; carry += subgroupMax(v); } } }",
        groupScan);
    // A length that is no multiple of a work-group.
    mustBeRight(
        "shared uint s[W];\nvoid main() { uint n = 4 * W - 3; s[L] = I < n ? x[I] : 0; barrier(); for (uint d = 1; d < "
        "W; d *= 2) { uint y = 0; if (L >= d) y = s[L - d]; barrier(); s[L] += y; barrier(); } if (I < n) o[I] = s[L]; "
        "else if (I < 4 * W) o[I] = s[L] + (L == W - 1 ? x[4 * W - 3] + x[4 * W - 2] + x[4 * W - 1] : L == W - 2 ? x[4 "
        "* W - 3] + x[4 * W - 2] : x[4 * W - 3]); }",
        groupScan, 8);
}

TEST(EmulatedKernels, WorkGroupsThatWorkTogether)
{
    const std::string sum =
        "shared uint s, first;\nvoid main() { if (L == 0) s = 0; barrier(); atomicAdd(s, x[I]); barrier();\n";
    mustBeRight(sum + "if (L == 0) { atomicAdd(z[0], s); if (atomicAdd(z[1], 1) == 3) o[0] = atomicAdd(z[0], 0); } }",
                total);
    // The last work-group to arrive adds up; with memory barriers, and with release and acquire.
    mustBeRight(
        "shared bool last;\n" + sum +
            "if (L == 0) { z[8 + G] = s; memoryBarrierBuffer(); last = atomicAdd(z[0], 1) == 3; } barrier(); if (last "
            "&& L == 0) { memoryBarrierBuffer( ); uint t = 0; for (uint k = 0; k < 4; ++k) t += z[8 + k]; o[0] = t; } "
            "}",
        total);
    mustBeRight("shared bool last;\n" + sum +
                    "if (L == 0) { z[8 + G] = s; last = atomicAdd(z[0], 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                    "gl_SemanticsAcquireRelease) == 3; } barrier(); if (last && L == 0) { uint t = 0; for (uint k = 0; "
                    "k < 4; ++k) t += z[8 + k]; o[0] = t; } }",
                total);
    mustBeRight("shared bool last;\n" + sum +
                    "if (L < 2) z[8 + 2 * G + L] = L == 0 ? s : 0; memoryBarrierBuffer(); barrier(); if (L == 0) last "
                    "= atomicAdd(z[0], 1) == 3; barrier(); if (!last) return; memoryBarrierBuffer( ); if (L == 0) { "
                    "uint t = 0; for (uint k = 0; k < 8; ++k) t += z[8 + k]; o[0] = t; } }",
                total, 8);
    // Sum and count in one 64-bit word: no order is needed.
    mustBeRight("layout(set = 0, binding = 2) buffer Z { uint64_t z; };\n" + sum +
                    "if (L == 0) { uint64_t before = atomicAdd(z, uint64_t(s) << 32 | 1ul); if (uint(before) == 3) "
                    "o[0] = uint(before >> 32) + s; } }",
                total);
    // A lock; its holder orders what it guards.
    mustBeRight(
        "layout(set = 0, binding = 2) coherent buffer Z { uint z[]; };\n" + sum +
            "if (L == 0) { while (atomicCompSwap(z[0], 0, 1) != 0) ; memoryBarrierBuffer( ); z[2] += s; z[3] += "
            "1; if (z[3] == 4) o[0] = z[2]; memoryBarrierBuffer(); atomicExchange(z[0], 0); } }",
        total);
    // Chained: a ticket, and what the previous work-group has published, as two words and as one.
    const std::string ticket =
        "shared uint s[W], mine, before;\nvoid main() { if (L == 0) mine = atomicAdd(z[0], 1); barrier(); uint at = "
        "mine * W + L; s[L] = x[at]; barrier(); for (uint d = 1; d < W; d *= 2) { uint y = L >= d ? s[L - d] : 0; "
        "barrier(); s[L] += y; barrier(); }\n";
    const std::string end = "barrier(); o[at] = before + s[L]; }";
    mustBeRight(ticket +
                    "if (L == 0) { before = 0; if (mine > 0) { while (atomicAdd(z[8 + mine - 1], 0) == 0) ; "
                    "memoryBarrierBuffer( ); before = z[16 + mine - 1]; } z[16 + mine] = before + s[W - 1]; "
                    "memoryBarrierBuffer(); atomicExchange(z[8 + mine], 1); }" +
                    end,
                wholeScan);
    mustBeRight(
        ticket +
            "if (L == 0) { before = 0; if (mine > 0) { uint v; do v = atomicOr(z[8 + mine - 1], 0); while (v >> 31 == "
            "0); before = v & 0x7FFFFFFF; } atomicExchange(z[8 + mine], before + s[W - 1] | 0x80000000); }" +
            end,
        wholeScan);
    // Look-back by one invocation. 1: a sum; 2: the sum of all before, too.
    mustBeRight(
        ticket +
            "if (L == 0) { before = 0; atomicExchange(z[8 + mine], s[W - 1] << 2 | (mine == 0 ? 2 : 1)); for (int k = "
            "int(mine) - 1; k >= 0; ) { uint v = atomicAdd(z[8 + k], 0); if ((v & 3) == 0) continue; before += v >> 2; "
            "if ((v & 3) == 2) break; --k; } atomicExchange(z[8 + mine], (before + s[W - 1]) << 2 | 2); }" +
            end,
        wholeScan);
    mustBeRight("layout(set = 0, binding = 2) volatile coherent buffer Z { uint z[]; };\n" + ticket +
                    "if (L == 0) { before = 0; if (mine > 0) { while (z[8 + mine - 1] == 0) ; memoryBarrier( ); before "
                    "= z[16 + mine - 1]; } z[16 + mine] = before + s[W - 1]; memoryBarrier(); z[8 + mine] = 1; }" +
                    end,
                wholeScan);
}

TEST(EmulatedKernels, OtherThanSums)
{
    mustBeRight(load + "o[I] = s[W - 1 - L]; }", reversed);
    mustBeRight(
        "shared uint s[W];\nvoid main() { for (uint t = 0; t < 3; ++t) { s[(L + t) % W] = x[I]; barrier( ); uint y = "
        "s[(L + t) % W]; barrier(); if (t == 2) o[I] = y; } }",
        same);
    mustBeRight(load +
                    "for (uint k = 2; k <= W; k *= 2) for (uint j = k / 2; j > 0; j /= 2) { uint other = L ^ j; if "
                    "(other > L) { bool rises = (L & k) == 0; uint a = s[L], b = s[other]; if (rises == (a > b)) { "
                    "s[L] = b; s[other] = a; } } barrier(); } o[I] = s[L]; }",
                sorted, 1, 256);
    mustBeRight(load +
                    "for (uint k = 0; k < W; ++k) { uint a = 2 * L + k % 2; if (a + 1 < W && s[a] > s[a + 1]) { uint t "
                    "= s[a]; s[a] = s[a + 1]; s[a + 1] = t; } barrier(); } o[I] = s[L]; }",
                sorted, 1, 64);
    mustBeRight(
        "shared uint s[W], n[W];\nvoid main() { uint v = x[I]; n[L] = 1 - v % 2; barrier(); for (uint d = 1; d < W; d "
        "*= 2) { uint y = L >= d ? n[L - d] : 0; barrier(); n[L] += y; barrier(); } uint evens = n[W - 1], before = "
        "n[L]; uint to = v % 2 == 0 ? before - 1 : evens + L - before; s[to] = v; barrier(); o[I] = s[L]; }",
        split);
    mustBeRight(
        "shared uint h[16];\nvoid main() { for (uint k = L; k < 16; k += W) h[k] = 0; barrier(); atomicAdd(h[x[I] % "
        "16], 1); barrier(); if (L == 0) { atomicAdd(z[5], h[5]); if (atomicAdd(z[16], 1) == 3) o[0] = atomicOr(z[5], "
        "0); } }",
        histogram);
    mustBeRight(
        "shared uint s[W + 2];\nvoid main() { s[L + 1] = x[I]; if (L == 0) { s[0] = 0; s[W + 1] = 0; } barrier(); o[I] "
        "= s[L] + s[L + 1] + s[L + 2]; }",
        smoothed);
    // Two buffers that take turns: the next elements are loaded into the one that is not being read.
    mustBeRight(
        "shared uint s[2][W];\nvoid main() { uint t = 0; s[0][L] = x[L]; for (uint k = 0; k < 4; ++k) { barrier(); if "
        "(k < 3) s[(k + 1) % 2][L] = x[(k + 1) * W + L]; t += s[k % 2][W - 1 - L]; } z[I] = t; o[I] = x[I]; }",
        same);
    // The ends of a list, by pointer jumping; small numbers of 8 and 16 bits in shared memory.
    mustBeRight(
        "shared uint next[W], far[W];\nvoid main() { next[L] = min(L + 1, W - 1); far[L] = L < W - 1 ? 1 : 0; "
        "barrier(); for (uint d = 1; d < W; d *= 2) { uint n = next[L], f = far[n], nn = next[n]; barrier(); far[L] += "
        "f; next[L] = nn; barrier(); } o[I] = x[I] + far[L] - (W - 1 - L); }",
        same);
    mustBeRight(
        "shared uint8_t s[W]; shared uint16_t t[W];\nvoid main() { s[L] = uint8_t(x[I]); t[L] = uint16_t(x[I]) * 300s; "
        "barrier(); o[I] = uint(s[W - 1 - L]) + uint(t[L]) - x[I] * 300; }",
        reversed);
    // A local array with computed indices, a matrix, a structure that is copied with its padding.
    mustBeRight(
        "void main() { uint a[8]; for (uint k = 0; k < 8; ++k) a[k] = x[I] + k; uint t = 0; for (uint k = 0; k < 8; "
        "++k) t += a[(k + L) % 8]; o[I] = (t - 28) / 8; }",
        same);
    mustBeRight(
        "void main() { mat3 m = mat3(2.0); vec3 v = m * vec3(float(x[I]), 1.0, 0.0); m[L % 3][L % 2] = 7.0; o[I] = "
        "uint(v.x / 2.0); }",
        same);
    mustBeRight(
        "struct S { uvec3 a; uint b; uvec2 c; }; layout(set = 0, binding = 2) buffer Z { S z[]; };\nvoid main() { S "
        "one; one.a = uvec3(x[I]); one.b = 1; one.c = uvec2(2); if (I * 48 + 48 <= z.length() * 32) { z[I] = one; S "
        "two = z[I]; o[I] = two.a.y; } else o[I] = x[I]; }",
        same);
}

}  // namespace a2
