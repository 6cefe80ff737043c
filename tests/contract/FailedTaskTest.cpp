// Exit status 1: a kernel is wrong. Each test breaks one kernel in a copy of shaders/ and reads what the student would.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace contract {

namespace {

const Fault faults[] = {
    {"LoopStopsOneStepEarly", "A2Task1KernelDecomposition.comp", "stride > 0;", "stride > 1;", "reduce/decomposition",
     "never added: 1 ("},
    {"LastUnrolledStepIsMissing", "A2Task1KernelDecompositionUnroll.comp", "    STEP(1)\n", "\n", "reduce/unroll",
     "never added: 1 ("},
    {"TailIsDropped", "include/A2LoadTile.glsl", "index < min(", "index + 1 < min(", "reduce/atomic",
     "never added: 0 ("},
    {"AdditionsAreNotAtomic", "A2Task1KernelDecompositionAtomic.comp", "atomicAdd(groupSum, sumOfMyElements())",
     "groupSum = sumOfMyElements()", "reduce/atomic", "expected sum"},
    {"PartnerIsAddedTwice", "A2Task1Interleaved.comp", "sum += data[first + k * push.stride]",
     "sum += 2 * data[first + k * push.stride]", "reduce/interleaved", "added more than once: 1 ("},
    {"LastChunkIsForgotten", "A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1", "reduce/sequential",
     "never added: "},
    {"SourceIndexIsOffByOne", "A2Task2Naive.comp", "sum += source[index - distance]",
     "sum += source[index - distance + 1]", "scan/naive", "at index 1: expected "},
    {"StepReadsPastItsSource", "A2Task2Naive.comp", "if (index >= distance) sum", "if (index > distance) sum",
     "scan/naive", "never added: 0 ("},
    {"LastElementIsNotWritten", "A2Task2KernelDecomposition.comp", "if (first + k < push.count) target",
     "if (first + k + 1 < push.count) target", "scan/local", "was never written"},
    {"TotalsAreLost", "A2Task2KernelDecomposition.comp", "blockSums[workGroupNumber()] = tree[root]",
     "blockSums[workGroupNumber()] = 0", "scan/work-efficient", "that is block 1 "},
    {"WritesBehindTheEnd", "A2Task2KernelDecompositionOffset.comp", "data[index] += offset",
     "data[index + 2] += offset", "scan/offset", "out-of-bounds: element "},
};

// Small tiles (64 invocations, 2 elements each) show the faults of long inputs at short lengths, which is quicker.
class AFault : public testing::TestWithParam<Fault> {};

}  // namespace

TEST_P(AFault, FailsTheTaskAndIsExplained)
{
    const Fault& fault = GetParam();
    const BrokenShaders shaders(fault.file, fault.right, fault.wrong);
    const Finished run =
        runA2({fault.task, "-n", "4096", "-w", "64", "--elements", "2", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    const Words lines = linesOf(run.out);
    ASSERT_GE(lines.size(), 4U) << run;
    EXPECT_EQ(lines.back(), "TEST FAILED") << run;
    EXPECT_FALSE(contains(run.out, "TEST PASSED")) << run;
    EXPECT_FALSE(contains(run.out, "Execution time")) << "a wrong result has no time\n" << run;
    for (const std::string& part : {std::string("expected "), std::string("got "),
                                    std::string("smallest failing size: "), std::string(fault.told)})
        EXPECT_TRUE(contains(run.out, part)) << "no word of '" << part << "'\n" << run;
    EXPECT_FALSE(contains(run.err, "error")) << run;

    // The printed command must show the fault again.
    const Finished second = pasted(printedCommand(run.out));
    EXPECT_EQ(second.status, 1) << run << second;
    EXPECT_EQ(linesOf(second.out).back(), "TEST FAILED") << second;
}

INSTANTIATE_TEST_SUITE_P(FailedTask, AFault, testing::ValuesIn(faults),
                         [](const testing::TestParamInfo<Fault>& fault) { return std::string(fault.param.name); });

TEST(FailedTask, LeavesTheOthersToPass)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    const Finished run = runA2(
        {"reduce/interleaved", "reduce/sequential", "reduce/atomic", "-n", "4096", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    const Words lines = linesOf(run.out);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), 2) << run;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST FAILED"), 1) << run;
}

TEST(FailedTask, CheckFindsItToo)
{
    const BrokenShaders shaders("A2Task2Naive.comp", "sum += source[index - distance]",
                                "sum += source[index - distance + 1]");
    const Finished check = runA2({"check", "scan/naive", "-n", "100", "-w", "64", "--shader-dir", shaders.path()});
    EXPECT_EQ(check.status, 1) << check;
    EXPECT_EQ(linesOf(check.out).back(), "TEST FAILED") << check;
}

// A fault that only some values show: the printed command must use those values.
TEST(FailedTask, ThatDependsOnTheInputCanBeSeenAgain)
{
    const BrokenShaders shaders("A2Task1KernelDecompositionAtomic.comp", "sums[workGroupNumber()] = groupSum",
                                "sums[workGroupNumber()] = groupSum == 15 ? 16 : groupSum");
    const Folder folder;
    const std::string file = folder.file("numbers.txt", "1 2 3 4 5");
    const Finished run = runA2({"reduce/atomic", "-p", "file:" + file, "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "expected sum 15, got 16")) << run;
    EXPECT_EQ(pasted(printedCommand(run.out)).status, 1) << run;
}

TEST(FailedTask, InAFolderWithASpaceIsShownWithQuotes)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    const Folder folder;
    const std::string path = folder / "my shaders";
    std::filesystem::create_directory_symlink(shaders.path(), path);
    const Finished run = runA2({"reduce/sequential", "-n", "4096", "--shader-dir", path});
    EXPECT_TRUE(contains(run.out, "--shader-dir '" + path + "'")) << run;
    EXPECT_EQ(pasted(printedCommand(run.out)).status, 1) << run;
}

// Also when started from another folder, by another path, and with special characters in its name.
TEST(FailedTask, PrintsTheProgramAsItCanBeCalledFromHere)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    const Folder folder;
    std::filesystem::create_directories(folder / "it's here/below");
    std::filesystem::create_symlink(A2_PROGRAM, folder / "it's here/a two");
    const std::string there = folder.path() + "/it's here", below = "cd \"" + there + "/below\" && ";
    const std::string options = " reduce/sequential -n 64 -d cpu --shader-dir " + shaders.path();
    for (const std::string& program : {std::string("'../a two'"), '"' + there + "/a two\""}) {
        const Finished run = runProgram("sh", {"-c", below + program + options});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_TRUE(contains(run.out, "\n'../a two' steps reduce/sequential -n ")) << run;
        EXPECT_TRUE(contains(run.out, " -d cpu\n")) << run;
        const Finished again = runProgram("sh", {"-c", below + printedCommand(run.out)});
        EXPECT_EQ(again.status, 1) << run << again;
    }
}

TEST(FailedTask, AKernelThatDoesNotCompileNamesFileAndLine)
{
    const std::string file = "A2Task1Interleaved.comp";
    const BrokenShaders shaders(file, "uint sum = data", "uint sum = dada");
    for (const char* command : {"run", "check"}) {
        const Finished run = runA2(
            {command, "reduce/interleaved", "-n", "64", "-p", "ones", "-w", "64", "--shader-dir", shaders.path()});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_TRUE(contains(run.out, file + ":" + std::to_string(shaders.line()) + " does not compile: ")) << run;
        EXPECT_TRUE(contains(run.out, "'dada'")) << run;
        EXPECT_EQ(linesOf(run.out).back(), "TEST FAILED") << run;
    }
}

TEST(FailedTask, AnIncludedFileThatDoesNotCompileIsNamedWithItsLine)
{
    const BrokenShaders shaders("include/A2LoadTile.glsl", "Element sum = 0;", "Element sum = zero;");
    const Finished run = runA2({"reduce/atomic", "-n", "64", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "A2LoadTile.glsl:" + std::to_string(shaders.line()))) << run;
}

TEST(FailedTask, AnUnbrokenCopyOfTheShadersPasses)
{
    // All changed kernels are compiled; unchanged ones are not.
    const BrokenShaders shaders("include/A2Kernels.h", "#ifndef", "// mine\n#ifndef");
    const Finished run = runA2({"-n", "5000", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 0) << run;
}

}  // namespace contract
