// a2 capture and tools/inspect_capture.py: a capture holds what a2 steps shows.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// RenderDoc is optional: where tools/test could not install it, there is nothing to test.
bool hasRenderDoc()
{
    const std::string doctor = runA2({"doctor"}).out;
    return contains(doctor, "RenderDoc is installed") && !contains(doctor, "without renderdoc_app.h") &&
           inspectCapture({"--help"}).status == 0;
}

}  // namespace

class CaptureOf : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override
    {
        if (!hasRenderDoc()) GTEST_SKIP() << "RenderDoc is not installed";
    }
};

TEST_P(CaptureOf, ARowHoldsWhatStepsShows)
{
    const Folder folder;
    const std::string file = folder / "c.rdc";
    const Finished capture = runA2({"capture", GetParam(), "-o", file});
    EXPECT_EQ(capture.status, 0) << capture;
    EXPECT_EQ(linesOf(capture.out).back(), "TEST PASSED") << capture;
    EXPECT_TRUE(contains(capture.out, "file: " + file)) << capture;
    EXPECT_EQ(folder.names(), Words{"c.rdc"});

    const Finished steps = runA2({"steps", GetParam(), "--dump", folder / "dump", "--json", folder / "s.json"});
    EXPECT_EQ(steps.status, 0) << steps;
    const Finished inspected = inspectCapture({file, "--steps", folder / "dump"});
    EXPECT_EQ(inspected.status, 0) << inspected;
    EXPECT_TRUE(contains(inspected.out, "same as a2 steps")) << inspected;
    // Same dispatches, labels and names: every line of these kinds that one shows, the other does.
    const Finished same = inspect({"same-dispatches", folder / "s.json", file});
    EXPECT_EQ(same.status, 0) << same << inspected;
}

INSTANTIATE_TEST_SUITE_P(Capture, CaptureOf, testing::ValuesIn(allRows()),
                         [](const testing::TestParamInfo<std::string>& row) { return testName(row.param); });

TEST(Capture, OfAWrongRunIsWrittenAndShowsTheFirstWrongElement)
{
    if (!hasRenderDoc()) GTEST_SKIP() << "RenderDoc is not installed";
    const BrokenShaders shaders("A2Task1Sequential.comp", "data[first] = sum;",
                                "data[first] = push.live == 2 ? sum + 1 : sum;");
    const Folder folder;
    const std::string file = folder / "c.rdc";
    const Finished capture =
        runA2({"capture", "reduce/sequential", "-n", "16", "--shader-dir", shaders.path(), "-o", file});
    EXPECT_EQ(capture.status, 1) << capture;
    EXPECT_EQ(linesOf(capture.out).back(), "TEST FAILED") << capture;
    runA2({"steps", "reduce/sequential", "-n", "16", "--shader-dir", shaders.path(), "--dump", folder / "dump"});
    const Finished inspected = inspectCapture({file, "--steps", folder / "dump"});
    EXPECT_EQ(inspected.status, 1) << inspected;
    EXPECT_TRUE(contains(inspected.out, "120")) << inspected;
    EXPECT_TRUE(contains(inspected.out, "121")) << inspected;
}

TEST(Capture, WithoutRenderDocSaysWhatToInstallAndWhatDoesTheSame)
{
    const Folder folder;
    const Finished capture =
        runA2({"capture", "reduce/atomic", "-o", folder / "c.rdc"}, withoutLibrary("librenderdoc", folder));
    expectError(capture, 3, "a2 steps");
    EXPECT_TRUE(contains(capture.err, "install librenderdoc")) << capture;
    EXPECT_EQ(capture.out, "");
    EXPECT_EQ(folder.names(), Words{"hide-library.so"});
}

TEST(Capture, LeavesNothingWhereItCannotWrite)
{
    if (!hasRenderDoc()) GTEST_SKIP() << "RenderDoc is not installed";
    const Folder folder;
    expectError(runA2({"capture", "reduce/atomic", "-o", folder / "none/c.rdc"}), 2, "none/c.rdc");
    expectError(runA2({"capture", "reduce/atomic", "-n", "0"}), 2, "--size 0");
    EXPECT_EQ(folder.names(), Words{});
}

TEST(Capture, ThatIsNoneIsRefusedByTheInspector)
{
    if (!hasRenderDoc()) GTEST_SKIP() << "RenderDoc is not installed";
    const Folder folder;
    for (const std::string& file : {folder / "missing.rdc", folder.file("garbage.rdc", "RDOC and no more")}) {
        const Finished inspected = inspectCapture({file});
        EXPECT_EQ(inspected.status, 3) << inspected;
        EXPECT_EQ(linesOf(inspected.err).size(), 1U) << inspected;
    }
}

}  // namespace contract
