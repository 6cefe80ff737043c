// Starting other programs.

#include "a2/Error.h"
#include "base/Process.h"
#include "files/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#ifndef _WIN32
#include <poll.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

using Ended = ProcessResult::Ended;
namespace fs = std::filesystem;

ProcessResult child(const std::vector<std::string>& arguments, const ProcessLimits& limits = {})
{
    return runProcess(A2_TEST_CHILD, arguments, limits);
}

// On Windows a text stream ends lines with a carriage return.
std::string withoutReturns(std::string text)
{
    std::erase(text, '\r');
    return text;
}

}  // namespace

TEST(Process, PassesArgumentsAsTheyAre)
{
    const std::vector<std::string> odd = {"",       "a b",       "\"", "'",    "\\", "a\\\"b \\", "$HOME",
                                          "%PATH%", "`ls`",      "*",  "~",    "-o", "&& ls",     ";",
                                          "!x",     "new\nline", "^",  "$(x)", "|",  "a\tb'\"",   "\\\\x\\"};
    std::vector<std::string> words = {"arguments"};
    std::string expected;
    for (const std::string& one : odd) {
        words.push_back(one);
        expected += "[" + one + "]\n";
    }
    const ProcessResult result = child(words);
    EXPECT_TRUE(result.succeeded()) << result.howItEnded({});
    EXPECT_EQ(withoutReturns(result.output), expected);
}

TEST(Process, GivesStatusAndBothStreams)
{
    for (const int status : {0, 1, 3, 127}) {
        const ProcessResult result = child({"exit", std::to_string(status)});
        EXPECT_EQ(result.ended, Ended::exited);
        EXPECT_EQ(result.status, status);
        EXPECT_EQ(result.succeeded(), status == 0);
    }
    EXPECT_EQ(withoutReturns(child({"stderr"}).output), "to stderr\n");
    EXPECT_EQ(withoutReturns(child({"stdin"}).output), "-1\n") << "stdin is not empty";
}

TEST(Process, TellsACrashFromAnExitStatus)
{
    const ProcessResult result = child({"crash"});
    EXPECT_FALSE(result.succeeded());
#ifndef _WIN32
    EXPECT_EQ(result.ended, Ended::signalled);
    EXPECT_EQ(result.howItEnded({}), "signal 6");
#endif
}

TEST(Process, EndsWhatTakesTooLong)
{
    ProcessLimits limits;
    limits.time = std::chrono::milliseconds(200);
    const ProcessResult result = child({"sleep"}, limits);
    EXPECT_EQ(result.ended, Ended::timedOut);
    EXPECT_EQ(result.howItEnded(limits), "0.2 s were not enough");
}

#ifndef _WIN32
TEST(Process, WaitsNoLongerForOneThatALeftOverProgramHoldsOpen)
{
    ProcessLimits limits;
    limits.time = std::chrono::seconds(3);
    const ProcessResult result = runProcess("sh", {"-c", "echo here; sleep 60 & exit 4"}, limits);
    EXPECT_EQ(result.ended, Ended::exited);
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(result.output, "here\n");
}
#endif

TEST(Process, SaysWhyNothingStarted)
{
    for (const char* program : {"a2-no-such-program", "/a2/no/such/program"}) {
        const ProcessResult result = runProcess(program, {});
        EXPECT_EQ(result.ended, Ended::notStarted) << program;
        EXPECT_FALSE(result.problem.empty()) << program;
        EXPECT_NE(result.howItEnded({}).find(result.problem), std::string::npos);
    }
}

TEST(Process, KeepsAsMuchOutputAsAsked)
{
    ProcessLimits limits;
    limits.outputBytes = 25;
    const ProcessResult result = child({"flood"}, limits);
    EXPECT_TRUE(result.succeeded()) << result.howItEnded(limits);
    EXPECT_EQ(result.output.size(), 25U);
    EXPECT_EQ(result.output.substr(0, 10), "0123456789");
}

#ifndef _WIN32
// A pipe whose writing end every process has that is started now: its end comes with the last of them.
class Witness {
public:
    Witness() { EXPECT_EQ(pipe(ends_.data()), 0); }
    ~Witness() { close(ends_[0]); }
    std::string writer() const { return std::to_string(ends_[1]); }
    bool isToldSomething() const { return read(ends_[0], &byte_, 1) == 1; }
    bool allEnd()
    {
        close(ends_[1]);
        pollfd end = {ends_[0], POLLIN, 0};
        while (poll(&end, 1, 10'000) == 1)
            if (read(ends_[0], &byte_, 1) == 0) return true;
        return false;
    }

private:
    std::array<int, 2> ends_{};
    mutable char byte_ = 0;
};

TEST(Process, EndsAllThatAProgramHasStarted)
{
    ProcessLimits limits;
    limits.time = std::chrono::milliseconds(300);
    for (const std::string last : {"wait", "exit"}) {
        Witness witness;
        const ProcessResult result = runProcess("sh", {"-c", "sleep 60 & " + last}, limits);
        EXPECT_EQ(result.ended, last == "wait" ? Ended::timedOut : Ended::exited);
        EXPECT_TRUE(witness.allEnd()) << last;
    }
}

TEST(Process, IsEndedWithItsChildrenByTheSignalThatEndsThisOne)
{
    for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
        Witness witness;
        const auto end = [&] {
            removeLeftoversOnSignals();
            std::thread([&] { runProcess("sh", {"-c", "sleep 60 & echo >&" + witness.writer() + "; wait"}); }).detach();
            if (witness.isToldSomething()) raise(signal);
        };
        EXPECT_EXIT(end(), testing::KilledBySignal(signal), "");
        EXPECT_TRUE(witness.allEnd()) << signal;
    }
}
#endif

#ifdef __linux__
// Not from just after its start: by then it may have started others, which would have no limits.
TEST(Process, HasItsLimitsBeforeItBegins)
{
    ProcessLimits limits;
    limits.time = std::chrono::seconds(20);
    limits.memoryBytes = std::uint64_t{3} << 30;
    limits.fileBytes = 1 << 20;
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(runProcess("sh", {"-c", "ulimit -t; ulimit -v; ulimit -f; ulimit -c"}, limits).output,
                  "21\n3145728\n2048\n0\n");
}

TEST(Process, LimitsMemory)
{
    ProcessLimits limits;
    EXPECT_TRUE(child({"memory"}, limits).succeeded());
    limits.memoryBytes = 200 << 20;
    EXPECT_FALSE(child({"memory"}, limits).succeeded());
}
#endif

TEST(TemporaryFolders, AreFreshAndGoAway)
{
    fs::path first;
    {
        const TemporaryFolder one, other;
        first = one.path();
        EXPECT_TRUE(first.is_absolute());
        EXPECT_NE(first, other.path());
        EXPECT_TRUE(fs::is_empty(first));
#ifndef _WIN32
        EXPECT_EQ(fs::status(first).permissions(), fs::perms::owner_all);
#endif
        std::ofstream(first / "file") << "text";
    }
    EXPECT_FALSE(fs::exists(first));
    try {
        const TemporaryFolder one;
        first = one.path();
        throw 1;
    } catch (int) {
    }
    EXPECT_FALSE(fs::exists(first));
}

#ifndef _WIN32
TEST(TemporaryFolders, NameThePlaceWhereNoneCanBe)
{
    const auto end = [] {
        setenv("TMPDIR", "/a2/no/such/folder", 1);
        try {
            const TemporaryFolder one;
        } catch (const EnvironmentError& error) {
            std::fputs(error.what(), stderr);
            std::_Exit(3);
        }
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(3), "could be made in '/a2/no/such/folder': ");
}

// Each runs in its own process, which then ends.
TEST(TemporaryFolders, GoAwayWithAProgramThatIsEnded)
{
    const TemporaryFolder around;
    std::ofstream(around.path() / "stays") << "or the folder would go with that process, too";
    const auto isAlone = [&] {
        return std::distance(fs::directory_iterator(around.path()), fs::directory_iterator()) == 1;
    };
    const auto end = [&](const std::function<void()>& how) {
        setenv("TMPDIR", around.path().c_str(), 1);
        removeLeftoversOnSignals();
        TemporaryFolder one;
        std::ofstream(one.file("written")) << "text";
        one.file("not written");
        std::ofstream(one.folder("inner") / "x");
        fs::rename(one.path() / "inner" / "x", one.file("inner/file"));
        fs::create_directory_symlink(around.path(), one.file("link"));
        if (isAlone()) return;  // its folder is in another place
        how();
    };
    EXPECT_EXIT(end([] { raise(SIGTERM); }), testing::KilledBySignal(SIGTERM), "");
    EXPECT_TRUE(isAlone());
    EXPECT_EXIT(end([] {
                    removeLeftovers();
                    std::_Exit(7);
                }),
                testing::ExitedWithCode(7), "");
    EXPECT_TRUE(isAlone());
}
#endif

}  // namespace a2
