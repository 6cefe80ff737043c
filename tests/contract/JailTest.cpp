// Another library of solutions than a2's own, and a program that starts everything that runs or compiles solutions.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#ifdef __linux__
#include <unistd.h>
#endif

namespace contract {

namespace {

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// A program that notes what it is asked to start, and then does `does`.
std::string jailThat(const Folder& folder, const std::string& does)
{
    std::ofstream(folder / "jail") << "#!/bin/sh\nprintf '%s\\n' \"$1\" >>'" << (folder / "started") << "'\n"
                                   << does << "\n";
    std::filesystem::permissions(folder / "jail", std::filesystem::perms::owner_all);
    return folder / "jail";
}

}  // namespace

TEST(Solutions, AreThoseOfTheLibraryThatIsNamed)
{
    const Folder folder;
    const Words row = {"run", "reduce/interleaved", "-n", "1000", "-r", "2"};
    const Finished own = runA2(row);
    EXPECT_EQ(own.status, 0) << own;
    const Finished cheats = runA2(with(row, {"--solutions", A2_CHEATS}), {{"A2_TEST_CHEAT", "make throw-number"}});
    EXPECT_EQ(cheats.status, 1) << cheats;
    EXPECT_TRUE(contains(cheats.out, "TEST FAILED")) << cheats;
    EXPECT_TRUE(contains(cheats.out, "--solutions ")) << "a command that is printed is about the same code\n" << cheats;
    expectError(runA2(with(row, {"--solutions", folder / "none.so"})), 3, "none.so is missing");
}

TEST(Jail, StartsTheWorkerAndTheCompiler)
{
    const Folder folder, kernels;
    // A kernel with an unchanged text would not be compiled.
    kernels.file("A2Task1Interleaved.comp", textOf(A2_SHADERS "/A2Task1Interleaved.comp") + "// mine\n");
    const Finished run = runA2({"run", "reduce/interleaved", "-n", "1000", "-r", "2", "--shader-dir", kernels.path(),
                                "--jail", jailThat(folder, "exec \"$@\"")});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
    const std::string started = textOf(folder / "started");
    EXPECT_TRUE(contains(started, "a2_worker")) << started;
    EXPECT_TRUE(contains(started, "glslang")) << started;
}

TEST(Jail, StartsTheProcessOfTheDevice)
{
    const Folder folder;
    const Words row = {"run", "reduce/interleaved", "-n", "1000", "-r", "2", "--device-jail"};
    const Finished run = runA2(with(row, {jailThat(folder, "exec \"$@\"")}));
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
    EXPECT_TRUE(contains(textOf(folder / "started"), "a2\n")) << textOf(folder / "started");
    expectError(runA2(with(row, {folder / "none"})), 3,
                "--device-jail " + (folder / "none") + ": it cannot be started");
}

#ifdef __linux__
// No process, not even one of the same user, can look into the a2 that has the verdicts: here it is the jail, which a2
// starts.
TEST(Jail, HasNoWayIntoTheProcessThatHasTheVerdicts)
{
    const Folder folder;
    namespace fs = std::filesystem;
    for (const std::string& name : {std::string("maps"), std::string("started")}) std::ofstream(folder / name);
    const std::string jail = jailThat(folder, "cat /proc/$PPID/maps >'" + (folder / "maps") + "' 2>&1\necho tried >>'" +
                                                  (folder / "started") + "'\nexec \"$@\"");
    Words words = {A2_PROGRAM, "run", "reduce/interleaved", "-n", "1000", "-r", "2", "--device-jail", jail};
    if (geteuid() == 0) {  // nothing is hidden from root
        for (const char* name : {"maps", "started", "jail", ""}) fs::permissions(folder / name, fs::perms::all);
        words.insert(words.begin(), {"--reuid=65534", "--regid=65534", "--clear-groups", "--"});
        if (runProgram("setpriv", {"--reuid=65534", "--", "test", "-x", A2_PROGRAM}).status != 0)
            GTEST_SKIP() << "another user cannot start this a2";
    }
    const std::string program = words.front() == A2_PROGRAM ? A2_PROGRAM : "setpriv";
    if (program == A2_PROGRAM) words.erase(words.begin());
    const Finished run = runProgram(program, words);
    EXPECT_TRUE(contains(textOf(folder / "started"), "tried")) << run;
    EXPECT_FALSE(contains(textOf(folder / "maps"), "r-xp")) << textOf(folder / "maps");
}
#endif

TEST(Jail, ThatSaysASignalAsAShellDoesIsUnderstood)
{
    const Folder folder;
    const Finished run = runA2({"run", "reduce/interleaved", "-n", "1000", "--solutions", A2_CHEATS, "--jail",
                                jailThat(folder, "\"$@\"; exit $?")},
                               {{"A2_TEST_CHEAT", "record crash"}});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "signal 11")) << run;
}

TEST(Jail, ThatDoesNotStartIsSaid)
{
    const Folder folder;
    const Words row = {"run", "reduce/interleaved", "-n", "1000", "--jail"};
    expectError(runA2(with(row, {folder / "none"})), 3, "--jail " + (folder / "none") + ": it cannot be started");
    expectError(runA2(with(row, {jailThat(folder, "exit 7")})), 3, "exit status 7");
}

}  // namespace contract
