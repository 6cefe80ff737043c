// a2 capture and tools/inspect_capture.py: a capture contains what a2 steps shows.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <filesystem>

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
    // Same dispatches, labels and names: each line of these kinds is in both outputs.
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

// RenderDoc sometimes crashes on a good capture, and always on some damaged ones.
TEST(Capture, IsReplayedAgainWhereRenderDocCrashes)
{
    const Folder folder;
    const std::string file = folder.file("c.rdc", "RDOC");
    folder.file("renderdoc.py",
                "import os, signal\n"
                "with open(os.environ['A2_TEST_CRASHES'], 'r+') as file:\n"
                "    left = int(file.read()) - 1\n"
                "    file.seek(0)\n"
                "    file.write(str(left))\n"
                "if left >= 0:\n"
                "    os.kill(os.getpid(), signal.SIGSEGV)\n"
                "raise ImportError('as it was to be')\n");
    const auto crashing = [&](const std::string& times) {
        const std::string left = folder.file("left", times);
        return inspectCapture({file}, {{"PYTHONPATH", folder.path()}, {"A2_TEST_CRASHES", left}});
    };
    const Finished twice = crashing("2");
    EXPECT_EQ(twice.status, 3) << twice;
    EXPECT_TRUE(contains(twice.err, "as it was to be")) << twice;
    const Finished often = crashing("3");
    EXPECT_EQ(often.status, 3) << often;
    EXPECT_TRUE(contains(often.err, "RenderDoc crashed 3 times (signal 11) on " + file)) << often;
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

TEST(Capture, OpensNoPortAndDoctorDoesNotLoadRenderDoc)
{
    if (!hasRenderDoc()) GTEST_SKIP() << "RenderDoc is not installed";
    const Folder folder;
    std::filesystem::copy_file(A2_NOTE_LISTENERS, folder / "note.so");
    Environment noting = {{"LD_PRELOAD", folder / "note.so"}, {"A2_TEST_LISTENERS", folder / "listeners"}};
    // First checks the notes: they must show a socket that listens.
    const Words listening = {"-c", "import socket; socket.create_server(('127.0.0.1', 0))"};
    EXPECT_EQ(runProgram(A2_PYTHON, listening, noting).status, 0);
    EXPECT_TRUE(textOf(folder / "listeners").starts_with("127.0.0.1 "));
    noting[1].second = folder / "of-a2";
    const Finished capture = runA2({"capture", "reduce/atomic", "-o", folder / "c.rdc"}, noting);
    EXPECT_EQ(capture.status, 0) << capture;
    EXPECT_EQ(textOf(folder / "of-a2"), "");
    EXPECT_EQ(runA2({"doctor"}, noting).status, 0);
    EXPECT_EQ(textOf(folder / "of-a2"), "");
}

// Libraries are looked up in LD_LIBRARY_PATH first, and a file that is no library is skipped.
TEST(Capture, DoctorFindsRenderDocWithoutLoadingIt)
{
    const bool found = contains(runA2({"doctor"}).out, "RenderDoc is installed");
    const Folder folder;
    folder.file("librenderdoc.so", "no library");
    const Finished none = runA2({"doctor"}, {{"LD_LIBRARY_PATH", folder.path()}});
    EXPECT_EQ(contains(none.out, "RenderDoc is installed"), found) << none;
    // Any library of this machine's kind will do.
    const Folder other;
    std::filesystem::copy_file(A2_HIDE_LIBRARY, other / "librenderdoc.so");
    const Finished one = runA2({"doctor"}, {{"LD_LIBRARY_PATH", other.path()}});
    EXPECT_TRUE(contains(one.out, "RenderDoc is installed")) << one;
}

TEST(Capture, ReplacesNeitherItsInputNorWhatIsNoFile)
{
    const Folder folder;
    const std::string numbers = folder.file("numbers", "1 2 3 4");
    const Words capture = {"capture", "reduce/atomic", "-p", "file:" + numbers, "-o"};
    const auto to = [&](const std::string& target) {
        Words words = capture;
        words.push_back(target);
        return runA2(words);
    };
    expectError(to(numbers), 2, "which is read");
    expectError(to("/dev/null"), 2, "a device or a pipe");
    EXPECT_EQ(textOf(numbers), "1 2 3 4");
    EXPECT_EQ(folder.names(), Words{"numbers"});
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
