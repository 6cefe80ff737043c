// Every length, shape and input that the options allow gives the right result.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace contract {

namespace {

void expectPassed(const Words& words, std::size_t rows)
{
    const Finished run = runA2(words);
    std::string line;
    for (const std::string& word : words) line += " " + word;
    EXPECT_EQ(run.status, 0) << "a2" << line << "\n" << run;
    const Words lines = linesOf(run.out);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), static_cast<long>(rows)) << "a2" << line << "\n"
                                                                                              << run;
}

}  // namespace

TEST(Inputs, NothingAtAllPassesInNoTime)
{
    const Finished run = runA2({"-n", "0"});
    EXPECT_EQ(run.status, 0) << run;
    const Words lines = linesOf(run.out);
    ASSERT_EQ(lines.size(), 3 * courseRows().size()) << run;
    for (std::size_t i = 0; i < lines.size(); i += 3) {
        EXPECT_EQ(lines[i + 1], "Execution time: 0 ms, Throughput: 0 GE/s");
        EXPECT_EQ(lines[i + 2], "TEST PASSED");
    }
    expectPassed({"check", "-n", "0"}, courseRows().size());
}

TEST(Inputs, LengthsThatAreNoPowerOfTwoPass)
{
    for (const char* n : {"1", "3", "1000", "65537"}) expectPassed({"-n", n, "-r", "2"}, courseRows().size());
}

TEST(Inputs, SizesMayBePowersOrHaveUnits)
{
    for (const char* n : {"2^12", "4Ki", "4096"}) {
        const Finished run = runA2({"reduce/atomic", "-n", n, "--verbose"});
        EXPECT_TRUE(contains(run.out, "n = 4096,")) << run;
    }
    expectPassed({"reduce/atomic", "-n", "1Mi", "-r", "1"}, 1);
}

TEST(Inputs, ScansMayBeExclusive)
{
    for (const char* n : {"1", "2", "5000"})
        expectPassed({"scan/*", "-n", n, "--exclusive", "-r", "2"}, allRows("scan/").size());
    expectPassed({"reduce/atomic", "-n", "100", "--exclusive"}, 1);
}

TEST(Inputs, ElementsPerInvocationMayBeChosen)
{
    for (const char* elements : {"2", "6"})
        expectPassed({"-n", "5000", "--elements", elements, "-r", "2"}, courseRows().size());
}

TEST(Inputs, WorkGroupsNeedBeNoPowerOfTwo)
{
    for (const char* workGroup : {"1", "100"})
        expectPassed({"-n", "5000", "-w", workGroup, "-r", "2"}, courseRows().size());
}

// Devices with a smaller limit skip this one; that is no failure.
TEST(Inputs, LargeWorkGroupsPassWhereTheDeviceHasThem)
{
    const Finished run = runA2({"-n", "5000", "-w", "1000", "-r", "2"});
    EXPECT_FALSE(contains(run.out, "TEST FAILED")) << run;
    const bool offered = contains(run.out, "TEST PASSED");
    EXPECT_EQ(run.status, offered ? 0 : 3) << run;
}

TEST(Inputs, EveryPatternPasses)
{
    for (const char* pattern : {"mod97", "ones", "iota", "random", "onehot:0", "onehot:4999", "onehot:5000", "max"})
        expectPassed({"reduce/atomic", "scan/work-efficient", "-n", "5000", "-p", pattern, "-r", "2"}, 2);
    for (const char* seed : {"0", "18446744073709551615"})
        expectPassed({"reduce/atomic", "-n", "5000", "-p", "random", "-s", seed, "-r", "2"}, 1);
}

TEST(Inputs, AnArrayOfZeroesIsSaid)
{
    const std::string said = "note: the one of onehot:100 lies beyond the 100 elements, which are all 0";
    EXPECT_TRUE(contains(runA2({"reduce/atomic", "-n", "100", "-p", "onehot:100", "-r", "1"}).err, said));
    EXPECT_FALSE(contains(runA2({"reduce/atomic", "-n", "101", "-p", "onehot:100", "-r", "1"}).err, "lies beyond"));
}

TEST(Inputs, AFileGivesTheElementsAndTheirNumber)
{
    const Folder folder;
    const std::string pattern = "file:" + folder.file("my numbers.txt", "1 2 3\r\n4\t5\n\n4294967295\n");
    expectPassed({"-p", pattern}, courseRows().size());
    expectPassed({"check", "-p", pattern, "-n", "4"}, courseRows().size());
    const Finished run = runA2({"reduce/atomic", "-p", pattern, "--verbose"});
    EXPECT_TRUE(contains(run.out, "n = 6,")) << run;
}

TEST(Inputs, AFileWithoutEndIsRefused)
{
    const Folder folder;
    const std::string sparse = folder.file("sparse", ""), size = folder.file("size", "8");
    std::filesystem::resize_file(sparse, std::uintmax_t{1} << 40);
    const auto expectRefused = [&](const std::string& file) {
        expectError(runA2({"reduce/atomic", "-p", "file:" + file}), 2, file);
        expectError(runA2({"obstacles", file}), 2, file);
        expectError(runA2({"prescan", size, file, folder / "out"}), 2, file);
        expectError(runA2({"prescan", file, folder / "out"}), 2, file);
    };
    for (const std::string& file : {std::string("/dev/zero"), std::string("/dev/urandom"), sparse, folder.path()})
        expectRefused(file);
    EXPECT_EQ(folder.names(), (Words{"size", "sparse"}));
}

TEST(Inputs, APipeWithoutEndIsRefused)
{
    const Folder folder;
    const std::string pipe = folder / "pipe", size = folder.file("size", "8");
    for (const char* text : {"1", "''"}) {
        const auto expectRefused = [&](const Words& words) {
            const std::string script = std::string("mkfifo \"$0\"; { yes ") + text + " 2>/dev/null >\"$0\" & }; ";
            Words all = {"-c", script + "\"$@\"; status=$?; rm \"$0\"; exit $status", pipe, A2_PROGRAM};
            all.insert(all.end(), words.begin(), words.end());
            expectError(runProgram("/bin/sh", all), 2, pipe);
        };
        expectRefused({"reduce/atomic", "-p", "file:" + pipe});
        expectRefused({"obstacles", pipe});
        expectRefused({"prescan", size, pipe, folder / "out"});
    }
    EXPECT_EQ(folder.names(), Words{"size"});
    const Finished alone = runProgram("/bin/sh", {"-c", "mkfifo \"$0\"; \"$1\" obstacles \"$0\"", pipe, A2_PROGRAM});
    expectError(alone, 2, "is a pipe without a writer");
}

TEST(Inputs, APipeIsReadToItsEnd)
{
    const Finished run = runProgram(
        "/bin/sh", {"-c", "seq 100000 | \"$0\" reduce/atomic -p file:/dev/stdin --quiet </dev/stdin", A2_PROGRAM});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(run.err, "");
}

TEST(Inputs, RepetitionsTimerAndTimeMayBeChosen)
{
    const Finished run = runA2({"reduce/atomic", "-n", "1000", "-r", "3", "--timer", "host", "--verbose"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "3 repetitions")) << run;
    EXPECT_TRUE(contains(run.out, "host clock")) << run;
    expectPassed({"reduce/atomic", "-n", "1000", "-r", "1000000", "--max-time", "0.05"}, 1);
    expectPassed({"reduce/atomic", "-n", "1000", "--timeout", "5"}, 1);
}

TEST(Inputs, ADeviceMayBeChosenByIndexOrByPartOfItsName)
{
    for (const Words& words : {Words{"-d", "0"}, Words{"-d", "e"}, Words{"--device=0"}})
        expectPassed({"reduce/atomic", "-n", "64", words[0], words.size() > 1 ? words[1] : "--quiet"}, 1);
    const Finished byVariable = runA2({"reduce/atomic", "-n", "64"}, {{"A2_DEVICE", "0"}});
    EXPECT_EQ(byVariable.status, 0) << byVariable;
    const Finished optionFirst = runA2({"reduce/atomic", "-n", "64", "-d", "0"}, {{"A2_DEVICE", "no such device"}});
    EXPECT_EQ(optionFirst.status, 0) << optionFirst;
}

}  // namespace contract
