// What student code cannot reach from inside the worker, whatever it calls: the parent process, other processes, files,
// the network, rights, memory beyond the limits. Each attack is really made (Attacks.cpp).

#include "base/Confinement.h"
#include "files/TemporaryFolder.h"
#include "worker/Worker.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#ifdef __linux__

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace a2 {

namespace {

namespace fs = std::filesystem;

RecordRequest request(const std::string& what)
{
    RecordRequest result;
    result.task = "reduce/misbehaving";
    result.factory = "Misbehaving";
    result.shaders = {what};
    result.count = 1000;
    result.runs = 1;
    result.device.properties.resize(sizeof(VkPhysicalDeviceProperties));
    result.device.subgroupSize = 32;
    return result;
}

// The lines that it printed. The answer must be a recording.
std::vector<std::string> saidWhile(const std::string& what, const WorkerPrograms& programs)
{
    std::vector<std::string> said;
    Worker worker(programs, [&](const std::string& line) { said.push_back(line); });
    const RecordAnswer answer = worker.record(request(what));
    if (const auto* const failure = std::get_if<RecordFailure>(&answer)) ADD_FAILURE() << failure->what;
    return said;
}

bool filesCanBeRefused() { return syscall(444, nullptr, 0, 1) >= 1; }  // Landlock

// Attacks that are not prevented if only calls are filtered.
bool isAboutFiles(const std::string& line)
{
    for (const char* word :
         {"write-", "read-", "list-", "terminal", "link", "nameless", "pipe-with", "kernel-messages", "open-parents"})
        if (line.find(word) != std::string::npos) return true;
    return false;
}

// Runs it in a separate process, because its effects on the process stay. Returns the exit status.
template <class Do>
int apart(const Do& does)
{
    const pid_t child = fork();
    if (child == 0) _exit(does());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST(Confinement, RefusesEachAttackOfStudentCode)
{
    const std::vector<std::string> said = saidWhile("record attack-all", {A2_TEST_WORKER, A2_TEST_SOLUTIONS});
    constexpr std::size_t attacks = 65;
    EXPECT_GE(said.size(), attacks);
    for (const std::string& line : said) {
        if (!filesCanBeRefused() && isAboutFiles(line)) continue;
        EXPECT_TRUE(line.starts_with("refused ")) << line;
    }
}

// A refused attack only fails itself; the same holds for one while a library is loaded.
TEST(Confinement, HoldsForEachPlaceOfASolution)
{
    for (const char* place : {"make", "record", "result", "destroy"})
        for (const char* what : {"signal-parent", "unix-socket", "start-a-child", "memory-as-a-file"}) {
            const auto said = saidWhile(std::string(place) + " " + what, {A2_TEST_WORKER, A2_TEST_SOLUTIONS});
            EXPECT_EQ(said, std::vector<std::string>{std::string("refused ") + what}) << place;
        }
}

// As below /root: only root may enter the folder, but the solutions still run in another user's process.
TEST(Confinement, LoadsALibraryThatOthersCannotReach)
{
    const TemporaryFolder folder;  // only its owner may enter it
    const fs::path library = folder.path() / "solutions.so";
    for (const mode_t mode : {0755U, 0600U}) {
        fs::copy_file(A2_TEST_SOLUTIONS, library);
        chmod(library.c_str(), mode);
        const auto said = saidWhile("record trace-parent", {A2_TEST_WORKER, library});
        EXPECT_EQ(said, std::vector<std::string>{"refused trace-parent"}) << mode;
        fs::remove(library);
    }
}

TEST(Confinement, MakesRootAnotherUserWithoutRights)
{
    if (geteuid() != 0) GTEST_SKIP() << "for root";
    EXPECT_EQ(
        apart([] {
            dropRights();
            if (geteuid() == 0 || getegid() == 0 || getgroups(0, nullptr) != 0) return 1;
            if (setuid(0) == 0 || seteuid(0) == 0) return 2;
            std::ifstream status("/proc/self/status");
            for (std::string line; std::getline(status, line);)
                if (line.starts_with("Cap") && line.find_first_not_of('0', line.find('\t') + 1) != std::string::npos)
                    return 3;
            return 0;
        }),
        0);
    EXPECT_EQ(
        apart([] {
            dropRights(false);
            std::ifstream status("/proc/self/status");
            for (std::string line; std::getline(status, line);)
                if (line.starts_with("CapEff") && line.find_first_not_of('0', line.find('\t') + 1) != std::string::npos)
                    return 3;
            return geteuid() == 0 ? 0 : 1;
        }),
        0);
}

TEST(Confinement, HidesAProcess)
{
    EXPECT_EQ(apart([] {
                  hideProcess();
                  return prctl(PR_GET_DUMPABLE);
              }),
              0);
}

// The call numbers of another processor or another ABI are no way around the list.
TEST(Confinement, EndsAProcessThatCallsByOtherNumbers)
{
#ifdef __x86_64__
    EXPECT_EQ(apart([] {
                  confine({{"/"}, {}, false});
                  constexpr long x32 = 0x4000'0000;
                  syscall(x32 + 39);
                  return 0;
              }),
              -SIGSYS);
#else
    GTEST_SKIP() << "of x86-64";
#endif
}

// The device's process starts a compiler, ends it, and writes the files that it must write.
TEST(Confinement, LetsADevicesProcessWork)
{
    const TemporaryFolder folder;
    const std::string inside = (folder.path() / "inside").string();
    EXPECT_EQ(apart([&] {
                  confine({{"/"}, {folder.path().string(), "/dev"}, true});
                  std::ofstream(inside) << "x";
                  if (!fs::exists(inside)) return 1;
                  const pid_t child = fork();
                  if (child == 0) {
                      execl("/bin/sh", "sh", "-c", "exec sleep 60", nullptr);
                      _exit(7);
                  }
                  if (child < 0 || kill(child, SIGKILL) != 0) return 2;
                  int status = 0;
                  waitpid(child, &status, 0);
                  if (!WIFSIGNALED(status)) return 3;
                  if (syscall(SYS_ptrace, 0, 0, 0, 0) >= 0) return 4;
                  if (syscall(SYS_socket, 2, 1, 0) >= 0) return 5;
                  if (filesCanBeRefused() && std::ofstream("/tmp/../tmp/a2-outside-of-all", std::ios::app).is_open())
                      return 6;
                  return 0;
              }),
              0);
    fs::remove(inside);
}

}  // namespace a2

#endif
