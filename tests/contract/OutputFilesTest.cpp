// Report files appear whole or not at all, and a target that cannot be written is reported before any work is done.

#include "RunA2.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace contract {

namespace {

const Words shortRun = {"reduce/atomic", "-n", "64", "--quiet"};

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Runs a script that starts a2 with these words as "$@".
Finished shell(const std::string& script, const Words& words, const std::string& stdoutTo = "")
{
    return runProgram("/bin/sh", with({"-c", script, "sh", A2_PROGRAM}, words), {}, stdoutTo);
}

unsigned modeOf(const std::string& path)
{
    struct stat about = {};
    EXPECT_EQ(stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 07777;
}

// Starts a2, waits until the folder contains a temporary file, and sends the signal. Returns the signal that ended a2,
// or 0.
int endedBy(int signal, const Words& words, const Folder& folder)
{
    std::vector<std::string> all = with({A2_PROGRAM}, words);
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    const auto temporaryThere = [&] {
        for (const std::string& name : folder.names())
            if (contains(name, "a2-")) return true;
        return false;
    };
    int ended = 0;
    while (!temporaryThere() && waitpid(child, &ended, WNOHANG) == 0) usleep(1000);
    kill(child, signal);
    waitpid(child, &ended, 0);
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
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
    expectError(runA2(with(shortRun, {"--json", "-"})), 2, "standard output has the results as text");
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

TEST(OutputFiles, LeaveAUsersFileOfAnyNameAlone)
{
    const Folder folder;
    const std::string precious = folder.file("precious", "mine");
    std::filesystem::create_symlink(precious, folder / "r.json.a2-part");
    EXPECT_EQ(runA2(with(shortRun, {"--json", folder / "r.json"})).status, 0);
    EXPECT_EQ(textOf(precious), "mine");
    EXPECT_EQ(folder.names(), (Words{"precious", "r.json", "r.json.a2-part"}));
}

TEST(OutputFiles, OfTwoProgramsAtOnceAreOneOfTheTwo)
{
    const Folder folder;
    const std::string size = folder.file("size", "1000000");
    for (const char* maxRand : {"2", "1000000"})
        EXPECT_EQ(runA2({"prescan", size, folder / maxRand, "--max-rand", maxRand}).status, 0);
    const Finished both = runProgram("/bin/sh", {"-c", "\"$@\" --max-rand 2 & \"$@\" --max-rand 1000000; wait", "sh",
                                                 A2_PROGRAM, "prescan", size, folder / "out", "--quiet"});
    EXPECT_EQ(both.err, "") << both;
    const std::string text = textOf(folder / "out");
    EXPECT_TRUE(text == textOf(folder / "2") || text == textOf(folder / "1000000"));
    EXPECT_EQ(folder.names(), (Words{"1000000", "2", "out", "size"}));
}

TEST(OutputFiles, KeepTheModeOfTheFileThatTheyReplace)
{
    const Folder folder;
    const std::string csv = folder.file("r.csv", "before");
    for (const mode_t mode : {0600U, 0640U, 0666U}) {
        chmod(csv.c_str(), mode);
        EXPECT_EQ(runA2(with(shortRun, {"--csv", csv})).status, 0);
        EXPECT_EQ(modeOf(csv), mode);
    }
    EXPECT_EQ(shell("umask 027; \"$@\"", with(shortRun, {"--csv", folder / "new.csv"})).status, 0);
    EXPECT_EQ(modeOf(folder / "new.csv"), 0640U);
}

TEST(OutputFiles, ThatMayNotBeWrittenAreRefusedBeforeAnythingRuns)
{
    const Folder folder;
    const std::string json = folder.file("r.json", "before");
    chmod(json.c_str(), 0444);
    chmod(folder.path().c_str(), 0777);
    std::filesystem::create_directory(folder / "closed");
    chmod((folder / "closed").c_str(), 0555);
    // Root may write everywhere.
    const std::string asNobody =
        geteuid() == 0 ? "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"" : "exec \"$@\"";
    for (const std::string& target : {json, folder / "closed/r.json"}) {
        const Finished run = shell(asNobody, with(shortRun, {"--json", target}));
        if (run.status == 126 || run.status == 127) GTEST_SKIP() << "another user may not start a2 here";
        expectError(run, 2, "Permission denied");
        EXPECT_EQ(run.out, "");
    }
    EXPECT_EQ(textOf(json), "before");
}

TEST(OutputFiles, FollowLinksToTheirEndOrRefuseThem)
{
    const Folder folder;
    std::filesystem::create_symlink("second", folder / "first");
    std::filesystem::create_symlink("end", folder / "second");  // its target does not exist yet
    EXPECT_EQ(runA2(with(shortRun, {"--csv", folder / "first"})).status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "first") && std::filesystem::is_symlink(folder / "second"));
    EXPECT_EQ(linesOf(textOf(folder / "end")).size(), 2U);

    std::filesystem::create_symlink("around", folder / "round");
    std::filesystem::create_symlink("round", folder / "around");
    std::filesystem::create_symlink(folder / "missing/r.csv", folder / "lost");
    for (const char* link : {"round", "lost"}) {
        const Finished run = runA2(with(shortRun, {"--csv", folder / link}));
        expectError(run, 2, "cannot be written");
        EXPECT_EQ(run.out, "");
    }
    EXPECT_EQ(folder.names(), (Words{"around", "end", "first", "lost", "round", "second"}));
}

TEST(OutputFiles, OneFileForTwoReportsIsRefused)
{
    const Folder folder;
    const std::string there = folder.file("there", "before");
    std::filesystem::create_hard_link(there, folder / "hard");
    std::filesystem::create_symlink("new", folder / "link");
    std::filesystem::create_directory(folder / "sub");
    for (const auto& [one, other] :
         {std::pair{"there", "there"}, std::pair{"there", "hard"}, std::pair{"new", "new"}, std::pair{"new", "./new"},
          std::pair{"new", "link"}, std::pair{"sub/../new", "link"}, std::pair{"sub/new", "./sub//new"}}) {
        const Finished run = runA2(with(shortRun, {"--json", folder / one, "--junit", folder / other}));
        expectError(run, 2, "is the same file");
        EXPECT_EQ(run.out, "");
    }
    EXPECT_EQ(textOf(there), "before");
    EXPECT_EQ(folder.names(), (Words{"hard", "link", "sub", "there"}));
    EXPECT_EQ(runA2(with(shortRun, {"--json", "/dev/null", "--csv", "/dev/null"})).status, 0);
}

TEST(OutputFiles, NeverTakeThePlaceOfTheInput)
{
    const Folder folder;
    const std::string numbers = folder.file("numbers", "1 2 3");
    std::filesystem::create_symlink("numbers", folder / "link");
    for (const char* option : {"--json", "--csv", "--junit"})
        for (const char* name : {"numbers", "link", "./numbers"})
            expectError(runA2({"reduce/atomic", "-p", "file:" + numbers, option, folder / name}), 2, "which is read");
    EXPECT_EQ(textOf(numbers), "1 2 3");
}

TEST(OutputFiles, NeverTakeThePlaceOfASource)
{
    const Folder folder;
    for (const char* name : {"A2Task2Naive.comp", "A2Task2.h", "Naive.CPP", "course.ini", "CMakeLists.txt"}) {
        const std::string source = folder.file(name, "mine");
        std::filesystem::create_symlink(name, folder / "report.html");
        for (const char* option : {"--json", "--csv", "--html"})
            expectError(runA2({"steps", "scan/naive", "-n", "8", option, source}), 2, "a source is there");
        expectError(runA2({"steps", "scan/naive", "-n", "8", "--html", folder / "report.html"}), 2,
                    "a source is there");
        EXPECT_EQ(textOf(source), "mine");
        std::filesystem::remove(folder / "report.html");
    }
}

TEST(OutputFiles, NeverTakeThePlaceOfTheProgramsOwnOutput)
{
    const Folder folder;
    const std::string out = folder / "r.json";
    const Finished run = shell("exec \"$@\"", with(shortRun, {"--json", out}), out);
    expectError(run, 2, "own output");
}

TEST(OutputFiles, GoAwayWithTheProgramThatASignalEnds)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const Folder folder;
        const std::string size = folder.file("size", "268435456"), out = folder.file("out", "before");
        EXPECT_EQ(endedBy(signal, {"prescan", size, out, "--quiet"}, folder), signal);
        EXPECT_EQ(folder.names(), (Words{"out", "size"})) << signal;
        EXPECT_EQ(textOf(out), "before");
    }
}

TEST(OutputFiles, LeaveASignalIgnoredThatWasIgnored)
{
    const Finished run = shell("trap '' TERM; \"$@\" & sleep 0.1; kill -TERM $!; wait $!", shortRun);
    EXPECT_EQ(run.status, 0) << run;
}

TEST(OutputFiles, ThatExceedTheFileSizeLimitAreToldAndGoAway)
{
    const Folder folder;
    const std::string size = folder.file("size", "1000000"), out = folder.file("out", "before");
    expectError(shell("ulimit -f 64; exec \"$@\"", {"prescan", size, out}), 2, "cannot be written: File too large");
    EXPECT_EQ(textOf(out), "before");
    EXPECT_EQ(folder.names(), (Words{"out", "size"}));
}

TEST(OutputFiles, AStderrThatCannotBeWrittenChangesNothing)
{
    for (const char* script : {"exec \"$@\" 2>&-", "exec \"$@\" 2>/dev/full"}) {
        const Folder folder;
        const Finished run = shell(script, {"reduce/atomic", "-n", "64", "--json", folder / "r.json"});
        EXPECT_EQ(run.status, 0) << script << run;
        EXPECT_EQ(linesOf(run.out).size(), 3U) << run;
        EXPECT_TRUE(textOf(folder / "r.json").starts_with("{")) << textOf(folder / "r.json");
        EXPECT_EQ(shell(script, {"no/such-task"}).status, 2) << script;
    }
    const Folder folder;
    const Finished broken =
        runProgram("/bin/sh", {"-c", "{ sleep 0.2; \"$@\" 2>&1 >/dev/null; echo $? >\"$0\"; } | true",
                               folder / "status", A2_PROGRAM, "reduce/atomic", "-n", "64"});
    EXPECT_EQ(textOf(folder / "status"), "0\n") << broken;
}

TEST(OutputFiles, AClosedStdoutIsAnError)
{
    const Folder folder;
    for (const Words& words : {Words{"list"}, Words{"--help"}, with(shortRun, {"--json", folder / "r.json"})})
        expectError(shell("exec \"$@\" >&-", words), 2, "standard output could not be written");
    EXPECT_FALSE(contains(textOf(folder / "r.json"), "TEST PASSED")) << "the console's lines are no part of a report";
    EXPECT_EQ(shell("exec \"$@\" <&-", shortRun).status, 0);
    EXPECT_EQ(shell("exec \"$@\" <&- >&- 2>&-", shortRun).status, 2);
}

TEST(OutputFiles, AReaderThatGoesEndsTheProgramQuietly)
{
    const Folder folder;
    const Finished run =
        runProgram("/bin/sh", {"-c", "{ sleep 0.2; \"$@\"; echo $? >\"$0\"; } | true", folder / "status", A2_PROGRAM,
                               "reduce/atomic", "-n", "64", "--quiet", "--json", folder / "r.json"});
    EXPECT_EQ(textOf(folder / "status"), "141\n") << run;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(folder.names(), Words{"status"});
}

TEST(OutputFiles, ADumpThatIsNotFinishedGoesAway)
{
    const Folder folder;
    const Environment noDriver = {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}};
    const Words steps = {"steps", "reduce/atomic", "--dump", folder / "a/b"};
    EXPECT_EQ(runA2(steps, noDriver).status, 3);
    EXPECT_EQ(folder.names(), Words{});
    EXPECT_EQ(runA2(steps).status, 0);
    EXPECT_EQ(folder.names(), Words{"a"});
}

TEST(OutputFiles, ADumpBeyondTheSizeThatFilesMayHaveGoesAway)
{
    const Folder folder;
    const std::string limited = "ulimit -f 8; exec \"$@\"";
    const Words steps = {"steps", "reduce/atomic", "-n", "100000"};
    if (shell(limited, steps).status != 0)
        GTEST_SKIP() << "the CPU driver keeps its memory in files here, and does not run with such a limit";
    expectError(shell(limited, with(steps, {"--dump", folder / "a/b"})), 2, "File too large");
    EXPECT_EQ(folder.names(), Words{});
}

}  // namespace contract
