// Solutions that try to pass without doing the work, or to crash the program: the built a2 runs with their library
// beside it. Their row must fail, whatever they do and print, and the next row must get its verdict.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace contract {

namespace {

namespace fs = std::filesystem;

// A copy of a2 whose library of solutions has the cheat instead of Interleaved.cpp.
std::string a2WithCheats(const Folder& folder)
{
    for (const char* file : {A2_PROGRAM, A2_WORKER}) {
        const fs::path from = file, to = folder / from.filename().string();
        std::error_code otherDisk;
        fs::create_hard_link(from, to, otherDisk);
        if (otherDisk) fs::copy_file(from, to);
    }
    fs::copy_file(A2_CHEATS, folder / fs::path(A2_SOLUTIONS).filename().string());
    return folder / fs::path(A2_PROGRAM).filename().string();
}

class Cheat : public testing::TestWithParam<const char*> {};

}  // namespace

TEST_P(Cheat, FailsAndTheNextRowPasses)
{
    const Folder folder;
    const std::string json = folder / "r.json", junit = folder / "r.xml";
    const Finished run = runProgram(
        a2WithCheats(folder),
        {"run", "reduce/interleaved", "reduce/sequential", "-n", "1000", "-r", "2", "--json", json, "--junit", junit},
        {{"A2_TEST_CHEAT", GetParam()}});
    EXPECT_EQ(run.status, 1) << run;
    const std::size_t next = run.out.find("[Task1] evaluating Sequential\n");
    ASSERT_NE(next, std::string::npos) << run;
    const std::string cheats = run.out.substr(0, next), honest = run.out.substr(next);
    EXPECT_FALSE(contains(cheats, "TEST PASSED")) << run;
    EXPECT_TRUE(cheats.ends_with("TEST FAILED\n")) << run;
    EXPECT_TRUE(honest.ends_with("TEST PASSED\n")) << run;
    const std::string what = GetParam();
    const bool loops = what == "record loop" || what == "make loop", crashes = what == "record crash";
    if (loops) {
        EXPECT_TRUE(contains(cheats, what == "record loop" ? "  recording run 1, n = " : "  preparing, n = ")) << run;
        EXPECT_TRUE(contains(cheats, ": 8 s were not enough")) << run;
        EXPECT_TRUE(contains(textOf(json), "\"status\": \"timeout\"")) << textOf(json);
    }
    if (loops || crashes) {
        EXPECT_EQ(contains(cheats, "; the last Vulkan call was vkCmdFillBuffer"), what != "make loop") << run;
        EXPECT_TRUE(contains(cheats, "  in a debugger:\ngdb --args ") && contains(cheats, " --in-process\n")) << run;
        if (runProgram("/bin/sh", {"-c", "addr2line --version"}).status == 0) {
            EXPECT_TRUE(contains(cheats, "; it was in ") && contains(cheats, "(Solutions.cpp:")) << run;
        }
    }
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, json}).status, 0);
    EXPECT_TRUE(contains(textOf(junit), "<failure") || contains(textOf(junit), "<error")) << textOf(junit);
}

// A static variable: a command that shows one run would show a right one, because it makes only one object.
TEST(Cheats, KeepingSomethingBetweenObjectsIsSaid)
{
    const auto judged = [](const char* deed) {
        const Folder folder;
        return runProgram(a2WithCheats(folder), {"run", "reduce/interleaved", "-n", "1000", "-r", "2"},
                          {{"A2_TEST_CHEAT", deed}});
    };
    const Finished run = judged("count objects");
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "recorded in a process of its own the same run is right: something is kept")) << run;
    EXPECT_TRUE(contains(run.out, "; a2 steps makes one object only, and would not show it\n")) << run;
    EXPECT_FALSE(contains(run.out, "to see every step")) << run;
    EXPECT_FALSE(contains(judged("none").out, "in a process of its own"));
}

TEST(Cheats, CallingThemselvesWithoutAnEndIsSaid)
{
    if (runProgram("/bin/sh", {"-c", "addr2line --version"}).status != 0) GTEST_SKIP() << "there is no addr2line";
    const Folder folder;
    const Finished run = runProgram(a2WithCheats(folder), {"run", "reduce/interleaved", "-n", "1000", "-r", "2"},
                                    {{"A2_TEST_CHEAT", "record recurse"}});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "; its stack is full, for it calls itself without an end: ")) << run;
    EXPECT_TRUE(contains(run.out, "(Solutions.cpp:")) << run;
}

#ifdef __linux__
// Neither the parent process nor anything else on the machine (tests/worker/Attacks.cpp).
TEST(Cheats, ReachNothingOutsideTheirProcess)
{
    const Folder folder;
    const Finished run =
        runProgram(a2WithCheats(folder), {"run", "reduce/interleaved", "reduce/sequential", "-n", "1000", "-r", "2"},
                   {{"A2_TEST_CHEAT", "record attack-all"}});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.err, "refused trace-parent")) << run;
    for (const std::string& line : linesOf(run.err)) EXPECT_FALSE(contains(line, "REACHED")) << line;
}
#endif

// This mode is for a debugger: nothing separates student code from a2, and nothing that says PASSED can be handed in.
TEST(InProcess, RunsEverythingInOneProcessAndSaysWhatThatIsWorth)
{
    for (const char* command : {"run", "check", "steps"}) {
        const Finished run = runA2({command, "scan/work-efficient", "-n", "100", "--in-process", "--quiet"});
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
        EXPECT_TRUE(contains(run.err, "its verdict counts for nothing")) << run;
    }
    const Folder folder;
    const Finished crash = runProgram(a2WithCheats(folder), {"run", "reduce/interleaved", "-n", "100", "--in-process"},
                                      {{"A2_TEST_CHEAT", "record abort"}});
    EXPECT_EQ(crash.status, 128 + 6) << "what a debugger stops at\n" << crash;
    expectError(runA2({"run", "reduce/atomic", "--in-process", "--json", folder / "r.json"}), 2, "counts for nothing");
}

INSTANTIATE_TEST_SUITE_P(EachWay, Cheat,
                         testing::Values("make exit", "make crash", "make throw-number", "make leave", "make allocate",
                                         "record exit", "record at-exit", "record crash", "record overflow",
                                         "record terminate", "record print", "record flood", "record loop", "make loop",
                                         "record stubborn", "record close", "record garbage", "record forged",
                                         "record read", "record fork", "record fork-and-flood", "record fork-and-crash",
                                         "record interrupt-all", "record no-dispatch-entry", "record scribble",
                                         "result abort", "destroy leave", "destroy crash"),
                         [](const auto& one) {
                             std::string name = one.param;
                             for (char& c : name)
                                 if (c == ' ' || c == '-') c = '_';
                             return name;
                         });

}  // namespace contract
