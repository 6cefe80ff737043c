// What walks on the host show by inputs and devices that a2 chooses for a kernel: sums of tiles that are 0, numbers
// that it compares with, subgroups of other sizes, memory as an earlier run has left it.

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

TEST(WalkedInputs, ShowTheSubgroupsForWhichAKernelWasWritten)
{
    const BrokenShaders shaders("A2Task2DecoupledLookback.comp", "i += width)", "i += 32)");
    const Finished run = runA2({"run", "scan/lookback", "-n", "5000", "-w", "1024", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "walked on the host with subgroups of 32 instead of ")) << run;
    EXPECT_TRUE(contains(run.out, ", the same run is right: look for what counts on 32 invocations")) << run;
}

TEST(WalkedInputs, NameTheBufferInWhichAnEarlierRunHasLeftSomething)
{
    const BrokenShaders shaders("A2Task2DecoupledLookback.comp", "&& low >> 24 == run ?", "?");
    const Finished run = runA2({"run", "scan/lookback", "-n", "5000", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "stale-state")) << run;
    EXPECT_TRUE(contains(run.out, "what the run before has left in 'tile states' is taken for what this run writes"))
        << run;
}

}  // namespace contract
