// Inputs for which a2 has a reason in the kernel itself: sums of tiles that are 0, and numbers that it compares with.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

// On a device, a loop that waits for ever ends at last, or does not; here the walk finds it before anything is run.
TEST(WalkedInputs, FindAWaitForASumThatIsNotZero)
{
    BrokenShaders shaders("A2Task2DecoupledLookback.comp", "low >> 24 == run ? low",
                          "low >> 24 == run && value != 0 ? low");
    shaders.change("A2Task2DecoupledLookback.comp", "looks < PATIENCE; ++looks", "true; ++looks");
    const Finished run = runA2({"run", "scan/lookback", "-n", "5000", "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "-p onehot:252")) << run;
    EXPECT_TRUE(contains(run.out, "endless-loop")) << run;
}

TEST(WalkedInputs, HaveTheNumbersThatAKernelComparesWith)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum;",
                                "sums[workGroupNumber()] = sum == 0xDEADBEEFu ? 0 : sum;");
    const Finished run =
        runA2({"run", "reduce/decomposition", "-n", "5000", "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "-p onehot:0=3735928559")) << run;
    // As it is to be repeated.
    const Finished again = runA2({"run", "reduce/decomposition", "-n", "100", "-p", "onehot:0=3735928559",
                                  "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_EQ(again.status, 1) << again;
}

// Groups of 5 to 8 invocations are one subgroup on this driver, and two where subgroups have 4.
TEST(WalkedInputs, GoThroughSmallWorkGroupsOfSmallSubgroups)
{
    const std::string file = "A2Task1KernelDecomposition.comp", tree = "    for (uint stride = NEXT_POWER_OF_TWO";
    BrokenShaders shaders(file, tree, "    if (gl_WorkGroupSize.x <= 8) sum = subgroupAdd(sum);\n    else" + tree);
    shaders.change(file, "#extension GL_EXT_control_flow_attributes : require",
                   "#extension GL_EXT_control_flow_attributes : require\n"
                   "#extension GL_KHR_shader_subgroup_arithmetic : require");
    const Finished run =
        runA2({"run", "reduce/decomposition", "-n", "5000", "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "subgroup-size")) << run;
}

}  // namespace contract
