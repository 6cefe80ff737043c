// a2 prescan: its four modes, its output, and what it refuses without leaving anything behind.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace contract {

namespace {

const Environment noDriver = {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}};

Finished prescan(const Words& more, const Environment& environment = {})
{
    Words words = {"prescan"};
    words.insert(words.end(), more.begin(), more.end());
    return runA2(words, environment);
}

// The numbers in a result file; its first line states its accuracy.
std::string numbersOf(const std::string& path)
{
    const std::string text = textOf(path);
    EXPECT_TRUE(text.starts_with("# accuracy: ")) << text.substr(0, 100);
    return text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
}

class PrescanFiles : public testing::Test {
protected:
    // Reads `numbers` as a file with the length given in the size file; expects an error, and nothing left behind.
    void expectRefused(const std::string& size, const std::string& numbers, const std::string& part,
                       const Words& more = {})
    {
        const Folder folder;
        Words words = {folder.file("size", size), folder.file("in", numbers), folder.file("out", "before")};
        words.insert(words.end(), more.begin(), more.end());
        const Finished run = prescan(words);
        expectError(run, 2, part);
        EXPECT_EQ(run.out, "");
        EXPECT_EQ(folder.names(), (Words{"in", "out", "size"}));
        EXPECT_EQ(textOf(folder / "out"), "before");
    }

    Folder folder_;
};

}  // namespace

TEST(Prescan, IsReportedAsJson)
{
    const Folder folder;
    const std::string json = folder / "p.json", out = folder / "out";
    const std::string size = folder.file("size", "5"), numbers = folder.file("numbers", "1 2 3 4 5");
    for (const Words& what :
         {Words{"-n", "0"}, Words{size, numbers, out, "--type", "uint32"}, Words{"-n", "5000", "-r", "2"}}) {
        Words command = {"prescan", "--json", json};
        command.insert(command.end(), what.begin(), what.end());
        const Finished run = runA2(command);
        EXPECT_EQ(run.status, 0) << run;
        const Finished valid = inspect({"validate", A2_SCHEMA, json});
        EXPECT_EQ(valid.status, 0) << valid;
    }
    for (const char* part :
         {"\"n\": 5000", "\"type\": \"float\"", "\"status\": \"passed\"", "\"repetitions\": 2", "\"padded\": "})
        EXPECT_TRUE(contains(textOf(json), part)) << part << "\n" << textOf(json);
    EXPECT_FALSE(contains(textOf(json), "\"kernel_ms\": null")) << textOf(json);
    expectError(runA2({"prescan", size, out, "--json", json}), 2, "--json");
    expectError(runA2({"prescan", size, numbers, out, "--json", numbers}), 2, "numbers");
}

TEST(Prescan, WithoutArgumentsPrintsTheLabsReport)
{
    const Finished run = prescan({"-n", "100003", "-r", "2"});
    EXPECT_EQ(run.status, 0) << run;
    const Words lines = linesOf(run.out);
    ASSERT_GT(lines.size(), 20U) << run;
    EXPECT_EQ(lines[0], "[Lab] evaluating Prescan");
    EXPECT_TRUE(lines[1].starts_with("Execution time: ")) << run;
    EXPECT_EQ(lines[2], "TEST PASSED");
    for (const char* part :
         {"exclusive prescan of 100003 float: random whole numbers 0 to 2, seed 1", "build: ", "host, one thread",
          "device, kernels", "device, with copies", "speed-up", "GFLOP/s", "% peak", "% copy",
          "The compute limit is out of reach", "1 any length, in blocks: met: 98 + 1 tiles of 1024 elements",
          "2 work-efficient: met: ", "3 lengths that are no power of two: met: ", "4 few bank conflicts: met: "})
        EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run;
    for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Prescan, ClaimsNoGoalThatTheRunDoesNotShow)
{
    const Finished run = prescan({"-n", "8", "-r", "1", "--type", "uint32", "--inclusive"});
    EXPECT_EQ(run.status, 0) << run;
    for (const char* part : {"inclusive prescan of 8 uint32", "GOP/s", "1 any length, in blocks: not shown",
                             "2 work-efficient: not shown", "3 lengths that are no power of two: not shown"})
        EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run;
}

TEST_F(PrescanFiles, TheLabsExampleGoesThroughFiles)
{
    const std::string size = folder_.file("size", "8\n"), in = folder_.file("in", "3 1 7 0\r\n4 1 6 3");
    const Finished run = prescan({size, in, folder_ / "out", "--quiet"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(linesOf(run.out).size(), 3U) << run;
    EXPECT_EQ(textOf(folder_ / "out"), "# accuracy: exact\n0\n3\n4\n11\n11\n15\n16\n22\n");
    for (const char* type : {"float", "uint32"}) {
        EXPECT_EQ(prescan({size, in, folder_ / "out", "--inclusive", "--type", type}).status, 0);
        EXPECT_EQ(numbersOf(folder_ / "out"), "3\n4\n11\n11\n15\n16\n22\n25\n");
    }
    EXPECT_EQ(folder_.names(), (Words{"in", "out", "size"}));
}

TEST_F(PrescanFiles, AResultCanBeTheNextInput)
{
    const std::string size = folder_.file("size", "4"), in = folder_.file("in", "1 1 1 1");
    EXPECT_EQ(prescan({size, in, folder_ / "once"}).status, 0);
    EXPECT_EQ(prescan({size, folder_ / "once", folder_ / "twice"}).status, 0);
    EXPECT_EQ(numbersOf(folder_ / "twice"), "0\n0\n1\n3\n");
}

TEST_F(PrescanFiles, OneArgumentIsTheResultOfTheRandomInput)
{
    for (const char* n : {"1", "2", "511", "513", "1000003"}) {
        const std::string size = folder_.file("size", n);
        EXPECT_EQ(prescan({folder_ / "result", "-n", n, "-s", "9", "-r", "1"}).status, 0);
        EXPECT_EQ(prescan({size, folder_ / "input", "-s", "9"}).status, 0);
        const Finished run = prescan({size, folder_ / "input", folder_ / "again"});
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_EQ(textOf(folder_ / "result"), textOf(folder_ / "again")) << n;
        EXPECT_EQ(linesOf(numbersOf(folder_ / "again")).size(), std::stoul(n));
    }
}

TEST_F(PrescanFiles, TheRandomInputNeedsNoDeviceAndFollowsItsSeed)
{
    const std::string size = folder_.file("size", "1000");
    const auto made = [&](const Words& more) {
        Words words = {size, folder_ / "in", "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished run = prescan(words, noDriver);
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_EQ(run.out + run.err, "");
        return textOf(folder_ / "in");
    };
    const std::string first = made({});
    EXPECT_EQ(linesOf(first).size(), 1000U);
    EXPECT_EQ(first.find_first_not_of("012\n"), std::string::npos) << "whole numbers below the limit";
    EXPECT_EQ(made({"--seed", "1"}), first);
    EXPECT_NE(made({"--seed", "2"}), first);
    EXPECT_EQ(made({"--max-rand", "1"}).find_first_not_of("0\n"), std::string::npos);
    EXPECT_EQ(folder_.names(), (Words{"in", "size"}));
    expectError(prescan({"-n", "10"}, noDriver), 3, "install");
}

TEST_F(PrescanFiles, NothingAtAllIsScannedToo)
{
    const std::string size = folder_.file("size", "0");
    EXPECT_EQ(prescan({"-n", "0"}, noDriver).status, 0);
    EXPECT_EQ(prescan({size, folder_ / "in"}).status, 0);
    EXPECT_EQ(textOf(folder_ / "in"), "");
    const Finished run = prescan({size, folder_ / "in", folder_ / "out"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "n = 0: nothing to do")) << run;
    EXPECT_FALSE(contains(run.out, "TEST")) << "nothing was tried\n" << run;
    EXPECT_EQ(textOf(folder_ / "out"), "# accuracy: exact\n");
    expectRefused("0", "1", "line 1, column 1: a number more than the 0");
}

TEST_F(PrescanFiles, WhatIsWrongInAFileIsToldWithItsPlace)
{
    expectRefused("3", "1 2\nthree", "in, line 2, column 1: 'three' is not a number");
    expectRefused("3", "1 2 nan", "in, line 1, column 5: 'nan' is not finite");
    expectRefused("3", "1\r\n2 1e40", "in, line 2, column 3: '1e40' is out of the range");
    expectRefused("3", "1 -2 3", "in, line 1, column 3: '-2' is not a whole number", {"--type", "uint32"});
    expectRefused("3", "1 2", "in, line 1, column 4: the file ends after 2 numbers");
    expectRefused("3", "", "in, line 1, column 1: the file ends after 0 numbers");
    expectRefused("3", "1 2 3\n4", "in, line 2, column 1: a number more than the 3");
    expectRefused("three", "1 2 3", "size, line 1, column 1: 'three' is none");
    expectRefused("", "1 2 3", "size, line 1, column 1: there is no number");
    expectRefused("3 4", "1 2 3", "size, line 1, column 3: '4' is one more");
    expectRefused("2", "3e38 3e38", "magnitudes add up to 6e+38");
    expectError(prescan({folder_ / "missing", folder_ / "out"}), 2, "missing cannot be opened");
}

TEST_F(PrescanFiles, AResultNeverTakesThePlaceOfItsInput)
{
    const std::string size = folder_.file("size", "1"), in = folder_.file("in", "5");
    std::filesystem::create_symlink("in", folder_ / "link");
    for (const Words& words : {Words{size, in, in}, Words{size, in, size}, Words{size, in, folder_ / "link"},
                               Words{size, folder_ / "link", in}, Words{size, size}})
        expectError(prescan(words), 2, "which is read");
    EXPECT_EQ(textOf(in), "5");
    EXPECT_EQ(textOf(size), "1");
}

TEST_F(PrescanFiles, WhatCannotBeWrittenIsToldBeforeAnythingRuns)
{
    const std::string size = folder_.file("size", "1"), in = folder_.file("in", "5");
    for (const Words& words : {Words{folder_ / "no/out"}, Words{size, folder_ / "no/out"},
                               Words{size, in, folder_ / "no/out"}, Words{size, in, folder_.path()}}) {
        const Finished run = prescan(words);
        expectError(run, 2, "cannot be written");
        EXPECT_EQ(run.out, "");
    }
    expectError(prescan({size, "/dev/full"}), 2, "/dev/full cannot be written");
    expectError(prescan({size, in, "/dev/full"}), 2, "/dev/full cannot be written");
    expectError(prescan({folder_.file("huge", "9000000000000000000"), folder_ / "out"}), 2, "ask for fewer");
    EXPECT_EQ(folder_.names(), (Words{"huge", "in", "size"}));
}

TEST_F(PrescanFiles, AWrongResultIsNotWritten)
{
    const BrokenShaders shaders("A2Task2KernelDecompositionOffset.comp", "data[index] += offset",
                                "data[index] += offset + 1.0");
    const std::string size = folder_.file("size", "1030"), out = folder_.file("out", "before");
    ASSERT_EQ(prescan({size, folder_ / "in"}).status, 0);
    const Finished run = prescan({size, folder_ / "in", out, "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_EQ(textOf(out), "before");
    EXPECT_EQ(folder_.names(), (Words{"in", "out", "size"}));
    const Words lines = linesOf(run.out);
    ASSERT_EQ(lines.size(), 4U) << run;
    EXPECT_TRUE(lines[1].starts_with("  expected ")) << run;
    EXPECT_TRUE(contains(lines[1], " at index 1024, got ")) << run;
    EXPECT_TRUE(contains(run.out, "; rounding explains up to 0\n")) << run;
    EXPECT_TRUE(contains(run.out, "6 of 1030 elements are wrong")) << run;
    EXPECT_EQ(lines.back(), "TEST FAILED");
}

TEST(Prescan, RefusesWhatItDoesNotKnow)
{
    expectError(prescan({"--type", "double"}), 2, "{float,float32,uint32}");
    expectError(prescan({"--max-rand", "0"}), 2, "--max-rand '0'");
    expectError(prescan({"--max-rand", "16777217"}), 2, "from 1 to 16777216");
    expectError(prescan({"--exclusive", "--inclusive"}), 2, "--inclusive");
    expectError(prescan({"a", "b", "c", "d"}), 2, "`a2 prescan --help`");
    expectError(prescan({"-n", "5", "a", "b"}), 2, "--size with a size file");
    expectError(prescan({""}), 2, "empty");
    expectError(prescan({"-n", "2^40"}), 3, "of device memory");
    expectError(prescan({"-n", "64", "-w", "1000000"}), 3, "maxComputeWorkGroup");
}

TEST(Prescan, PassesUnderValidation)
{
    const Finished run = prescan({"-n", "5000", "-r", "1", "--validation", "on"});
    EXPECT_EQ(run.status, 0) << run;
}

}  // namespace contract
