// a2 steps: every dispatch of one small run, the first wrong one named, buffers as files.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace contract {

namespace {

// The elements of an .npy file written by a2.
std::vector<std::uint32_t> elementsOf(const std::string& path)
{
    const std::string bytes = textOf(path);
    EXPECT_TRUE(bytes.starts_with(std::string("\x93NUMPY\x01\0", 8))) << path;
    const std::size_t header =
        10 + static_cast<unsigned char>(bytes.at(8)) + 256U * static_cast<unsigned char>(bytes.at(9));
    EXPECT_EQ(header % 64, 0U) << path;
    EXPECT_TRUE(contains(bytes.substr(0, header), "'descr': '<u4', 'fortran_order': False, 'shape': (")) << path;
    std::vector<std::uint32_t> elements;
    for (std::size_t at = header; at + 4 <= bytes.size(); at += 4) {
        std::uint32_t element = 0;
        for (std::size_t i = 4; i-- > 0;) element = element << 8 | static_cast<unsigned char>(bytes[at + i]);
        elements.push_back(element);
    }
    return elements;
}

}  // namespace

class StepsOf : public testing::TestWithParam<std::string> {};

TEST_P(StepsOf, ACorrectRowAreAllRight)
{
    const Folder folder;
    std::vector<std::string> command = {"steps", GetParam(), "--phases", "--json", folder / "s.json"};
    if (GetParam() == "sort/radix") command.insert(command.end(), {"-n", "9", "-w", "4", "--elements", "2"});  // long
    const Finished steps = runA2(command);
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_EQ(linesOf(steps.out).back(), "TEST PASSED") << steps;
    for (const std::string& line : linesOf(steps.out)) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_TRUE(contains(steps.out, "\n0  ")) << "no first dispatch\n" << steps;
    EXPECT_FALSE(contains(steps.out, "wrong")) << steps;
    // In a histogram or a sort, and where a work-group takes several tiles, only the kernel knows what shared memory
    // contains after a barrier().
    if (!GetParam().starts_with("histogram/") && !GetParam().starts_with("sort/") && GetParam() != "scan/persistent") {
        EXPECT_FALSE(contains(steps.out, "unchecked")) << steps;
    }

    const std::string json = textOf(folder / "s.json");
    EXPECT_TRUE(contains(json, R"("verdict": "ok")")) << json;
    EXPECT_FALSE(contains(json, R"("verdict": "wrong")")) << json;
    // Damaging each part of a radix sort's report takes as long as doing so for all other rows.
    const std::string how = GetParam() == "sort/radix" ? "validate" : "strict";
    const Finished held = inspect({how, A2_SCHEMA, folder / "s.json"});
    EXPECT_EQ(held.status, 0) << held << json;
}

INSTANTIATE_TEST_SUITE_P(Steps, StepsOf, testing::ValuesIn(allRows()),
                         [](const testing::TestParamInfo<std::string>& row) { return testName(row.param); });

TEST(Steps, ShowCallsBarriersAndBuffers)
{
    const Finished steps = runA2({"steps", "reduce/sequential", "-n", "16"});
    for (const char* part : {"[Task1] steps of Sequential\nn = 16, mod97, work-group 4, 2 elements per invocation\n",
                             "0  Sequential, 16 to 8 ", "A2Task1Sequential: 2 work-groups of 4; live 16, width 8\n",
                             "binding 0: Data = 'input', read, written\n",
                             "barrier: ComputeShader/ShaderWrite -> ComputeShader/ShaderRead+ShaderWrite\n",
                             "input: 8 of 16 elements changed\n", "0:  *8 *10 *12 *14 *16 *18 *20 *22   8   9  10",
                             "ok: 8 partial sums at the front\n", "4 dispatches, "})
        EXPECT_TRUE(contains(steps.out, part)) << "no word of " << part << "\n" << steps;
}

TEST(Steps, ShowPhases)
{
    const Finished steps = runA2({"steps", "scan/local", "-n", "16", "-w", "4", "--phases", "--group", "1"});
    EXPECT_EQ(steps.status, 0) << steps;
    for (const char* part : {"  shared memory of work-group 1, walked on the host:\n",
                             "  phase 0: 4 invocations active; 8 elements loaded                     ok\n",
                             "barrier();  // the next level reads this level's sums\n",
                             "  tree: 4 of 8 numbers changed\n", "    0:   8 *17  10 *21  12 *25  14 *29\n",
                             "  phase 1: 4 invocations active; up-sweep: 4 sums of 2                 ok\n",
                             "  ok: 0 at the root; down-sweep: 2 prefix sums, 4 apart\n", "; nothing changes"})
        EXPECT_TRUE(contains(steps.out, part)) << "no word of " << part << "\n" << steps;
    EXPECT_TRUE(contains(runA2({"steps", "scan/naive", "-n", "4", "--phases"}).out, "its kernel has no shared memory"));
    EXPECT_TRUE(contains(runA2({"steps", "scan/local", "-n", "4", "--phases", "--group", "9"}).out,
                         "no phases: it has no work-group 9"));
    expectError(runA2({"steps", "scan/local", "--group", "1"}), 2, "--phases");
    expectError(runA2({"steps", "scan/local", "--phases", "--group", "first"}), 2, "--group");
}

TEST(Steps, NameTheFirstWrongPhase)
{
    const BrokenShaders shaders("A2Task2KernelDecomposition.comp", "tree[root] = 0;", "");
    const Folder folder;
    const Finished steps = runA2(
        {"steps", "scan/local", "-n", "16", "--phases", "--shader-dir", shaders.path(), "--json", folder / "s.json"});
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, "  wrong: should leave 0 at the root; down-sweep: 2 prefix sums, 4 apart, but"))
        << steps;
    EXPECT_TRUE(contains(steps.out, "first wrong in it: phase 4")) << steps;
    EXPECT_EQ(inspect({"strict", A2_SCHEMA, folder / "s.json"}).status, 0) << textOf(folder / "s.json");
    EXPECT_TRUE(contains(textOf(folder / "s.json"), R"("phase": "phase 4 of work-group 0")"))
        << textOf(folder / "s.json");
    // a2 run says the same, in one line.
    const Finished run =
        runA2({"scan/local", "-n", "16", "-w", "4", "--elements", "2", "--shader-dir", shaders.path()});
    EXPECT_TRUE(contains(run.out, "first wrong in it: phase ")) << run;
}

// Buffers too long for a report are null there.
TEST(Steps, ReportWholeBuffersUpToASize)
{
    const Folder folder;
    EXPECT_EQ(
        runA2({"steps", "reduce/atomic", "-n", "4097", "-w", "64", "-p", "ones", "--json", folder / "s.json"}).status,
        0);
    const std::string json = textOf(folder / "s.json");
    EXPECT_TRUE(contains(json, R"("values": null)")) << json;
    EXPECT_TRUE(contains(json, R"(4097)")) << json;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "s.json"}).status, 0);
}

TEST(Steps, NameTheFirstWrongDispatch)
{
    // Only the last step, which adds two sums, is wrong.
    const BrokenShaders shaders("A2Task1Sequential.comp", "data[first] = sum;",
                                "data[first] = push.live == 2 ? sum + 1 : sum;");
    const Folder folder;
    const Finished steps =
        runA2({"steps", "reduce/sequential", "-n", "16", "--shader-dir", shaders.path(), "--json", folder / "s.json"});
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, "expected sum 120, got 121")) << steps;
    EXPECT_TRUE(contains(steps.out, "first wrong: dispatch 3 'Sequential, 2 to 1': element 0 of")) << steps;
    EXPECT_EQ(linesOf(steps.out).back(), "TEST FAILED") << steps;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "s.json"}).status, 0);
    EXPECT_TRUE(contains(textOf(folder / "s.json"), R"("expected": 120)")) << textOf(folder / "s.json");
    // a2 run says the same, in one line.
    const Finished run =
        runA2({"reduce/sequential", "-n", "16", "-w", "4", "--elements", "2", "--shader-dir", shaders.path()});
    EXPECT_TRUE(contains(run.out, "first wrong: dispatch ")) << run;
}

TEST(Steps, LookAtRandomValuesWhereTheEasyOnesHideAFault)
{
    // Element 0 of the usual input is 0, so its loss would not show there.
    const BrokenShaders shaders("A2Task2KernelDecomposition.comp", "first + k < push.count ? source",
                                "first + k < push.count && first + k > 0 ? source");
    const Finished steps = runA2({"steps", "scan/local", "-n", "4", "--shader-dir", shaders.path()});
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, "n = 4, random,")) << steps;
    const Finished asked = runA2({"steps", "scan/local", "-n", "4", "-p", "mod97", "--shader-dir", shaders.path()});
    EXPECT_EQ(asked.status, 0) << asked;
}

TEST(Steps, OfALongRunShowWhereItChanged)
{
    const Finished steps = runA2({"steps", "reduce/atomic", "-n", "2^18", "-w", "256", "--elements", "16"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(steps.out, "partial sums: 64 of 64 elements changed")) << steps;
    EXPECT_LT(linesOf(steps.out).size(), 60U) << steps;
}

TEST(Steps, DumpEveryBufferAsNpy)
{
    const Folder folder;
    const Finished steps = runA2({"steps", "scan/offset", "-n", "10", "--dump", folder / "dump"});
    EXPECT_EQ(steps.status, 0) << steps;
    using Elements = std::vector<std::uint32_t>;
    EXPECT_EQ(elementsOf(folder / "dump/input.npy"), (Elements{0, 1, 3, 6, 10, 15, 21, 28, 8, 17}));
    EXPECT_EQ(elementsOf(folder / "dump/block-offsets.npy"), (Elements{0, 28}));
    EXPECT_EQ(elementsOf(folder / "dump/00-input.npy"), (Elements{0, 1, 3, 6, 10, 15, 21, 28, 36, 45}));
    EXPECT_EQ(elementsOf(folder / "dump/00-input.expected.npy"), elementsOf(folder / "dump/00-input.npy"));

    const Finished again = runA2({"steps", "scan/offset", "-n", "10", "--dump", folder / "dump"});
    expectError(again, 2, "not an empty folder");
}

TEST(Steps, OfAnEmptyArrayAreNone)
{
    const Finished steps = runA2({"steps", "scan/naive", "-n", "0"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(steps.out, "n = 0: nothing to do")) << steps;
}

TEST(Steps, TakeOneTask)
{
    expectError(runA2({"steps"}), 2, "takes one task");
    expectError(runA2({"steps", "scan/*"}), 2, "takes one task");
    expectError(runA2({"capture", "reduce/atomic", "scan/naive"}), 2, "takes one task");
}

TEST(Steps, EndWithATimeOutToo)
{
    const Finished steps = runA2({"steps", "reduce/atomic", "-n", "2^24", "--timeout", "0.001"});
    EXPECT_EQ(steps.status, 4) << steps;
    EXPECT_TRUE(contains(steps.out, "did not finish within")) << steps;
}

}  // namespace contract
