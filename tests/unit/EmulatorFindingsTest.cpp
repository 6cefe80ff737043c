// Kernels that are broken in one place, where this must be found, and right ones, where nothing must be found.

#include "lint/EmulatedFindings.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

// What all kernels here have: four work-groups of 64, an input of 256 words (1, 2, ...), a result that is not set, and
// zeros. L, G and I: the invocation's number in its work-group, the work-group's number, and the invocation's number in
// all.
const std::string findingsFrame = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
#define N gl_WorkGroupSize.x
)";
const std::string plainBuffers = R"(layout(set = 0, binding = 1) buffer O { uint o[]; };
layout(set = 0, binding = 2) buffer Z { uint z[]; };
)";

struct Shape {
    std::uint32_t subgroupSize = 32, together = 1, workGroup = 64, groups = 4;
    EmulatorSettings::Order order = EmulatorSettings::Order::forwards;
    std::uint64_t budget = std::uint64_t{1} << 28;  // instructions
    std::vector<EmulatorSettings::Pause> pauses = {};
    std::uint32_t rows = 1;  // of work-groups, along y
};

Emulated walked(const std::string& text, const Shape& shape = {})
{
    Specialisation given;
    given.values = {{0, shape.workGroup}};
    const bool own = text.find("binding = 1") != std::string::npos;
    static std::map<std::string, Words> compiled;
    Words& words = compiled[text];
    if (words.empty()) words = compileGlsl(findingsFrame + (own ? "" : plainBuffers) + text);
    EmulatedGlsl kernel(words, given);
    Words x(shape.workGroup * shape.groups);
    std::iota(x.begin(), x.end(), 1U);
    kernel.buffer(x).buffer(x.size()).buffer(Words(x.size())).again(1);
    kernel.settings.subgroupSize = shape.subgroupSize;
    kernel.settings.together = shape.together;
    kernel.settings.order = shape.order;
    kernel.settings.budget = shape.budget;
    kernel.settings.pauses = shape.pauses;
    return kernel.run({shape.groups / shape.rows, shape.rows, 1});
}

// The line that contains this comment, from 1; 0: none does.
std::uint32_t lineOf(const std::string& text, const std::string& comment)
{
    const std::string all = findingsFrame + (text.find("binding = 1") != std::string::npos ? "" : plainBuffers) + text;
    const std::size_t at = all.find(comment);
    return at == std::string::npos
               ? 0
               : static_cast<std::uint32_t>(
                     1 + std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The kernel has // HERE in the line that the finding names first or second, and may have // THERE in the other one.
void mustFind(const std::string& rule, const std::string& text, const Shape& shape = {})
{
    SCOPED_TRACE(text);
    const Emulated all = walked(text, shape);
    const std::uint32_t here = lineOf(text, "// HERE"), there = lineOf(text, "// THERE");
    const bool found = std::any_of(all.findings.begin(), all.findings.end(), [&](const KernelFinding& one) {
        const bool place = one.where.line == here || one.other.line == here;
        const bool other = there == 0 || one.where.line == there || one.other.line == there;
        return one.rule == rule && place && other && !one.what.empty() && one.times > 0;
    });
    EXPECT_TRUE(found) << rule << " at line " << here << " is not in:\n" << findingsText(all);
}

void mustBeRight(const std::string& text)
{
    SCOPED_TRACE(text);
    for (const std::uint32_t size : {4U, 8U, 32U, 64U})
        for (const std::uint32_t together : {1U, 3U}) {
            const Emulated all = walked(text, {size, together});
            EXPECT_TRUE(all.complete && all.findings.empty()) << size << "\n" << findingsText(all);
        }
}

}  // namespace

TEST(EmulatorFindings, SharedRaces)
{
    // No barrier between write and neighbour's read; none between read and write; same value; array of structures.
    mustFind("shared-race", "shared uint s[64];\nvoid main() {\n s[L] = x[I]; // HERE\n o[I] = s[63 - L]; // THERE\n}");
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I];\n barrier();\n uint y = s[63 - L]; // HERE\n s[L] = y; "
             "// THERE\n}");
    mustFind("shared-race", "shared uint s;\nvoid main() {\n s = 7; // HERE\n barrier(); o[I] = s; }");
    mustFind("shared-race",
             "struct P { uvec4 a; uint b; }; shared P s[2][32];\nvoid main() {\n s[L / 32][L % 32].a = uvec4(x[I]);\n "
             "s[L / 32][L % 32].b = 1u; // HERE\n if (L == 3) o[I] = s[1][2].b; }");
    // Loops that count down as students write them.
    for (const char* const loop : {"for (int d = int(N) / 2; d > 0; d >>= 1)", "for (uint d = N / 2; d > 0; d /= 2)",
                                   "for (int d = 32; d >= 1; d /= 2)"}) {
        mustFind("shared-race", std::string("shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier();\n") + loop +
                                    " {\n if (L < d) s[L] += s[L + d]; // HERE\n }\n if (L == 0) o[G] = s[0]; }");
        mustBeRight(std::string("shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier();\n") + loop +
                    " {\n if (L < d) s[L] += s[L + d];\n barrier();\n }\n if (L == 0) o[G] = s[0]; }");
    }
    // An atomic and a plain use; warp-synchronous code without barriers.
    mustFind("shared-race",
             "shared uint s;\nvoid main() {\n if (L == 0) s = 0; barrier();\n atomicAdd(s, 1);\n if (L == 5) o[I] = s; "
             "// HERE\n }");
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier(); for (uint d = 32; d > 0; d /= 2) { if (d >= "
             "32) barrier();\n if (L < d) s[L] += s[L + d]; // HERE\n } if (L == 0) o[G] = s[0]; }");
    // Which index depends on data; a switch.
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n s[x[I] % 32] = L; // HERE\n barrier(); o[I] = s[x[I] % 32]; }");
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n switch (L % 3) { case 0: s[0] = L; break; // HERE\n default: s[L] = "
             "1; }\n barrier(); if (L == 0) o[I] = s[0]; }");
    // In a middle work-group alone, and far along a loop.
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier(); if (G == 2)\n s[0] = L; // HERE\n barrier(); "
             "if (L == 0) o[G] = s[0]; }");
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n uint k = 0; for (uint j = 0; j < 20000; ++j) k = k * 5 + j;\n s[k % "
             "2] = L; // HERE\n barrier(); if (L == 0) o[G] = s[0] + k; }");
    // One barrier where two are needed: Hillis and Steele in place.
    mustFind("shared-race",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I]; for (uint d = 1; d < N; d *= 2) { barrier(); uint y = "
             "0;\n if (L >= d) y = s[L - d]; // HERE\n s[L] += y; // THERE\n } o[I] = s[L]; }");
    // A subgroup operation does not order memory, and a subgroup barrier only that of its subgroup.
    mustFind(
        "shared-race",
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; // HERE\n subgroupBarrier(); o[I] = s[(L + 32) % 64]; }");
    mustFind(
        "shared-race",
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; // HERE\n uint y = subgroupAdd(1); o[I] = s[L ^ 1] + y; }");
}

// For a controlBarrier() that waits but orders nothing, the message is not that a barrier is missing.
TEST(EmulatorFindings, ASharedRaceNamesABarrierThatOrdersNothing)
{
    const auto found = [](const std::string& barrier) {
        const Emulated all =
            walked("shared uint s[64];\nvoid main() { s[L] = x[I]; " + barrier + " o[I] = s[63 - L]; }");
        return all.findings.empty() ? std::string() : all.findings.front().what + "; " + all.findings.front().cure;
    };
    const std::string whole = "gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);";
    for (const std::string& weak :
         {std::string("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);"),
          "controlBarrier(gl_ScopeWorkgroup, gl_ScopeSubgroup, " + whole,
          std::string("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, "
                      "gl_SemanticsRelease);")}) {
        EXPECT_NE(found(weak).find("as a controlBarrier() of this kernel does not"), std::string::npos) << found(weak);
        EXPECT_NE(found(weak).find("call barrier() there, or give controlBarrier()"), std::string::npos) << found(weak);
    }
    EXPECT_EQ(found("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, " + whole), "");
    EXPECT_EQ(found("").find("controlBarrier()"), std::string::npos) << found("");
}

// What helps inside a work-group does not help between two of them.
TEST(EmulatorFindings, GlobalRacesHaveTheCureOfTheirCase)
{
    const auto cure = [](const std::string& text) {
        const Emulated all = walked(text);
        return all.findings.empty() ? std::string("nothing is found") : all.findings.front().cure;
    };
    EXPECT_EQ(cure("void main() { if (L == 0) o[G] = 1; barrier(); z[I] = o[(G + 1) % 2]; }"),
              "do one of them in another dispatch, or both by atomics");
    EXPECT_EQ(cure("void main() { o[I] = x[I]; z[I] = o[I ^ 1]; }"),
              "put memoryBarrierBuffer(), and after it barrier(), between the two accesses");
    EXPECT_EQ(cure("void main() { if (L == 0) atomicAdd(z[0], 1); if (I == 127) o[0] = z[0]; }"),
              "read it by an atomic, too, such as atomicOr(it, 0), or do that in another dispatch");
    EXPECT_EQ(cure("void main() { if (I == 127) z[0] = 7; if (L == 0) atomicAdd(z[0], 1); }"),
              "write it by an atomic, too, such as atomicExchange(), or do that in another dispatch");
    // What it releases comes too late for those that have read.
    EXPECT_EQ(cure("void main() { if (G == 0) z[I] = o[L]; if (I == 64) { memoryBarrierBuffer(); atomicAdd(z[127], 1); "
                   "o[0] = 5; } }")
                  .rfind("let what others may still read stay, and write to another place", 0),
              0U);
    EXPECT_EQ(cure("shared uint s;\nvoid main() { if (subgroupElect()) s = I; }"),
              "let one invocation of the work-group alone write it: if (gl_LocalInvocationID.x == 0)");
    const std::string twice =
        "layout(set = 0, binding = 1) buffer O { uint o[]; };\n"
        "layout(set = 0, binding = 3) buffer P { uint p[]; };\n";
    EXPECT_EQ(cure(twice + "void main() { o[I] = p[(I + 64) % 256]; }"),
              "bind another buffer for what is written, and swap the two from dispatch to dispatch");
}

// A barrier() helps where two statements meet, or two turns of a loop; not where one statement meets itself.
TEST(EmulatorFindings, SharedRacesHaveTheCureOfTheirCase)
{
    const auto cure = [](const std::string& text) {
        const Emulated all = walked(
            "shared uint s[64];\nvoid add(inout uint all[64]) { all[L] += 1; }\nvoid main() { s[L] = 0; "
            "barrier();\n" +
            text + "\nbarrier(); o[I] = s[L]; }");
        return all.findings.empty() ? std::string("nothing is found") : all.findings.front().cure;
    };
    const std::string barrier = "put a barrier() between the two accesses, outside every condition",
                      atomic =
                          "it is read and written back, and others come in between: let one atomic, such as "
                          "atomicAdd(), do both, or let each ";
    EXPECT_EQ(cure("s[x[I] % 4] += 1;"), atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("s[0]++;"), atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("uint k = L / 2;\n s[k] = s[k] + 1;"), atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("s[x[I] % 4] = s[x[I] % 4] + 1;"), atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("s[x[I] % 4] = s[x[I] % 5] + 1;"), barrier);
    EXPECT_EQ(cure("for (uint k = 0; k < 3; ++k)\n s[x[(I + k) % 64] % 4] += k;"),
              atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("z[x[L] % 4] += 1;"), atomic + "invocation have elements of its own");
    EXPECT_EQ(cure("if (L == 0) z[0] += 1;"), atomic + "work-group have elements of its own");
    EXPECT_EQ(cure("for (uint d = 1; d < 4; ++d)\n s[(L + d) % 64] += d;"),
              barrier +
                  "; or, if they are in the same turn of a loop, let one atomic, such as atomicAdd(), read it and "
                  "write it back");
    EXPECT_EQ(cure("for (uint d = 32; d > 0; d /= 2)\n if (L < d) s[L] += s[L + d];"), barrier);
    EXPECT_EQ(cure("s[L] += s[L ^ 1];"), barrier);
    EXPECT_EQ(cure("uint mine = s[x[I] % 4];\n s[x[I] % 4] = mine + 1;"), barrier);
    const std::string alone =
        "others use it between the two: let the atomic alone touch it; what it returns is what was there before";
    EXPECT_EQ(cure("uint k = x[I] % 4, old = s[k]; atomicCompSwap(s[k], old, old + 1);"), alone);
    EXPECT_EQ(cure("uint k = x[I] % 4; s[k] = atomicAdd(s[k], 1) + 1;"), alone);
    EXPECT_EQ(cure("s[x[I] % 4] = L;"),
              "the index is calculated from what memory holds, and comes out the same twice: look at where that is "
              "written; where several are meant to meet, use an atomic");
    EXPECT_EQ(cure("atomicAdd(s[x[I] % 4], 1);\n z[L] = s[L];"), barrier);
    EXPECT_EQ(cure("add(s);"),
              "each invocation writes the whole of 's' there, as a call does that has it as an inout parameter: let "
              "the function use the array itself");
}

// Above the declaration of its constant, gl_WorkGroupSize is 1 for the compiler.
TEST(EmulatorFindings, AnArrayOfAnEarlyWorkGroupSizeIsNamed)
{
    const std::string array = "shared uint s[gl_WorkGroupSize.x];\n",
                      size =
                          "layout(local_size_x_id = 0) in;\n"
                          "layout(set = 0, binding = 0) buffer X { uint x[]; };\n",
                      text = "void main() { s[gl_LocalInvocationIndex] = 1; }\n";
    const auto found = [&](const std::string& kernel) {
        Specialisation given;
        given.values = {{0, 64}};
        EmulatedGlsl emulated("#version 460\n" + kernel + text, given);
        emulated.buffer(Words(64));
        const Emulated all = emulated.run({1, 1, 1});
        return all.findings.empty() ? std::string() : textOf(all.findings.front());
    };
    EXPECT_EQ(found(size + array), "");
    EXPECT_EQ(found("#define N gl_WorkGroupSize.x  // below\n" + size + "shared uint s[N];\n"), "");
    const std::string early = found("// gl_WorkGroupSize\n" + array + size);
    EXPECT_NE(early.find("writes element 1 of 's', which has 1 element"), std::string::npos) << early;
    EXPECT_NE(early.find("; line 3 of the kernel uses gl_WorkGroupSize above the declaration of local_size_x_id"),
              std::string::npos)
        << early;
    const std::string few = found(size + "shared uint s[2];\n");
    EXPECT_NE(few.find("which has 2 elements, 62 times; guard the access"), std::string::npos) << few;
}

// A kernel that counts its work-groups along x alone is right until the dispatch is folded.
TEST(EmulatorFindings, AFoldedDispatchNeedsTheKernelsHelp)
{
    Shape folded;
    folded.rows = 2;
    const auto cure = [](const std::string& text, const Shape& shape) {
        const Emulated all = walked(text, shape);
        return all.findings.empty() ? std::string("nothing is found") : all.findings.front().cure;
    };
    const std::string along = "void main() { o[I] = x[I]; }";
    EXPECT_EQ(cure(along, {}), "nothing is found");
    EXPECT_EQ(cure(along, folded),
              "the dispatch is folded over x and y: count work-groups by workGroupNumber() and invocations by "
              "invocationNumber()");
    EXPECT_EQ(cure("void main() { uint g = gl_WorkGroupID.y * gl_NumWorkGroups.x + G; o[g * 64 + L] = x[I]; }", folded),
              "nothing is found");
    EXPECT_EQ(cure("void main() { o[L] = I; }", {}),
              "let each work-group write elements of its own, counted by workGroupNumber()");
}

// The line alone hardly shows that two names are the same memory.
TEST(EmulatorFindings, ARaceThroughTwoNamesSaysBoth)
{
    const auto what = [](const std::string& text, int binding) {
        const Emulated all = walked(
            "layout(set = 0, binding = 1) buffer O { uint o[]; };\n"
            "layout(set = 0, binding = " +
            std::to_string(binding) +
            ") buffer P { uint p[]; };\n"
            "layout(set = 0, binding = 2) buffer Z { uint z[]; };\n" +
            text);
        return all.findings.empty() ? std::string() : all.findings.front().what;
    };
    const auto says = [](const std::string& all, const std::string& part) {
        return all.find(part) != std::string::npos;
    };
    EXPECT_TRUE(says(what("void main() { o[I] = x[I]; z[I] = p[I ^ 1]; }", 1), "(which is 'p[1]', too)"));
    EXPECT_TRUE(says(what("void main() { o[I] = x[I]; z[I] = o[I ^ 1]; }", 1), "(which is 'p[1]', too)"));
    EXPECT_TRUE(says(what("void main() { o[I] = x[I]; z[I] = p[I ^ 1]; }", 3),
                     "(one buffer is bound twice: it is 'p[1]', too)"));
    EXPECT_FALSE(says(what("void main() { z[0] = I; }", 1), ", too)"));
}

TEST(EmulatorFindings, GlobalRaces)
{
    mustFind("global-race", "void main() {\n o[0] = I; // HERE\n}");
    mustFind("global-race", "void main() {\n z[0] += 1; // HERE\n}");
    mustFind("global-race", "void main() {\n o[I] = x[I]; // HERE\n if (I > 0) z[I] = o[I - 1]; // THERE\n}");
    // The in-place scan; two work-groups that overlap by one word.
    mustFind("global-race", "void main() {\n uint y = z[(I + 64) % 256]; // HERE\n z[I] = y; }");
    mustFind("global-race", "void main() {\n if (L < 33) z[G * 32 + L] = L; // HERE\n}");
    mustFind("global-race",
             "layout(set = 0, binding = 1) buffer O { uvec4 o[]; };\nlayout(set = 0, binding = 2) buffer Z { uint z[]; "
             "};\nvoid main() {\n if (I < 60) o[I] = uvec4(I); // HERE\n if (I == 77) z[0] = o[3].z; }");
    // barrier() orders shared memory; with memoryBarrierBuffer() it orders buffers, too, but only within one
    // work-group.
    mustFind("global-race", "void main() {\n o[I] = x[I]; // HERE\n barrier(); z[I] = o[I ^ 1]; // THERE\n}");
    mustFind("global-race",
             "void main() {\n o[I] = x[I]; // HERE\n memoryBarrierBuffer(); barrier(); z[I] = o[(I + 64) % 256]; // "
             "THERE\n}");
    // The last to arrive adds up what the others wrote, but they have no memory barrier before they report.
    const std::string last =
        "shared bool isLast;\nvoid main() {\n uint s = subgroupAdd(x[I]);\n if (L == 0) {\n o[G] = s; // HERE\n #\n "
        "isLast = atomicAdd(z[0], 1) == 3;\n @\n }\n barrier();\n if (isLast && L == 0) { uint t = 0;\n for (uint k = "
        "0; k "
        "< 4; ++k) t += o[k]; // THERE\n o[100] = t; } }";
    const auto with = [&](const std::string& before, const std::string& behind) {
        std::string text = last;
        text.replace(text.find('@'), 1, behind);
        return text.replace(text.find('#'), 1, before);
    };
    const std::string buffer = "memoryBarrierBuffer();", all = "memoryBarrier();";
    mustFind("global-race", with("", ""));
    mustFind("global-race", with("", buffer));
    mustFind("global-race", with(buffer, ""));  // what it reads may have been read before the counter was
    mustBeRight(with(buffer, buffer));
    mustBeRight(with(all, all));
    // A flag, plain and atomic.
    mustFind("global-race",
             "void main() {\n if (G == 0 && L == 0) { o[5] = 7; memoryBarrierBuffer();\n z[0] = 1; } // HERE\n if (G "
             "== 1 && L == 0) if (z[0] == 1) o[6] = o[5]; }");
}

TEST(EmulatorFindings, OutOfBounds)
{
    mustFind("out-of-bounds", "void main() {\n o[I] = x[I + 1]; // HERE\n}");
    mustFind("out-of-bounds", "void main() {\n o[I * 2] = x[I]; // HERE\n}");
    mustFind("out-of-bounds", "void main() {\n o[I] = x[I - 1]; // HERE\n}");
    mustFind("out-of-bounds", "void main() {\n int j = int(L) - 1;\n o[I] = x[j]; // HERE\n}");
    mustFind("out-of-bounds",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier();\n o[I] = s[L + 1]; // HERE\n}");
    mustFind("out-of-bounds", "shared uint s[32];\nvoid main() {\n s[L] = x[I]; // HERE\n}");
    mustFind("out-of-bounds", "shared uint s[4][16];\nvoid main() {\n s[L / 32][L % 32] = x[I]; // HERE\n}");
    mustFind("out-of-bounds",
             "void main() {\n uint own[4]; for (uint k = 0; k <= 4; ++k)\n own[k] = k; // HERE\n o[I] = own[L % 4]; }");
    mustFind("out-of-bounds", "void main() {\n uvec4 v = uvec4(x[I]);\n o[I] = v[L % 8]; // HERE\n}");
    mustFind("out-of-bounds",
             "shared uvec4 v[2];\nvoid main() {\n if (L < 2) v[L] = uvec4(1); barrier();\n if (L == 3) v[1][x[L]] = 7; "
             "// HERE\n}");
    // The whole of an access must fit.
    mustFind("out-of-bounds",
             "layout(set = 0, binding = 1) buffer O { uint first; uvec3 o[]; };\nvoid main() {\n if (I < 20) o[I] = "
             "uvec3(1); // HERE\n}",
             {32, 1, 5, 4});
    mustFind("out-of-bounds", "void main() {\n atomicAdd(z[256 + L], 1); // HERE\n}");
    mustFind("out-of-bounds", "const uint t[3] = uint[](1, 2, 3);\nvoid main() {\n o[I] = t[L]; // HERE\n}");
    mustFind("out-of-bounds",
             "layout(set = 0, binding = 7) buffer M { uint m[]; };\nvoid main() {\n m[I] = 1; // HERE\n}");
}

// A condition on the index would hide the fault.
TEST(EmulatorFindings, OutOfBoundsHaveTheCureOfTheirCause)
{
    const auto cure = [](const std::string& text) {
        const Emulated walk = walked(text);
        return walk.findings.empty() ? "nothing found" : walk.findings.front().cure;
    };
    EXPECT_EQ(cure("void main() {\n o[I] = x[I + 1];\n}"), "guard the access with a condition on the index");
    EXPECT_EQ(cure("void main() {\n o[I] = x[x[I] + 1000];\n}"),
              "the index is calculated from what memory holds: look at where that is written, or guard the access with "
              "a condition on the index");
    EXPECT_EQ(cure("layout(set = 0, binding = 7) buffer M { uint m[]; };\nvoid main() {\n m[I] = 1;\n}"),
              "bind a descriptor set that has it, before the dispatch");
    EXPECT_EQ(cure("layout(set = 0, binding = 1, std140) buffer O { uint o[]; };\nvoid main() {\n o[I] = x[I];\n}"),
              "elements of 'o' begin every 16 bytes and use 4 of them: declare the block std430, where they follow one "
              "another");
    EXPECT_EQ(
        cure("layout(set = 0, binding = 1) buffer O { uvec3 o[]; };\nvoid main() {\n if (I < 85) o[I] = uvec3(1);\n}"),
        "elements of 'o' begin every 16 bytes and use 12 of them: declare an array of plain numbers, three for each");
    EXPECT_EQ(cure("layout(set = 0, binding = 1) buffer O { uvec4 o[]; };\nvoid main() {\n o[I] = uvec4(1);\n}"),
              "guard the access with a condition on the index");
}

TEST(EmulatorFindings, UnsetMemory)
{
    mustFind("unset-memory",
             "void main() {\n uint sum; for (uint k = 0; k < 4; ++k) sum += x[k];\n o[I] = sum; // HERE\n}");
    mustFind("unset-memory",
             "shared uint s[64];\nvoid main() {\n if (L < 32) s[L] = x[I]; barrier();\n o[I] = s[L] + s[63 - L]; // "
             "HERE\n}");
    mustFind("unset-memory",
             "shared uint sum;\nvoid main() {\n atomicAdd(sum, x[I]); // HERE\n barrier(); if (L == 0) o[G] = sum; }");
    mustFind("unset-memory",
             "shared uint n;\nvoid main() {\n if (L == 70) n = 4; barrier();\n for (uint k = 0; k < n; ++k) z[I] += 1; "
             "// HERE\n}");
    mustFind("unset-memory", "void main() {\n uint at;\n if (I > 1000) at = 3;\n z[at + I] = 1; // HERE\n}");
    mustFind("unset-memory", "void main() {\n if (o[I] > 5) // HERE\n z[I] = 1; }");
    mustFind(
        "unset-memory",
        "void main() {\n bool yes = false, no; if (x[I] > 300) no = true;\n if (no && x[I] > 0) // HERE\n z[I] = 1; }");
    mustFind("unset-memory", "void main() {\n uvec4 v; v.x = x[I]; v.z = 1;\n o[I] = v.x + v.y; // HERE\n}");
    mustFind("unset-memory",
             "struct P { uint a; uint b; }; uint add(P p) { return p.a + p.b; }\nvoid main() {\n P p; p.a = x[I];\n "
             "o[I] = add(p); // HERE\n}");
    mustFind("unset-memory", "void main() {\n atomicMax(o[0], x[I]); // HERE\n}");
    // Across a subgroup: the value of an invocation that does not take part, and of a lane that does not exist.
    mustFind("unset-memory", "void main() {\n uint y = subgroupShuffleUp(x[I], 1);\n o[I] = x[I] + y; // HERE\n}");
    const std::string ofEight = "void main() {\n uint y = subgroupClusteredAdd(x[I], 8);\n o[I] = x[I] + y; // HERE\n}";
    mustFind("unset-memory", ofEight, {4});
    EXPECT_TRUE(walked(ofEight, {8}).findings.empty());
    mustFind("unset-memory",
             "shared uint s[64];\nvoid main() {\n if (L > 0) s[L] = x[I]; barrier(); uint y = subgroupAdd(s[L]);\n "
             "o[I] = y; // HERE\n}");
    // A copy is no finding, but its unset words are reported.
    const Emulated copied =
        walked("shared uint s[64];\nvoid main() {\n if (L < 32) s[L] = x[I]; barrier();\n o[I] = s[L]; // HERE\n}");
    EXPECT_EQ(findingsText(copied), "");
    ASSERT_EQ(copied.unsetStores.size(), 1U);
    EXPECT_EQ(copied.unsetStores[0].times, 128U);
    EXPECT_EQ(copied.unsetStores[0].element, "o[32]");
    EXPECT_EQ(copied.unsetStores[0].where.source.text, "o[I] = s[L]; // HERE");
    EXPECT_EQ(copied.unsetStores[0].where.source.before, "if (L < 32) s[L] = x[I]; barrier();");
}

// In a buffer that is kept from run to run, in a run where the word was never set before. It was set, but to an unknown
// value: through shared memory, a buffer, or a variable.
TEST(EmulatorFindings, ValuesOfInvocationsThatTakeNoPart)
{
    const auto isTold = [](const std::string& operation, const std::string& text) {
        SCOPED_TRACE(text);
        const Emulated all = walked(text);
        ASSERT_FALSE(all.findings.empty());
        const KernelFinding& one = all.findings[0];
        EXPECT_EQ(one.rule, "unset-memory");
        EXPECT_EQ(one.what.substr(0, one.what.find(" from ")), "what " + operation + " reads");
        EXPECT_NE(one.what.find("an invocation that takes no part"), std::string::npos) << one.what;
        EXPECT_EQ(one.what.find("was never set"), std::string::npos) << one.what;
        const std::uint32_t here = lineOf(text, "// HERE");
        EXPECT_TRUE(one.where.line == here || one.other.line == here) << one.where.line << "/" << one.other.line;
        EXPECT_TRUE(one.variable.empty() && one.element.empty());
    };
    isTold("subgroupShuffle()",
           "shared uint s[64];\nvoid main() { uint q = 0;\n if (L % 2 == 0) q = subgroupShuffle(x[I], "
           "gl_SubgroupInvocationID + 1); // HERE\n s[L] = q; barrier();\n o[I] = s[63 - L] + 1; }");
    isTold("subgroupShuffleUp()",
           "shared uint s[64];\nvoid main() { uint q = 0;\n if (L % 4 == 3) q = subgroupShuffleUp(x[I], 1) * 2 + 1; // "
           "HERE\n s[L] = q; barrier(); for (uint d = 32; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); }\n "
           "if (L == 0) o[G] = s[0]; }");
    isTold("subgroupBroadcast()",
           "void main() {\n if (L % 2 == 1) z[I] = subgroupBroadcast(x[I], 2); // HERE\n if (L % 2 == 1) {\n if (z[I] "
           "> 3) o[I] = 1;\n } }");
    isTold("subgroupShuffleXor()",
           "void main() {\n if (L % 2 == 1) if (subgroupShuffleXor(x[I], 1) > 5) o[I] = 1; // HERE\n }");
    // Values of the invocation itself that were never set are reported as before.
    const Emulated plain = walked(
        "shared uint s[64];\nvoid main() { uint q = subgroupShuffle(x[I], 0);\n if (L < 32) "
        "s[L] = q; barrier(); o[I] = s[63 - L] + 1; }");
    ASSERT_FALSE(plain.findings.empty());
    EXPECT_NE(plain.findings[0].what.find("which was never set"), std::string::npos) << plain.findings[0].what;
    // The word was written, but not with a value of any invocation.
    const Emulated passed =
        walked("shared uint s[64];\nvoid main() { uint q; s[L] = q + x[I]; barrier(); o[I] = s[63 - L] + 1; }");
    ASSERT_FALSE(passed.findings.empty());
    EXPECT_NE(passed.findings[0].what.find("computed from memory that was never set"), std::string::npos)
        << passed.findings[0].what;
    EXPECT_EQ(passed.findings[0].cure, "give it a value first");
}

TEST(EmulatorFindings, NameTheFirstComponentOutside)
{
    Shape three;
    three.workGroup = 1;
    three.groups = 3;
    const Emulated run =
        walked("layout(set = 0, binding = 1) buffer O { uvec4 v[]; };\nvoid main() { v[0] = uvec4(x[0]); }", three);
    ASSERT_FALSE(run.findings.empty());
    EXPECT_NE(run.findings[0].what.find("'v[0].w', at byte 12, and 12 bytes are bound"), std::string::npos)
        << run.findings[0].what;
}

TEST(EmulatorFindings, KeptMemoryThatNobodyHasSet)
{
    Specialisation given;
    given.values = {{0, 64}};
    const auto words = compileGlsl(findingsFrame + plainBuffers + "void main() { o[I] = z[I] + 1; }");
    for (const bool kept : {false, true}) {
        EmulatedGlsl kernel(words, given);
        kernel.buffer(Words(64)).buffer(Words(64)).buffer(std::size_t{64});
        if (kept) kernel.at(2).keep();
        const std::string text = findingsText(kernel.run({1, 1, 1}));
        EXPECT_EQ(text.find("unset-memory") != std::string::npos, kept) << text;
        EXPECT_EQ(text.find("'z[") != std::string::npos, kept) << text;
    }
}

TEST(EmulatorFindings, BarrierDivergence)
{
    mustFind("barrier-divergence", "void main() {\n if (L >= 32) return; // HERE\n barrier(); // THERE\n o[I] = 1; }");
    mustFind("barrier-divergence", "void main() {\n if (L < 32)\n barrier(); // HERE\n o[I] = 1; }");
    mustFind("barrier-divergence",
             "void main() {\n if (L < 32)\n barrier(); // HERE\n else\n barrier(); // THERE\n o[I] = 1; }");
    mustFind("barrier-divergence", "void main() {\n for (uint k = 0; k < L; ++k)\n barrier(); // HERE\n o[I] = 1; }");
    mustFind("barrier-divergence", "void main() {\n if (x[I] > 100) return;\n barrier(); // HERE\n o[I] = 1; }");
    mustFind("barrier-divergence",
             "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier(); for (int d = 32; d > 0; d >>= 1) if (L < d) "
             "{ s[L] += s[L + d];\n barrier(); // HERE\n } if (L == 0) o[G] = s[0]; }");
    mustFind("barrier-divergence",
             "void wait_() {\n barrier(); // HERE\n }\nvoid main() {\n if (L % 2 == 0) wait_(); o[I] = 1; if (L % 2 == "
             "1) wait_(); }");
    mustBeRight("void main() {\n if (G >= 2) return;\n barrier(); o[I] = 1; }");
    mustBeRight("void main() {\n for (uint k = 0; k < G; ++k) barrier(); o[I] = 1; }");
}

TEST(EmulatorFindings, EndlessLoops)
{
    mustFind("endless-loop", "void main() {\n int s = int(N);\n while (s >= 0) s >>= 1; // HERE\n o[I] = uint(s); }");
    mustFind("endless-loop",
             "void main() {\n uint d = 64;\n while (d > 0) { if (d > 1) d /= 2; } // HERE\n o[I] = d; }");
    mustFind("endless-loop",
             "shared uint s[64];\nvoid main() {\n s[L] = 0; barrier();\n while (s[L] == 0) ; // HERE\n o[I] = s[L]; }");
    mustFind("endless-loop", "void main() {\n uint k = 1;\n do { k *= 3; } while (k != 0); // HERE\n o[I] = k; }");
    // A lock that its holder's subgroup waits for; a flag that is never set.
    mustFind("endless-loop",
             "void main() {\n if (L == 0) {\n while (atomicAdd(z[5], 0) == 0) ; // HERE\n }\n o[I] = 1; }");
}

// Whatever else changes in the loop, and whichever invocations wait at a barrier in it.
TEST(EmulatorFindings, LoopsWhoseConditionRepeats)
{
    mustFind("endless-loop", "void main() {\n for (uint i = 1; i != 0; i *= 3) barrier(); // HERE\n o[I] = 1; }");
    mustFind(
        "endless-loop",
        "void main() { uint t = 0;\n for (uint d = 32; d >= 0; d >>= 1) { t += d + x[t % 64]; barrier(); } // HERE\n "
        "o[I] = t; }");
    mustFind(
        "endless-loop",
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; uint turns = 0;\n for (uint d = 32; d >= 0; d /= 2) { // "
        "HERE\n barrier(); if (L < d) s[L] += s[L + d]; ++turns; }\n o[I] = s[0] + turns; }");
    mustFind("endless-loop",
             "void main() { uint t = 0;\n for (uint i = 0; i != 7; i += 2) { t = t * 5 + i; o[I] = t; } // HERE\n }");
    mustFind("endless-loop",
             "void main() { uint t = 0;\n for (int i = 0; i < 64; --i) { t += uint(i); o[I] = t; } // HERE\n }");
    mustFind(
        "endless-loop",
        "uint half_(uint d) { return d > 1 ? d / 2 : d; }\nvoid main() { uint t = 0, d = 64;\n while (d != 0) { d = "
        "half_(d); o[I] = t++; } // HERE\n }");
    mustFind(
        "endless-loop",
        "void main() { float e = 1.0; uint t = 0;\n while (e > 0.0) { e = max(e * 0.5, 1e-6); ++t; } // HERE\n o[I] = "
        "t; }");
    mustFind(
        "endless-loop",
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier();\n for (uint d = 32; d > 0; d *= 3) { if (L < d && "
        "L + d < 64) s[L] += s[L + d]; barrier(); } // HERE\n o[I] = s[0]; }");
    // Decisions of other invocations in it do not matter.
    mustFind("endless-loop",
             "shared uint s[64];\nuint next_(uint k) { uint n = k; for (uint i = 0; i < 4; ++i) n += s[(k + i) % 64]; "
             "return n; }\nvoid main() { uint r[4] = uint[4](0, 0, 0, 0); s[L] = 1; barrier();\n for (uint turn = 0; "
             "true; turn += 8) { // HERE\n if (subgroupAny(turn == L % 16)) for (uint k = 0; k < 4; ++k) r[k] += "
             "next_(k); barrier(); s[L] += r[turn % 4]; barrier(); }\n o[I] = r[0]; }",
             {32, 1, 64, 4, EmulatorSettings::Order::forwards, 1 << 22});
    // A nested loop that ends but takes long; an exit that is never taken.
    mustFind(
        "endless-loop",
        "void main() { uint t = 0, d = 0;\n while (d < 8) { // HERE\n for (uint k = 0; k < 900; ++k) t += k; d *= 2; "
        "barrier(); }\n o[I] = t; }",
        {32, 1, 64, 4, EmulatorSettings::Order::forwards, 1 << 22});
    mustFind(
        "endless-loop",
        "void main() { uint t = 0, d = 1; bool done = false;\n while (!done) { ++t; if (d == 0) { done = true; } d |= "
        "2; } // HERE\n o[I] = t; }");
    // A flag that is never set, while something is counted.
    mustFind("endless-loop",
             "shared uint f, n[64];\nvoid main() { if (L == 0) f = 0; n[L] = 0; barrier();\n while (f == 0) ++n[L]; // "
             "HERE\n o[I] = n[L]; }");
    mustFind("endless-loop",
             "void main() {\n while (atomicAdd(z[5], 0) == 0) atomicAdd(z[6], 1); // HERE\n o[I] = 1; }");
}

// Loops that take long but end, and loops that others end after a barrier.
TEST(EmulatorFindings, LongLoops)
{
    const auto fine = [](const std::string& text) {
        SCOPED_TRACE(text);
        const Emulated all = walked(text, {32, 1, 64, 2, EmulatorSettings::Order::forwards, 1 << 25});
        EXPECT_EQ(findingsText(all), "");
        EXPECT_FALSE(all.endangers);
    };
    fine("void main() { uint t = 0; for (uint i = 0; i < 5000; ++i) t += i; o[I] = t; }");
    fine("void main() { uint t = 0; for (uint i = 5000; i < 6000; --i) t += i; o[I] = t; }");
    fine("void main() { uint t = 0; for (int i = 5000; i >= 0; --i) t += uint(i); o[I] = t; }");
    fine("void main() { uint t = 0; for (uint i = 3; i != 4099; i += 4) { t += i; barrier(); } o[I] = t; }");
    fine("void main() { float s = 0; for (uint i = 1; s < 9.0; ++i) s += 1.0 / float(i); o[I] = uint(s); }");
    fine("void main() { uint t = 0; while (atomicAdd(z[I], 1) < 4000) ++t; o[I] = t; }");
    fine("void main() { uint k = 7; uint t = 0; while (k != 1 && t < 4000) { k = k * 5 + 1; ++t; } o[I] = t; }");
    fine(
        "shared uint f;\nvoid main() { uint t = 0; if (L == 0) f = 0; barrier(); for (bool on = true; on;) { if (L == "
        "0 "
        "&& ++t == 3000) f = 1; barrier(); on = f == 0; barrier(); } o[I] = t; }");
    const Emulated cut = walked("void main() { uint t = 0; for (uint i = 0; i < 1000000000; ++i) t += i; o[I] = t; }",
                                {32, 1, 64, 2, EmulatorSettings::Order::forwards, 1 << 22});
    EXPECT_TRUE(cut.overBudget && cut.findings.empty() && !cut.endangers);
}

// A spin inside a work-group waits for an invocation that need not run before it.
TEST(EmulatorFindings, SpinsInAWorkGroup)
{
    mustFind(
        "forward-progress",
        "shared uint f;\nvoid main() { if (L == 0) f = 0; barrier();\n if (L != 63) while (atomicAdd(f, 0) == 0) ; // "
        "HERE\n else atomicExchange(f, 1);\n o[I] = 1; }");
    mustFind("forward-progress",
             "void main() {\n if (L < 32) { while (atomicAdd(z[G], 0) == 0) ; } // HERE\n else if (L == 40) "
             "atomicExchange(z[G], 1);\n o[I] = 1; }");
    mustFind(
        "forward-progress",
        "shared uint f, n;\nvoid main() { if (L == 0) f = n = 0; barrier();\n if (L < 63) while (atomicAdd(f, 0) == "
        "0) atomicAdd(n, 1); // HERE\n else atomicExchange(f, 1);\n o[I] = 1; }");
    // The invocation that sets it has the smaller number: in its subgroup, in another one, in a buffer, without an
    // else.
    mustFind("forward-progress",
             "shared uint f;\nvoid main() { if (L == 0) f = 0; barrier();\n if (L > 0) { while (atomicAdd(f, 0) == 0) "
             "; } // "
             "HERE\n else atomicExchange(f, 1);\n o[I] = 1; }");
    mustFind("forward-progress",
             "void main() {\n if (L >= 32) { while (atomicAdd(z[G], 0) == 0) ; } // HERE\n else if (L == 7) "
             "atomicExchange(z[G], 1);\n o[I] = 1; }");
    mustFind("forward-progress",
             "layout(set = 0, binding = 1) buffer O { uint o[]; };\nlayout(set = 0, binding = 2) volatile buffer Z { "
             "uint z[]; };\nvoid main() {\n if (L == 3) { memoryBarrierBuffer(); z[G] = 1; }\n if (L == 9) while (z[G] "
             "== 0) ; // HERE\n o[I] = 1; }");
    mustFind("forward-progress",
             "shared uint f;\nbool on() { return atomicAdd(f, 0) == 0; }\nvoid main() { if (L == 0) f = 0; barrier(); "
             "atomicAdd(f, L == 5 ? 1u : 0u);\n while (on()) ; // HERE\n o[I] = 1; }");
    EXPECT_TRUE(walked("void main() { if (L == 0) atomicExchange(z[G], 1); else while (atomicAdd(z[G], 0) == 0) ; o[I] "
                       "= 1; }")
                    .endangers);
    // Additions by comparing, and a lock that one invocation of each work-group takes: no invocation waits for one of
    // its own work-group.
    mustBeRight(
        "void main() { if (L == 0) { while (atomicCompSwap(z[0], 0, 1) != 0) ; atomicExchange(z[0], 0); } o[I] = 1; }");
    mustBeRight(
        "void main() { for (bool on = true; on;) { uint was = atomicAdd(z[0], 0); on = atomicCompSwap(z[0], was, was + "
        "x[I]) != was; } o[I] = 1; }");
    // A loop that does not wait for ever.
    mustBeRight(
        "shared uint f;\nvoid main() { if (L == 0) f = 0; barrier(); if (L < 63) for (uint k = 0; k < 3000 && "
        "atomicAdd(f, 0) == 0; ++k) ; else atomicExchange(f, 1); o[I] = 1; }");
}

// These faults do not show in any order in which each invocation goes on as soon as it can, but only where one waits at
// an atomic until the others have done something.
TEST(EmulatorFindings, PausesAtAtomics)
{
    const auto paused = [](std::vector<EmulatorSettings::Pause> pauses) {
        Shape shape;
        shape.pauses = std::move(pauses);
        return shape;
    };
    // A flag that the first invocation sets, a lock that the first one takes: each is set before others wait. Both must
    // be found even without pauses.
    const std::string flag =
        "void main() { if (L == 0) atomicExchange(z[G], 1);\n while (atomicAdd(z[G], 0) == 0) ; // HERE\n o[I] = 1; }";
    const std::string lock =
        "void main() {\n while (atomicCompSwap(z[G], 0, 1) != 0) ; // HERE\n o[I] = 1; atomicExchange(z[G], 0); }";
    mustFind("forward-progress", flag);
    mustFind("forward-progress", lock);
    mustFind("forward-progress",
             "bool take() { return atomicCompSwap(z[G], 0, 1) == 0; }\nvoid main() {\n while (!take()) ; // HERE\n "
             "o[I] = 1; atomicExchange(z[G], 0); }");
    mustFind("forward-progress", flag, paused({{0, false, {}, false}}));
    mustFind("forward-progress", lock, paused({{0, true, {}, true}}));
    // Work-groups that wait for those that started before them are right, however these pause.
    const std::string chained =
        "shared uint t;\nvoid main() { if (L == 0) t = atomicAdd(z[200], 1); barrier();\n if (L == 0) { if (t > 0) { "
        "while "
        "(atomicAdd(z[t - 1], 0) == 0) ; }\n atomicExchange(z[t], 1); }\n o[I] = t; }";
    for (const std::uint32_t atomic : {0U, 1U, 2U})
        for (const bool after : {false, true}) {
            for (const bool lastFirst : {false, true})
                EXPECT_EQ(findingsText(walked(chained, paused({{atomic, after, {}, lastFirst}}))), "");
            for (const std::uint32_t group : {0U, 1U, 3U})
                EXPECT_EQ(findingsText(walked(chained, paused({{atomic, after, group, false}}))), "");
        }
    // A paused one comes after all others.
    Specialisation given;
    given.values = {{0, 64}};
    EmulatedGlsl kernel(compileGlsl(findingsFrame + plainBuffers +
                                    "void main() { if (L == 0) o[G] = atomicAdd(z[0], 1); if (L == 1) o[8 + G] = 1; }"),
                        given);
    kernel.buffer(Words(256)).buffer(Words(256)).buffer(Words(256));
    kernel.settings.pauses = {{0, false, 1, false}};
    EXPECT_EQ(findingsText(kernel.run({4, 1, 1})), "");
    EXPECT_EQ(kernel.words(1)[0], 0U);
    EXPECT_EQ(kernel.words(1)[1], 3U);
    EXPECT_EQ(kernel.words(1)[3], 2U);
}

TEST(EmulatorFindings, ForwardProgress)
{
    // Waits for the next work-group, which need not have started.
    const std::string waits =
        "void main() {\n if (L == 0) {\n if (G > 0) atomicExchange(z[G], 1);\n if (G < 3) while (atomicAdd(z[G + 1], "
        "0) == 0) ; // HERE\n }\n o[I] = 1; }";
    mustFind("forward-progress", waits);
    // Relies on the order of work-groups, but they start in any order.
    const std::string chained =
        "void main() {\n if (L == 0) {\n if (G > 0) while (atomicAdd(z[G - 1], 0) == 0) ; // HERE\n "
        "atomicExchange(z[G], 1); }\n o[I] = 1; }";
    mustFind("forward-progress", chained, {32, 1, 64, 4, EmulatorSettings::Order::backwards});
    EXPECT_EQ(findingsText(walked(chained)), "");
    // With tickets this is right in every order.
    const std::string ticket =
        "shared uint t;\nvoid main() {\n if (L == 0) t = atomicAdd(z[200], 1); barrier();\n uint sum = x[t];\n if (L "
        "== 0) {\n if (t > 0) { while (atomicAdd(z[t - 1], 0) == 0) ; }\n atomicExchange(z[t], sum); }\n o[I] = t; }";
    mustBeRight(ticket);
    for (const auto order : {EmulatorSettings::Order::backwards, EmulatorSettings::Order::shuffled})
        EXPECT_EQ(findingsText(walked(ticket, {32, 4, 64, 4, order})), "");
}

// As students hand them in.
TEST(EmulatorFindings, LargerBrokenKernels)
{
    const std::string load = "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier();\n";
    // A tree that counts down with a signed variable and has its barrier in a condition; a tree that reads too far; one
    // that some invocations leave early; one whose last steps rely on the subgroup.
    mustFind("barrier-divergence", load +
                                       "for (int d = 32; d > 0; d >>= 1) { if (int(L) < d) { s[L] += s[L + d];\n "
                                       "barrier(); // HERE\n } } if (L == 0) o[G] = s[0]; }");
    mustFind("out-of-bounds", load +
                                  "for (int d = 32; d > 0; d >>= 1) {\n if (int(L) <= d) s[L] += s[L + d + 31]; // "
                                  "HERE\n barrier(); } if (L == 0) o[G] = s[0]; }");
    mustFind("barrier-divergence", load +
                                       "for (uint d = 32; d > 0; d /= 2) { if (L >= d)\n return; // HERE\n s[L] += s[L "
                                       "+ d];\n barrier(); // THERE\n } o[G] = s[0]; }");
    mustFind("shared-race",
             load +
                 "for (uint d = 32; d > 4; d /= 2) { if (L < d) s[L] += s[L + d]; barrier(); }\n if (L < 4) { s[L] += "
                 "s[L + 4];\n s[L] += s[L + 2]; // HERE\n s[L] += s[L + 1]; } if (L == 0) o[G] = s[0]; }");
    // Scans: in place with one barrier; Blelloch's root not cleared in time; a buffer that is not swapped.
    mustFind(
        "shared-race",
        load +
            "for (uint d = 1; d < 64; d *= 2) {\n if (L >= d) s[L] += s[L - d]; // HERE\n barrier(); } o[I] = s[L]; }");
    mustFind("shared-race",
             "shared uint s[2][64];\nvoid main() { uint from = 0; s[0][L] = x[I]; for (uint d = 1; d < 64; d *= 2) { "
             "barrier();\n s[0][L] = s[from][L] + (L >= d ? s[from][L - d] : 0); // HERE\n } o[I] = s[from][L]; }");
    mustFind(
        "shared-race",
        load +
            "if (L == 63)\n s[63] = 0; // HERE\n for (uint d = 32; d > 0; d /= 2) { uint k = 2 * d * (L + 1) - 1; if "
            "(k < 64) {\n uint t = s[k - d]; s[k - d] = s[k]; s[k] += t; // THERE\n } barrier(); } o[I] = s[L]; }");
    mustFind("out-of-bounds", load + "uint d = 1;\n o[I] = s[L] + s[L - d]; // HERE\n}");
    // A shared array of uvec4, of structures and of rows.
    mustFind("shared-race",
             "shared uvec4 s[64];\nvoid main() { s[L] = uvec4(x[I]); for (uint d = 32; d > 0; d /= 2) { barrier();\n "
             "if (L < 2 * d) s[L] += s[L ^ d]; // HERE\n } if (L == 0) o[G] = s[0].x; }");
    mustFind("shared-race",
             "struct P { uint a; float b; }; shared P s[64];\nvoid main() { s[L] = P(x[I], 1.0);\n float t = s[(L + 1) "
             "% 64].b; // HERE\n o[I] = uint(t); }");
    mustFind(
        "shared-race",
        "shared uint s[8][8];\nvoid main() {\n s[L % 8][L / 8] = x[I]; // HERE\n o[I] = s[L / 8][L % 8]; // THERE\n}");
    mustFind(
        "out-of-bounds",
        "shared uint s[8][8];\nvoid main() {\n s[L / 8][L % 8 + 1] = x[I]; // HERE\n barrier(); o[I] = s[L / 8][1]; }");
    // After a data-dependent index or branch, and far along a loop.
    mustFind("shared-race",
             "shared uint h[16];\nvoid main() { if (L < 16) h[L] = 0; barrier();\n h[x[I] % 16] += 1; // HERE\n "
             "barrier(); if (L < 16) atomicAdd(z[L], h[L]); }");
    mustFind("out-of-bounds",
             "shared uint h[16];\nvoid main() { if (L < 16) h[L] = 0; barrier();\n atomicAdd(h[x[I] % 17], 1); // "
             "HERE\n barrier(); if (L < 16) atomicAdd(z[L], h[L]); }");
    mustFind("global-race",
             "void main() { uint k = 1; for (uint j = 0; j < 100001; ++j) { k = k * 3 + j;\n if (j == 100000 && L < 2) "
             "z[0] = I; // HERE\n } o[I] = k; }",
             {32, 1, 8, 2});
    // Memory of buffers: a compaction without an atomic, two tiles that overlap, an in-place copy to the next element.
    mustFind("global-race",
             "void main() { if (x[I] % 2 == 0) {\n uint k = z[0]; z[0] = k + 1; // HERE\n o[k] = x[I]; } }");
    mustFind("global-race", "void main() { for (uint k = 0; k < 2; ++k)\n o[G * 64 + L + k] = x[I]; // HERE\n}",
             {32, 1, 64, 3});
    mustFind("global-race", "void main() { if (I + 1 < 256)\n z[I + 1] = z[I]; // HERE\n}");
    mustFind("global-race",
             "layout(set = 0, binding = 1) buffer O { uint o[]; };\nlayout(set = 0, binding = 2) coherent buffer Z { "
             "uint z[]; };\nvoid main() {\n if (L == 0) z[0] += x[I]; // HERE\n o[I] = 1; }");
    // Sums without a first value; an accumulator for each component; an output that a function does not set.
    mustFind("unset-memory",
             "shared uint s[64];\nvoid main() {\n for (uint k = L; k < 128; k += 64) s[L] += x[k];\n barrier();\n o[I] "
             "= s[L]; // HERE\n}");
    mustFind("unset-memory",
             "void main() { uvec4 t; for (uint k = 0; k < 4; ++k) t[k] += x[k];\n o[I] = t.x + t.w; // HERE\n}");
    mustFind(
        "unset-memory",
        "void least(out uint at) { if (x[I] < 3) at = 1; }\nvoid main() { uint at; least(at);\n o[at] = 1; // HERE\n}");
    mustFind("unset-memory",
             "shared uint s[128];\nvoid main() { s[L] = x[I]; barrier(); uint t = 0; for (uint k = 0; k < 65; ++k) t "
             "+= s[k];\n o[I] = t; // HERE\n}");
    // Loops: by 0 times 2, by an unsigned number that is never below 0, by a lock that all of a subgroup wait for.
    mustFind("endless-loop",
             "void main() { uint t = 0;\n for (uint d = 0; d < 64; d *= 2) t += d; // HERE\n o[I] = t; }");
    mustFind("endless-loop",
             "void main() { uint t = 0;\n for (uint k = 10; k >= 0; --k) t += k; // HERE\n o[I] = t; }");
    mustFind("endless-loop", "void main() {\n while (atomicExchange(z[0], 1) == 1) ; // HERE\n o[I] = 1; }");
}

TEST(EmulatorFindings, RightKernels)
{
    // Guards; values that are not set are not used.
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n uint n = 200; if (I < n) s[L] = x[I]; barrier(); if (I < n && L > 0) o[I] "
        "= s[L - 1]; }");
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n uint n = 200; if (I < n) s[L] = x[I]; barrier(); uint y = s[63 - L]; if "
        "(G < 3) o[I] = y + 1; }");
    mustBeRight("void main() {\n uint y; if (I > 5) y = 3; else y = 4; o[I] = y; }");
    // Hillis and Steele with two arrays.
    mustBeRight(
        "shared uint s[2][64];\nvoid main() {\n uint from = 0; s[0][L] = x[I]; barrier(); for (uint d = 1; d < N; d "
        "<<= 1) { s[1 - from][L] = s[from][L] + (L >= d ? s[from][L - d] : 0); from = 1 - from; barrier(); } o[I] = "
        "s[from][L]; }");
    // Sklansky, Ladner-Fischer, Blelloch, Brent-Kung.
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier(); for (uint d = 1; d < N; d *= 2) { if ((L & d) != "
        "0) s[L] += s[(L | (d - 1)) - d]; barrier(); } o[I] = s[L]; }");
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; barrier(); for (uint d = 1; d < 64; d *= 2) { uint p = (L / "
        "d) * 2 * d + d - 1; uint q = p + 1 + L % d; if (q < 64) s[q] += s[p]; barrier(); } o[I] = s[L]; }");
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; uint d = 1; for (uint n = 32; n > 0; n >>= 1) { barrier(); "
        "if (L < n) s[d * (2 * L + 2) - 1] += s[d * (2 * L + 1) - 1]; d *= 2; }\n if (L == 0) s[63] = 0;\n for (uint n "
        "= 1; n < 64; n *= 2) { d >>= 1; barrier(); if (L < n) { uint a = d * (2 * L + 1) - 1, b = d * (2 * L + 2) - "
        "1, t = s[a]; s[a] = s[b]; s[b] += t; } } barrier(); o[I] = s[L]; }");
    // Subgroups.
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n uint sum = subgroupAdd(x[I]); if (subgroupElect()) s[gl_SubgroupID] = "
        "sum; barrier(); if (L == 0) { uint t = 0; for (uint k = 0; k < gl_NumSubgroups; ++k) t += s[k]; o[G] = t; } "
        "}");
    mustBeRight(
        "void main() {\n uint v = x[I]; for (uint d = 1; d < gl_SubgroupSize; d *= 2) { uint t = subgroupShuffleUp(v, "
        "d); if (gl_SubgroupInvocationID >= d) v += t; } o[I] = v; }");
    mustBeRight(
        "void main() {\n uint v = x[I]; for (uint d = gl_SubgroupSize / 2; d > 0; d /= 2) v += subgroupShuffleXor(v, "
        "d); if (subgroupElect()) o[I] = v; }");
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n s[L] = x[I]; subgroupBarrier(); uint y = s[L ^ 1]; subgroupBarrier(); "
        "s[L] = y; subgroupMemoryBarrierShared(); subgroupBarrier(); o[I] = s[L ^ 2]; }");
    mustBeRight(
        "void main() {\n uvec4 b = subgroupBallot(x[I] % 3 == 0); uint k = subgroupBallotExclusiveBitCount(b); if "
        "(x[I] % 3 == 0) o[I - gl_SubgroupInvocationID + k] = x[I]; }");
    // Vectors, several words for each invocation, two-dimensional indices.
    mustBeRight(
        "shared uvec4 s[64];\nvoid main() {\n s[L] = uvec4(x[I], 1, 2, 3); barrier(); o[I] = s[63 - L].x + s[L].w; }");
    mustBeRight(
        "shared uint s[64];\nvoid main() {\n uint sum = 0; for (uint k = L; k < 256; k += N) sum += x[k]; s[L] = sum; "
        "barrier(); for (uint d = N / 2; d > 0; d >>= 1) { if (L < d) s[L] += s[L + d]; barrier(); } if (L == 0) o[G] "
        "= s[0]; }");
    mustBeRight(
        "shared uint s[8][9];\nvoid main() {\n uint r = L / 8, c = L % 8; s[r][c] = x[I]; barrier(); o[I] = s[c][r]; "
        "}");
    mustBeRight(
        "shared float s[64];\nvoid main() {\n s[L] = float(x[I]); barrier(); float a = 0.0; for (int k = 0; k < 64; "
        "++k) a += s[k]; o[I] = uint(a); }");
    // Atomics: a histogram, a maximum, an append buffer, 64 bits.
    mustBeRight(
        "shared uint h[16];\nvoid main() {\n if (L < 16) h[L] = 0; barrier(); atomicAdd(h[x[I] % 16], 1); barrier(); "
        "if (L < 16) atomicAdd(z[L], h[L]); }");
    mustBeRight(
        "void main() {\n atomicMax(z[0], x[I]); if (x[I] % 2 == 0) { uint k = atomicAdd(z[1], 1); o[k] = x[I]; } }");
    // A work-group's own parts of buffers, ordered by memoryBarrierBuffer() and barrier(), also reads before writes.
    mustBeRight("void main() {\n o[I] = x[I]; memoryBarrierBuffer(); barrier(); z[I] = o[I ^ 1]; }");
    mustBeRight("void main() {\n uint y = z[I ^ 1]; memoryBarrierBuffer(); barrier(); z[I] = y + 1; }");
    mustBeRight(
        "void main() {\n o[I] = x[I]; memoryBarrier(); barrier(); if (L == 0) { uint t = 0; for (uint k = 0; k < N; "
        "++k) t += o[G * N + k]; z[G] = t; } }");
    // A chained scan that passes sums through `coherent` words after memory barriers, and one that uses release and
    // acquire.
    mustBeRight(
        "layout(set = 0, binding = 1) buffer O { uint o[]; };\nlayout(set = 0, binding = 2) coherent buffer Z { uint "
        "z[]; };\nshared uint t, before;\nvoid main() {\n if (L == 0) t = atomicAdd(z[255], 1); barrier(); uint sum = "
        "subgroupAdd(1);\n if (L == 0) { before = 0; if (t > 0) { while (z[t - 1] == 0) ; memoryBarrierBuffer(); "
        "before = z[100 + t - 1]; } z[100 + t] = before + 64; memoryBarrierBuffer(); z[t] = 1; } barrier(); o[I] = "
        "before + sum; }");
    mustBeRight(
        "shared uint t, before;\nvoid main() {\n if (L == 0) t = atomicAdd(z[255], 1); barrier();\n if (L == 0) { "
        "before = 0; if (t > 0) { while (atomicLoad(z[t - 1], gl_ScopeDevice, gl_StorageSemanticsBuffer, "
        "gl_SemanticsAcquire) == 0) ; before = z[100 + t - 1]; } z[100 + t] = before + 64; atomicStore(z[t], 1u, "
        "gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease); } barrier(); o[I] = before; }");
}

TEST(EmulatorFindings, OfAtomicsWithTooNarrowAScopeNameIt)
{
    const Emulated found = walked(
        "shared uint sum;\nvoid main() { if (L == 0) sum = 0; barrier(); atomicAdd(sum, x[I], gl_ScopeSubgroup, 0, 0); "
        "barrier(); o[I] = sum; }");
    ASSERT_FALSE(found.findings.empty());
    EXPECT_EQ(found.findings[0].rule, "shared-race");
    EXPECT_NE(found.findings[0].what.find("the scope of an atomic does not include both"), std::string::npos)
        << found.findings[0].what;
    EXPECT_NE(found.findings[0].cure.find("gl_ScopeWorkgroup"), std::string::npos) << found.findings[0].cure;
}

}  // namespace a2
