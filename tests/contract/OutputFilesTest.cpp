// Report files appear whole or not at all, and a target that cannot be written is told before any work is done.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace contract {

namespace {

const Words shortRun = {"reduce/atomic", "-n", "64", "--quiet"};

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

TEST(OutputFiles, AreTheOnlyThingLeftBehind)
{
    const Folder folder;
    const Finished run =
        runA2(with(shortRun, {"--json", folder / "r.json", "--csv", folder / "r.csv", "--junit", folder / "r.xml"}));
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(folder.names(), (Words{"r.csv", "r.json", "r.xml"}));
    EXPECT_EQ(linesOf(run.out).size(), 3U) << run;
}

TEST(OutputFiles, ReplaceAnOlderFileWhole)
{
    const Folder folder;
    const std::string csv = folder.file("r.csv", std::string(100000, 'x'));
    EXPECT_EQ(runA2(with(shortRun, {"--csv", csv})).status, 0);
    EXPECT_FALSE(contains(textOf(csv), "x,x")) << textOf(csv);
    EXPECT_EQ(linesOf(textOf(csv)).size(), 2U);
}

TEST(OutputFiles, AreWrittenThroughASymbolicLink)
{
    const Folder folder;
    folder.file("real.csv", "before");
    std::filesystem::create_symlink("real.csv", folder / "link.csv");
    EXPECT_EQ(runA2(with(shortRun, {"--csv", folder / "link.csv"})).status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.csv"));
    EXPECT_EQ(linesOf(textOf(folder / "real.csv")).size(), 2U);
}

TEST(OutputFiles, InAMissingFolderAreRefusedBeforeAnythingRuns)
{
    const Folder folder;
    for (const char* option : {"--json", "--csv", "--junit"}) {
        const Finished run = runA2(with(shortRun, {option, folder / "missing/report"}));
        expectError(run, 2, "missing/report cannot be written");
        EXPECT_EQ(run.out, "");
        EXPECT_EQ(folder.names(), Words{});
    }
}

TEST(OutputFiles, AFolderIsNoTarget)
{
    const Folder folder;
    const Finished run = runA2(with(shortRun, {"--csv", folder / "r.csv", "--json", folder.path()}));
    expectError(run, 2, "it is a folder");
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(folder.names(), Words{});
}

TEST(OutputFiles, OneBadTargetLeavesTheOthersAsTheyWere)
{
    const Folder folder;
    const std::string json = folder.file("r.json", "before");
    expectError(runA2(with(shortRun, {"--json", json, "--junit", folder / "missing/r.xml"})), 2, "cannot be written");
    EXPECT_EQ(folder.names(), Words{"r.json"});
    EXPECT_EQ(textOf(json), "before");
}

TEST(OutputFiles, AFullDiskIsAnErrorAfterTheResultsWereShown)
{
    const Finished run = runA2(with(shortRun, {"--json", "/dev/full"}));
    expectError(run, 2, "/dev/full cannot be written");
    EXPECT_EQ(linesOf(run.out).size(), 3U) << run;
}

TEST(OutputFiles, StdoutOnAFullDiskIsAnError)
{
    for (const Words& words :
         {shortRun, Words{"list"}, Words{"doctor"}, Words{"--help"}, Words{"check", "reduce/atomic", "-n", "8"}})
        expectError(runProgram(A2_PROGRAM, words, {}, "/dev/full"), 2, "standard output could not be written");
}

TEST(OutputFiles, DevStdoutIsStdoutWhereThatIsAPipe)
{
    const Finished run = runProgram("/bin/sh", {"-c", "\"$@\" | cat", "sh", A2_PROGRAM, "reduce/atomic", "-n", "64",
                                                "--quiet", "--csv", "/dev/stdout"});
    EXPECT_EQ(run.err, "") << run;
    EXPECT_EQ(linesOf(run.out).size(), 5U) << "three lines of the task, two of the CSV\n" << run;
}

TEST(OutputFiles, DevStdoutIsStdoutWhereThatIsAFile)
{
    const Finished run = runA2(with(shortRun, {"--csv", "/dev/stdout"}));
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(linesOf(run.out).size(), 5U) << "three lines of the task, two of the CSV\n" << run;
}

}  // namespace contract
