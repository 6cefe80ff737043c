// The device is used in a separate process: if that crashes, only one row fails, and it does not outlive the a2 that
// the user started.

#include "RunA2.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace contract {

namespace {

namespace fs = std::filesystem;

bool isThere(pid_t process) { return kill(process, 0) == 0; }

// On Linux; other systems do not show them.
std::vector<pid_t> childrenOf(pid_t parent)
{
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
        std::string stat;
        try {
            stat = textOf(entry.path() / "stat");
        } catch (const std::ios_base::failure&) {  // the process has ended meanwhile
            continue;
        }
        const std::size_t behindName = stat.rfind(") ");
        if (behindName == std::string::npos || stat[behindName + 2] == 'Z') continue;
        if (std::stol(stat.substr(behindName + 4)) == parent) found.push_back(static_cast<pid_t>(std::stol(name)));
    }
    return found;
}

void waitFor(const std::function<bool()>& what, int seconds = 60)
{
    for (int i = 0; i < seconds * 100 && !what(); ++i) usleep(10'000);
}

// A running a2. Its output goes to files.
class Running {
public:
    Running(const Words& words, const Folder& folder)
    {
        std::vector<std::string> all = {A2_PROGRAM};
        all.insert(all.end(), words.begin(), words.end());
        std::vector<char*> arguments;
        for (std::string& word : all) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const std::string out = folder / "out", err = folder / "err";
        a2_ = fork();
        if (a2_ == 0) {
            if (!std::freopen(out.c_str(), "w", stdout) || !std::freopen(err.c_str(), "w", stderr)) _exit(126);
            execv(arguments[0], arguments.data());
            _exit(127);
        }
    }
    ~Running()
    {
        if (a2_ > 0) kill(a2_, SIGKILL);
        wait();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    pid_t a2() const { return a2_; }
    // The device's process, and a2's worker.
    std::vector<pid_t> others() const
    {
        std::vector<pid_t> all = childrenOf(a2_);
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const pid_t child : childrenOf(all[i])) all.push_back(child);
        return all;
    }

    // The exit status; or 128 + the signal that ended it.
    int wait()
    {
        if (a2_ <= 0) return -1;
        int ended = 0;
        waitpid(a2_, &ended, 0);
        a2_ = 0;
        return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    }

private:
    pid_t a2_;
};

// The second row keeps it busy for a long time.
Words longRun(const Folder& folder)
{
    return {"run",     "reduce/atomic", "scan/naive", "-n",      "1000000", "-r",
            "1000000", "--max-time",    "3",          "--quiet", "--json",  folder / "r.json",
            "--junit", folder / "r.xml"};
}

}  // namespace

class DeviceProcess : public testing::Test {
protected:
    void SetUp() override
    {
        if (!fs::exists("/proc/self/stat")) GTEST_SKIP() << "no /proc to find processes in";
    }
};

TEST_F(DeviceProcess, EndedFromOutsideCostsOneRow)
{
    const Folder folder;
    Running run(longRun(folder), folder);
    waitFor([&] { return contains(textOf(folder / "out"), "TEST PASSED"); });
    usleep(1'500'000);  // the next row has begun
    const auto others = childrenOf(run.a2());
    ASSERT_EQ(others.size(), 1U);
    kill(others.front(), SIGKILL);
    EXPECT_EQ(run.wait(), 4);
    const std::string out = textOf(folder / "out"), err = textOf(folder / "err");
    EXPECT_TRUE(contains(out, "TEST PASSED\n[Task2] evaluating Naive\n  failed with -n ")) << out;
    EXPECT_TRUE(contains(out, "signal 9 (killed)")) << out;
    EXPECT_EQ(linesOf(out).back(), "TEST FAILED") << out;
    EXPECT_EQ(linesOf(err).size(), 1U) << err;
    EXPECT_TRUE(err.starts_with("a2: error: scan/naive: ")) << err;
    const std::string json = textOf(folder / "r.json");
    EXPECT_LT(json.find("\"status\": \"passed\""), json.find("\"status\": \"crashed\"")) << json;
    EXPECT_TRUE(contains(json, "\"status\": \"crashed\"")) << json;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "r.json"}).status, 0);
    EXPECT_EQ(folder.names(), (Words{"err", "out", "r.json", "r.xml"}));
}

TEST_F(DeviceProcess, EndsWithTheProgram)
{
    for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
        const Folder folder;
        // JSON would measure the copy kernel first, before there is a worker.
        Running run({"run", "scan/naive", "-n", "1000000", "-r", "1000000", "--quiet", "--junit", folder / "r.xml"},
                    folder);
        waitFor([&] { return run.others().size() == 2; });  // its worker has started, too
        const auto others = run.others();
        ASSERT_EQ(others.size(), 2U);
        kill(run.a2(), signal);
        EXPECT_EQ(run.wait(), 128 + signal);
        waitFor([&] { return std::none_of(others.begin(), others.end(), isThere); });
        for (const pid_t one : others) EXPECT_FALSE(isThere(one)) << "after signal " << signal;
        EXPECT_EQ(folder.names(), (Words{"err", "out"})) << signal;
    }
}

// Only the device's process loads drivers.
TEST_F(DeviceProcess, IsTheOnlyOneWithADriver)
{
    const Folder folder;
    Running run(longRun(folder), folder);
    waitFor([&] { return contains(textOf(folder / "out"), "TEST PASSED"); });
    const auto others = childrenOf(run.a2());
    ASSERT_EQ(others.size(), 1U);
    const auto maps = [](pid_t process) { return textOf("/proc/" + std::to_string(process) + "/maps"); };
    if (maps(others.front()).empty()) GTEST_SKIP() << "root alone sees what a2 has loaded: it is not to be traced";
    EXPECT_TRUE(contains(maps(others.front()), "libvulkan")) << maps(others.front());
    EXPECT_FALSE(contains(maps(run.a2()), "libvulkan")) << maps(run.a2());
}

TEST_F(DeviceProcess, CannotBeStartedByHand)
{
    expectError(runA2({"--work-the-device-for-a2", "run"}), 2, "leave it out");
    EXPECT_FALSE(contains(runA2({"--help"}).out, "--work-the-device"));
}

// A copy of a2 with this library of solutions.
std::string copyOf(const Folder& folder, const char* library)
{
    fs::copy_file(A2_PROGRAM, folder / "a2");
    fs::copy_file(A2_WORKER, folder / fs::path(A2_WORKER).filename().string());
    fs::copy_file(library, folder / A2_SOLUTIONS_NAME);
    return folder / "a2";
}

// a2 judges what was built, and says so.
TEST(HostCode, ThatChangedSinceTheBuildIsNamed)
{
    const Folder folder;
    const std::string a2 = copyOf(folder, (fs::path(A2_PROGRAM).parent_path() / A2_SOLUTIONS_NAME).c_str());
    const std::string said = "note: src/A2Task1Solution/KernelDecomposition.cpp has changed since the build";
    EXPECT_FALSE(contains(runProgram(a2, {"reduce/atomic", "-n", "100"}).err, "has changed"));
    fs::last_write_time(folder / A2_SOLUTIONS_NAME,
                        fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 30));
    const Finished old = runProgram(a2, {"reduce/atomic", "reduce/unroll", "-n", "100"});
    EXPECT_EQ(old.status, 0) << old;
    EXPECT_TRUE(contains(old.err, said)) << old;
}

// Student code that ends its process also counts as `crashed`, but the device is not at fault.
TEST(SolutionThatCrashes, IsATaskThatFailed)
{
    const Folder folder;
    const std::string a2 = copyOf(folder, A2_CRASHING);
    for (const char* command : {"run", "check", "bench"}) {
        const Finished run = runProgram(a2, {command, "reduce/atomic", "scan/naive", "-n", "100", "--json",
                                             folder / "r.json", "--junit", folder / "r.xml"});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_EQ(linesOf(run.out).back(), "TEST FAILED") << run;
        EXPECT_TRUE(contains(run.out, "signal 6 (aborted)")) << run;
        EXPECT_FALSE(contains(run.err, "a2: error: ")) << run;
        EXPECT_TRUE(contains(textOf(folder / "r.json"), "\"status\": \"crashed\"")) << textOf(folder / "r.json");
        EXPECT_TRUE(contains(textOf(folder / "r.xml"), "type=\"crashed\"")) << textOf(folder / "r.xml");
        EXPECT_TRUE(contains(inspect({"junit", folder / "r.xml"}).out, "claims 2 0 2 0\nholds 2 0 2 0\n")) << run;
    }
}

// A file that can be read only once must reach the device's process.
TEST_F(DeviceProcess, GetsWhatCameThroughAPipe)
{
    const Finished run = runProgram(
        "/bin/sh", {"-c", "echo 1 2 3 4 5 | \"$0\" check reduce/atomic -p file:/dev/stdin --quiet", A2_PROGRAM});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
}

}  // namespace contract
