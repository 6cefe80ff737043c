// Exit status 4: the device does not finish in time. The program still reports it, runs the other tasks, and writes its
// reports.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

constexpr const char* tooShort = "0.001";  // seconds; a first submit compiles the kernel and takes longer

// With a million invocations it takes a CPU minutes, and compilers cannot shorten it. llvmpipe ends a loop after 65536
// turns.
std::string slowLoop()
{
    std::string body;
    for (int i = 0; i < 6; ++i) body += "v ^= v << 13; v ^= v >> 17; v ^= v << 5; ";
    return "for (uint i = 0; i < 60000u; ++i) { " + body + "} ";
}

// Only a CPU device is kept busy on purpose: a GPU may be in use for a screen.
bool hasCpuDevice() { return runA2({"doctor", "-d", "cpu"}).status == 0; }

}  // namespace

TEST(Timeout, EndsTheRunAndSaysWhy)
{
    const Finished run = runA2({"reduce/atomic", "-n", "2^24", "--timeout", tooShort});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_TRUE(contains(run.out, "did not finish within 0.001 s (--timeout)")) << run;
    EXPECT_EQ(linesOf(run.out).back(), "TEST FAILED") << run;
}

TEST(Timeout, TheReportsAreStillWrittenWhole)
{
    const Folder folder;
    const Finished run = runA2({"reduce/atomic", "scan/naive", "-n", "2^24", "--timeout", tooShort, "--json",
                                folder / "r.json", "--csv", folder / "r.csv", "--junit", folder / "r.xml"});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(folder.names(), (Words{"r.csv", "r.json", "r.xml"}));
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "r.json"});
    EXPECT_EQ(valid.status, 0) << valid;
    EXPECT_TRUE(contains(textOf(folder / "r.json"), R"("status": "timeout")")) << textOf(folder / "r.json");
    EXPECT_TRUE(contains(textOf(folder / "r.csv"), ",timeout,")) << textOf(folder / "r.csv");
    const Finished suite = inspect({"junit", folder / "r.xml"});
    EXPECT_TRUE(contains(suite.out, "claims 2 0 2 0\nholds 2 0 2 0\n")) << suite;
}

// The copy kernel, which a2 bench times first, is not a task; the exit status and the reports are those of a time-out.
TEST(Timeout, OfBenchIsNoSkippedRun)
{
    const Folder folder;
    const Finished bench = runA2({"bench", "reduce/atomic", "scan/naive", "-n", "2^24", "--timeout", tooShort, "--json",
                                  folder / "b.json", "--csv", folder / "b.csv"});
    EXPECT_EQ(bench.status, 4) << bench;
    EXPECT_TRUE(contains(bench.out, " TIME-OUT")) << bench;
    EXPECT_TRUE(contains(bench.out, "did not finish within 0.001 s (--timeout)")) << bench;
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "b.json"});
    EXPECT_EQ(valid.status, 0) << valid;
    EXPECT_TRUE(contains(textOf(folder / "b.csv"), ",timeout,")) << textOf(folder / "b.csv");
}

// Here the very first submit is the upload of a long input.
TEST(Timeout, WhileTheInputIsUploadedIsNoCrash)
{
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Folder folder;
        const Finished check = runA2({"check", "reduce/atomic", "-n", "2^24", "-p", "ones", "-w", "256", "--timeout",
                                      tooShort, "--json", folder / "r.json"});
        EXPECT_EQ(check.status, 4) << check;
        EXPECT_EQ(folder.names(), Words{"r.json"});
    }
}

// The tasks before and after it get their own verdicts.
TEST(Timeout, OfASlowKernelIsThatTasksOwn)
{
    if (!hasCpuDevice()) GTEST_SKIP() << "no CPU device";
    const BrokenShaders shaders(
        "A2Task1KernelDecomposition.comp", "uint sum = sumOfMyElements();",
        "uint sum = sumOfMyElements(); uint v = sum; " + slowLoop() + "sum = v == 0 ? 0 : sum;");
    const Folder folder;
    const Finished run = runA2({"reduce/interleaved", "reduce/decomposition", "reduce/atomic", "-n", "2^20", "-d",
                                "cpu", "--shader-dir", shaders.path(), "--timeout", "3", "--json", folder / "r.json"});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED\n[Task1] evaluating KernelDecomposition\n  failed with ")) << run;
    EXPECT_EQ(linesOf(run.out).back(), "TEST PASSED") << run;
    EXPECT_EQ(folder.names(), Words{"r.json"});
}

}  // namespace contract
