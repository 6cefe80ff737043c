#include "base/ProcessGroup.h"

#ifdef _WIN32

namespace a2 {

void endGroups() noexcept {}

}  // namespace a2

#else

#include <uv.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace a2 {

namespace {

// Those that run, 0 for an empty place. A program that finds no place still runs, but no signal ends it.
std::array<std::atomic<int>, 256> groups;
std::atomic<bool> ending = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

#ifdef __linux__

// Never more than what this program was given itself.
template <class Resource>
void limit(Resource resource, std::uint64_t most)
{
    rlimit now = {};
    if (getrlimit(resource, &now) != 0) return;
    const rlim_t both = std::min({static_cast<rlim_t>(most), now.rlim_cur, now.rlim_max});
    const rlimit wanted{both, both};
    setrlimit(resource, &wanted);
}

void limitAll(const ProcessLimits& limits)
{
    limit(RLIMIT_AS, limits.memoryBytes);
    limit(RLIMIT_FSIZE, limits.fileBytes);
    limit(RLIMIT_CORE, 0);
    // If this program is killed first, the other one must not run for ever.
    limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.time.count()) / 1000 + 1);
}

#else

void limitAll(const ProcessLimits&) {}

#endif

// The new process, until it becomes the program: only calls that are allowed after a fork. Returns where that failed.
int become(char* const* words, const ProcessLimits& limits, int output, int errors, int parent)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return ECANCELED;
#else
    static_cast<void>(parent);
#endif
    if (dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0) return errno;
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || (nothing != STDIN_FILENO && (dup2(nothing, STDIN_FILENO) < 0 || close(nothing) != 0)))
        return errno;
    limitAll(limits);
    for (int one = 1; one < 32; ++one) std::signal(one, SIG_DFL);
    sigset_t none = {};
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvp(words[0], words);
    return errno;
}

// A descriptor that none of the three streams will take the place of. Closed by exec.
int aboveStreams(int descriptor)
{
    return descriptor > STDERR_FILENO ? descriptor : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

void note(int group)
{
    for (std::atomic<int>& place : groups) {
        int empty = 0;
        if (place.compare_exchange_strong(empty, group)) break;
    }
    if (ending) killGroup(group);
}

void signalAll(int signal) noexcept
{
    for (const std::atomic<int>& one : groups)
        if (const int group = one; group > 0) kill(-group, signal);
}

bool oneRuns() noexcept
{
    return std::any_of(groups.begin(), groups.end(), [](const std::atomic<int>& one) {
        const int group = one;
        return group > 0 && waitpid(-group, nullptr, WNOHANG) >= 0;
    });
}

}  // namespace

int startGroup(char* const* words, const ProcessLimits& limits, int output, int errors)
{
    std::array<int, 2> failure = {-1, -1};  // the errno, if the program cannot be started; else its end
    if (const int none = uv_pipe(failure.data(), 0, 0); none != 0) return none;
    // No handler of this program runs in the new process.
    sigset_t all = {}, before = {};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int parent = getpid();
    const int process = fork();
    if (process == 0) {
        const int out = aboveStreams(output), err = aboveStreams(errors), told = aboveStreams(failure[1]);
        const int error = become(words, limits, out, err, parent);
        static_cast<void>(!write(told, &error, sizeof error));
        _exit(127);
    }
    int error = process < 0 ? errno : 0;
    if (process > 0) note(process);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(failure[1]);
    ssize_t told = 0;
    while (process > 0 && (told = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    close(failure[0]);
    if (process > 0 && told == sizeof error) {
        while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
        }
        forgetGroup(process);
    } else if (process > 0) {
        return process;
    }
    return -error;
}

void killGroup(int group) noexcept { kill(-group, SIGKILL); }

void forgetGroup(int group) noexcept
{
    for (std::atomic<int>& place : groups) {
        int expected = group;
        if (place.compare_exchange_strong(expected, 0)) return;
    }
}

void endGroups() noexcept
{
    ending = true;
    signalAll(SIGTERM);
    constexpr timespec moment = {0, 5'000'000};
    constexpr int mostMoments = 900;  // four and a half seconds: an a2 among them may wait so long for a driver
    for (int i = 0; i < mostMoments && oneRuns(); ++i) nanosleep(&moment, nullptr);
    signalAll(SIGKILL);
}

}  // namespace a2

#endif
