// Endless loops, in all the ways in which they are written, and long loops that end.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

// x: 1, 2, ...; z: zeros. L: the invocation's number in its work-group.
const std::string loopFrame = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
layout(set = 0, binding = 2) buffer Z { uint z[]; };
layout(set = 0, binding = 3) buffer W { uint64_t w[]; };
layout(push_constant) uniform P { uint zero; uint one; uint which; };
shared uint s[64];
shared uint f;
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
uint halved(uint d) { return d > 1u ? d / 2u : d; }
bool anyIs(uint a) { return subgroupAny(L == a); }
void waitTogether() { while (f == 0u) barrier(); }
)";

struct LoopShape {
    std::uint32_t groups = 1, workGroup = 64, subgroupSize = 32;
};

// Kernels that are compiled together.
class Bodies {
public:
    explicit Bodies(std::vector<std::string> all) : all_(std::move(all))
    {
        std::string text = loopFrame + "void main() { uint t = 0; if (L == 0) f = 0; s[L % 64] = 0; barrier();\n";
        for (std::size_t i = 0; i < all_.size(); ++i)
            text += "if (which == " + std::to_string(i) + ") {\n" + all_[i] + "\n}\n";
        words_ = compileGlsl(text + "o[I] = t; }");
    }

    void areEndless(const LoopShape& shape = {}) const
    {
        for (std::uint32_t i = 0; i < all_.size(); ++i) {
            SCOPED_TRACE(all_[i]);
            const Emulated all = walked(i, shape);
            const bool found = std::any_of(all.findings.begin(), all.findings.end(), [](const KernelFinding& one) {
                return one.rule == "endless-loop" && one.where.line != 0;
            });
            EXPECT_TRUE(found && all.endangers) << findingsText(all) << (all.overBudget ? "over budget" : "");
            EXPECT_LT(all.instructions, std::uint64_t{1} << 25);
        }
    }

    void end(const LoopShape& shape = {}) const
    {
        for (std::uint32_t i = 0; i < all_.size(); ++i) {
            SCOPED_TRACE(all_[i]);
            const Emulated all = walked(i, shape);
            EXPECT_TRUE(all.complete && all.findings.empty() && !all.endangers)
                << findingsText(all) << (all.overBudget ? "over budget" : "");
        }
    }

private:
    Emulated walked(std::uint32_t which, const LoopShape& shape) const
    {
        Specialisation given;
        given.values = {{0, shape.workGroup}};
        EmulatedGlsl kernel(words_, given);
        Words x(std::size_t{shape.workGroup} * shape.groups);
        std::iota(x.begin(), x.end(), 1U);
        kernel.buffer(x).buffer(x.size()).buffer(Words(x.size())).buffer(Words(x.size()));
        kernel.push({0, 1, which});
        kernel.settings.budget = std::uint64_t{1} << 27;
        kernel.settings.subgroupSize = shape.subgroupSize;
        return kernel.run({shape.groups, 1, 1});
    }

    std::vector<std::string> all_;
    Words words_;
};

}  // namespace

TEST(EmulatorLoops, ThatSubgroupsDecide)
{
    Bodies({
               "while (!subgroupAny(L == 0)) ++t;",
               "while (!subgroupAny(L == 0)) ;",
               "while (!subgroupAll(L < 40)) ++t;",
               "do ++t; while (subgroupBallot(L > 0).x != 0u);",
               "for (uint i = 1u; subgroupBroadcastFirst(i) != 0u; i *= 3u) ++t;",
               "for (uint i = 0u; subgroupBroadcast(i, 3u) != 7u; i += 2u) ++t;",
               "for (float g = 0.0; !subgroupAll(g == 1.0); g += 0.1) ++t;",
               "while (subgroupAdd(1u) < 33u) ++t;",
               "while (subgroupShuffleXor(L, 1u) != 64u) ++t;",
               "while (true) { if (subgroupElect()) ++t; if (subgroupMax(L) == 64u) break; }",
               "uint d = 32u; while (subgroupMax(d) > 0u) { d = d > 1u ? d / 2u : d; ++t; }",
               "bool on = true; while (on) { on = subgroupAny(on); ++t; }",
               "while (subgroupAny(f == 0u)) ++t;",
               "while (subgroupAll(atomicAdd(z[0], 0u) == 0u)) ++t;",
               "if (L % 2u == 0u) while (!subgroupAny(L % 2u == 1u)) ++t;",
               "while (!subgroupAny(L == 64u)) barrier();",
               "while (!anyIs(64u)) ++t;",
               "while (!subgroupAny(L == 64u)) subgroupBarrier();",
           })
        .areEndless();
    Bodies({
               "for (uint i = 0u; !subgroupAll(i > 5000u); ++i) ++t;",
               "uint i = L; while (subgroupAny(i < 6000u)) { i += 3u; ++t; }",
               "for (uint i = 0u; subgroupAny(i < 3000u + 40u * L); ++i) ++t;",
           })
        .end();
}

TEST(EmulatorLoops, WithBarriers)
{
    Bodies({
               "for (uint i = 1u; i != 0u; i = i * 3u) barrier();",
               "while (f == 0u) barrier();",
               "waitTogether();",
               "while (f == 0u) { barrier(); s[L] += 1u; barrier(); }",
               "for (float g = 0.0; g != 1.0; g += 0.1) barrier();",
               "for (float g = 0.0; g != 1.0; g += 0.1) { barrier(); t += s[(L + 1u) % 64u]; }",
               "for (float g = 0.0; g != 1.0; g += 0.1) { barrier(); if (s[L] == 7u) t = 5u; else ++t; }",
               "while (s[(L + 1u) % 64u] < 7u) { barrier(); s[L] = 5u; barrier(); }",
               "while (atomicAdd(z[5], 0u) == 0u) barrier();",
               "while (true) { barrier(); if (L == 0u) s[0] = 1u - s[0]; barrier(); if (s[0] == 2u) break; }",
           })
        .areEndless();
    Bodies(
        {
            "for (uint i = 0u; i < 5000u; ++i) barrier();",
            "for (float g = 0.0; g != 6000.0; g += 1.0) { barrier(); if (s[L] == 7u) g = 1.0; }",
            "bool on = true; while (on) { if (L == 0u && ++t == 3000u) f = 1u; barrier(); on = f == 0u; barrier(); }",
            "bool on = true; while (on) { if (L == 0u) s[0] += 1u; barrier(); on = s[0] < 3000u; barrier(); }",
            "bool on = true; while (on) { if (L == 7u) s[0] += 3u; barrier(); on = s[0] != 9000u; barrier(); }",
        })
        .end();
}

TEST(EmulatorLoops, ThatAnInvocationIsIn)
{
    Bodies({
               "for (float g = 0.0; g != 1.0; g += 0.1) t += uint(g);",
               "for (float g = 0.0; g != 1.0; g += 0.1) t += x[L] + s[L];",
               "for (double g = 0.0; g != 1.0; g += 0.1) ++t;",
               "for (uint64_t i = 1ul; i != 0ul; i += 2ul) ++t;",
               "for (uint64_t i = 1ul; i < 18446744073709551615ul; i += 1ul) ++t;",
               "for (int64_t i = 1l; i > 0l; i += 1l) ++t;",
               "for (int i = 0, j = 10; i < j; ++i, ++j) ++t;",
               "for (uint i = 0u, j = 1u; i != j; i += 2u, j += 2u) ++t;",
               "for (uint i = 0u; i < 4u; ++i) for (uint j = 0u; j < 4u; ++i) ++t;",
               "for (uint i = 0u; i < 4u; ) { if (i == 2u) continue; ++i; }",
               "uint i = 0u; do { if (t % 2u == 0u) continue; ++i; } while (i < 4u);",
               "uint i = 0u; while (i < x[3]) { if (i == 2u) continue; ++i; }",
               "for (uint i = 0u; i < one; i += zero) ++t;",
               "for (uint d = 32u; d > 0u; d = halved(d)) ++t;",
               "for (uint i = 0u; i < x[5]; i += z[7]) ++t;",
               "for (uint i = 7u; i != 5u; i = (i * 5u + 1u) % 1000u) ++t;",
               "for (uint i = 0u; x[i % 64u] != 0u; ++i) ++t;",
               "uint h = L; while (h != 123456789u) { h = h * 1664525u + 1013904223u; h &= 0xffffffu; }",
               "uint h = 1u; while (h != 3u) { h = h * 5u; z[I] = h; }",
               "while (atomicAdd(z[0], 0u) == 0u) ;",
               "for (uint i = 0u; s[i % 64u] == 0u; ++i) ++t;",
               "while (w[0] == 0ul) ++t;",
               "while (atomicAdd(w[0], 0ul) == 0ul) ++t;",
               "while (atomicAdd(z[0], 2u) != 7u) ++t;",
               "if (L == 9u) while (f == 0u) ;",
           })
        .areEndless();
}

// However long its loop is, an invocation that depends on nothing but its own numbers has waited for nobody.
TEST(EmulatorLoops, ThatAreLongAreNoWait)
{
    Specialisation given;
    given.values = {{0, 4}};
    EmulatedGlsl kernel(compileGlsl(loopFrame + "void main() {\n"
                                                "uint t = 0;\n"
                                                "for (uint i = 0u; i < 40000u; ++i) t += x[i % 8u];\n"
                                                "for (uint i = 0u; i < 30000u; ++i) t += x[i % 4u];\n"
                                                "if (L == 0) atomicAdd(z[0], t); }"),
                        given);
    kernel.buffer(Words(8, 1U)).buffer(std::size_t{8}).buffer(Words(8)).buffer(Words(8)).push({0, 1, 0});
    const Emulated all = kernel.run({2, 1, 1});
    EXPECT_TRUE(all.complete && all.findings.empty() && !all.endangers) << findingsText(all);
    EXPECT_EQ(kernel.words(2)[0], 140000U);
    EXPECT_GE(all.mostTurns, 70000U);
    EXPECT_LE(all.mostTurns, 70002U);
}

}  // namespace a2
