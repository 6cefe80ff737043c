// Kernels that are right on most drivers, but wrong by the guarantees of Vulkan and GLSL.

#include "BrokenShaders.h"
#include "RunA2.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace contract {

namespace {

const std::string head = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "include/A2Task1.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(push_constant) uniform Push { DecompositionPush push; };
shared uint part[gl_WorkGroupSize.x];
uint mySum()
{
    const uint begin = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationID.x;
    uint sum = 0;
    for (uint k = 0; k < ELEMENTS; ++k)
        if (begin + k * gl_WorkGroupSize.x < push.count) sum += source[begin + k * gl_WorkGroupSize.x];
    return sum;
}
)";

Finished judged(const std::string& rest)
{
    const Folder folder;
    std::ofstream(folder / "A2Task1KernelDecomposition.comp") << head << rest;
    return runA2({"run", "reduce/decomposition", "-n", "5000", "-r", "1", "--shader-dir", folder.path()});
}

const std::string plainSums = "layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { uint sums[]; };\n";

// stores: code that stores a subgroup's sum in `part`; subgroups: their number.
std::string bySubgroups(const std::string& stores, const std::string& subgroups)
{
    return plainSums +
           "void main()\n{\n    const uint me = gl_LocalInvocationID.x;\n    uint sum = subgroupAdd(mySum());\n    " +
           stores +
           "\n    barrier();\n    if (me != 0 || workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS >= push.count) "
           "return;\n    sum = 0;\n    for (uint i = 0; i < " +
           subgroups + "; ++i) sum += part[i];\n    sums[workGroupNumber()] = sum;\n}\n";
}

}  // namespace

TEST(SubgroupsThatAreNotFull, AreNotedWhereAKernelCountsOnTheirSize)
{
    const std::string elected = "if (subgroupElect()) part[gl_SubgroupID] = sum;";
    for (const std::string& wrong :
         {bySubgroups(elected, "(gl_WorkGroupSize.x + gl_SubgroupSize - 1) / gl_SubgroupSize"),
          bySubgroups("if (me % gl_SubgroupSize == 0) part[me / gl_SubgroupSize] = sum;", "gl_NumSubgroups")}) {
        const Finished run = judged(wrong);
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.err,
                             "note: subgroup-size: where gl_SubgroupSize is 32 and no subgroup has more than "
                             "8 invocations, as Mesa's driver for Intel may have it"))
            << run;
    }
    const Finished right = judged(bySubgroups(elected, "gl_NumSubgroups"));
    EXPECT_EQ(right.status, 0) << right;
    EXPECT_FALSE(contains(right.err, "subgroup-size")) << right;
    // Reading it is allowed.
    const Finished reads = judged(
        bySubgroups("if (subgroupElect() && gl_SubgroupSize > 0) part[gl_SubgroupID] = sum;", "gl_NumSubgroups"));
    EXPECT_EQ(reads.status, 0) << reads;
    EXPECT_FALSE(contains(reads.err, "subgroup-size")) << reads;
}

TEST(Restrict, PromisesThatThereIsNoOtherName)
{
    const auto kernel = [](const char* qualifier, const char* store) {
        return "layout(set = 0, binding = BINDING_OUT) " + std::string(qualifier) +
               " buffer Sums { uint sums[]; };\nlayout(set = 0, binding = BINDING_OUT) " + qualifier +
               " buffer Again { uint again[]; };\n"
               "void main()\n{\n    const uint me = gl_LocalInvocationID.x;\n    part[me] = mySum();\n    barrier();\n"
               "    if (me != 0 || workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS >= push.count) return;\n    uint "
               "sum = 0;\n"
               "    for (uint i = 0; i < gl_WorkGroupSize.x; ++i) sum += part[i];\n    " +
               store + "\n}\n";
    };
    const char* const both = "sums[workGroupNumber()] = sum / 2; again[workGroupNumber()] += sum - sum / 2;";
    const Finished wrong = judged(kernel("restrict", both));
    EXPECT_EQ(wrong.status, 1) << wrong;
    EXPECT_TRUE(contains(wrong.out, "global-race: ")) << wrong;
    EXPECT_TRUE(contains(wrong.out, "that is one word, and the first is `restrict`, which promises that nothing else"))
        << wrong;
    EXPECT_TRUE(contains(wrong.out, "; take `restrict` away, or use that memory by one name alone")) << wrong;
    for (const auto& [qualifier, store] :
         {std::pair("", both), std::pair("restrict", "sums[workGroupNumber()] = sum;"),
          std::pair("coherent",
                    "sums[workGroupNumber()] = sum; again[workGroupNumber()] = again[workGroupNumber()];")}) {
        const Finished right = judged(kernel(qualifier, store));
        EXPECT_EQ(right.status, 0) << right;
    }
}

// Mesa's CPU driver ends every loop after 65,535 turns. In a row whose work-groups wait for others, such an end looks
// like a wait that takes long, as on a busy machine: so the array is walked on the host, however long it is.
TEST(CpuDriver, IsNotBelievedWhereWorkGroupsWaitInALongArray)
{
    const std::string lookback = "A2Task2DecoupledLookback.comp", last = "    uint last = tile - 1;\n";
    BrokenShaders shaders(lookback, "for (uint looks = 0; looks < PATIENCE; ++looks) {", "for (;;) {");
    shaders.change(lookback, "if (usable > 0) looks = 0;", "");
    shaders.change(lookback, last,
                   last +
                       "    if (push.count > 100000 && tile == 5 && gl_LocalInvocationID.x == 0) {\n"
                       "        uint turns = 0;\n"
                       "        while (turns < 70000) ++turns;\n"
                       "        all += 70000 - turns;\n"
                       "    }\n");
    const Finished run = runA2({"run", "scan/lookback", "-n", "2^20", "--shader-dir", shaders.path()});
    const bool skipped = contains(run.out, "SKIPPED: walked on the host it is right; this CPU driver");
    EXPECT_TRUE(skipped || contains(run.out, "TEST PASSED")) << run;
    EXPECT_FALSE(contains(run.out, "TEST FAILED")) << run;
}

}  // namespace contract
