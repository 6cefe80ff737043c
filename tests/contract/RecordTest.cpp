// a2 record and a2 run --recording; and a2 itself contains no solutions.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <fstream>

namespace contract {

namespace {

std::string bytesOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string recorded(const Folder& folder, const std::string& task)
{
    const std::string path = folder / "it.a2r";
    const Finished run = runA2({"record", task, "-n", "5000", "-w", "64", "-o", path});
    EXPECT_EQ(run.status, 0) << run;
    return path;
}

}  // namespace

TEST(Record, WhatWasWrittenIsJudged)
{
    const Folder folder;
    for (const char* task : {"reduce/interleaved", "scan/offset", "scan/lookback", "scan/work-efficient"}) {
        const std::string path = recorded(folder, task);
        const Finished run = runA2({"run", "--recording", path});
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
    }
}

TEST(Record, OfAWrongSolutionFails)
{
    const Folder folder;
    const std::string path = recorded(folder, "reduce/sequential");
    std::string bytes = bytesOf(path);
    const std::string kernel = "A2Task1Sequential", other = "A2Task2KernelDec";  // as long, but does not exist
    const std::size_t at = bytes.find(kernel);
    ASSERT_NE(at, std::string::npos);
    folder.file("it.a2r", bytes.replace(at, other.size(), other));
    const Finished run = runA2({"run", "--recording", path});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "TEST FAILED")) << run;
}

TEST(Record, WhatIsNoRecordingIsRefusedInOneLine)
{
    const Folder folder;
    const std::string path = recorded(folder, "reduce/atomic");
    const std::string whole = bytesOf(path);
    for (const std::string& bytes :
         {std::string(), std::string("no"), whole.substr(0, whole.size() / 2), whole + "more"}) {
        folder.file("bad.a2r", bytes);
        const Finished run = runA2({"run", "--recording", folder / "bad.a2r"});
        EXPECT_EQ(run.status, 2) << run;
        EXPECT_TRUE(contains(run.err, "bad.a2r is no recording that a2 can judge: ")) << run;
        EXPECT_EQ(run.out, "") << run;
    }
    EXPECT_EQ(runA2({"run", "--recording", folder / "none.a2r"}).status, 2);
    EXPECT_EQ(runA2({"run", "reduce/atomic", "--recording", path}).status, 2);
    EXPECT_EQ(runA2({"record", "reduce/atomic", "-n", "0"}).status, 2);
    EXPECT_EQ(runA2({"record"}).status, 2);
}

// The judge must not contain what it judges.
TEST(Program, HasNothingOfASolution)
{
    const Finished symbols = runProgram(
        "/bin/sh", {"-c", "nm -C \"$0\" | grep -cE 'makeInterleaved|KernelDecomposition::|makeNaive'", A2_PROGRAM});
    if (contains(symbols.err, "nm:") || contains(symbols.err, "not found")) GTEST_SKIP() << symbols.err;
    EXPECT_EQ(symbols.out, "0\n") << symbols;
}

}  // namespace contract
