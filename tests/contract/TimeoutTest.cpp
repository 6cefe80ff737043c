// Exit status 4: the device does not finish in time. The program still says so, and still writes its reports.

#include "RunA2.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

constexpr const char* tooShort = "0.001";  // seconds; a first submit compiles the kernel and takes longer

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
    const Finished run = runA2({"reduce/atomic", "scan/naive", "-n", "2^24", "--timeout", tooShort, "--json", folder / "r.json",
                                "--csv", folder / "r.csv", "--junit", folder / "r.xml"});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(folder.names(), (Words{"r.csv", "r.json", "r.xml"}));
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "r.json"});
    EXPECT_EQ(valid.status, 0) << valid;
    EXPECT_TRUE(contains(textOf(folder / "r.json"), R"("status": "timeout")")) << textOf(folder / "r.json");
    EXPECT_TRUE(contains(textOf(folder / "r.csv"), ",timeout,")) << textOf(folder / "r.csv");
    const Finished suite = inspect({"junit", folder / "r.xml"});
    EXPECT_TRUE(contains(suite.out, "claims 2 0 1 1\nholds 2 0 1 1\n")) << suite;
}

// The tasks after it were not tried: they are neither passed nor failed.
TEST(Timeout, TheTasksAfterItAreSkipped)
{
    const Finished run = runA2({"reduce/atomic", "scan/naive", "-n", "2^24", "--timeout", tooShort, "--quiet"});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_TRUE(contains(run.out, "[Task2] evaluating Naive\nSKIPPED: ")) << run;
}

// The very first submit is the upload of a long input here.
TEST(Timeout, WhileTheInputIsUploadedIsNoCrash)
{
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Folder folder;
        const Finished check = runA2({"check", "reduce/atomic", "-n", "2^24", "-p", "ones", "-w", "256", "--timeout", tooShort,
                                      "--json", folder / "r.json"});
        EXPECT_EQ(check.status, 4) << check;
        EXPECT_EQ(folder.names(), Words{"r.json"});
    }
}

}  // namespace contract
