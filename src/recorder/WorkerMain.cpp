// The process that student code runs in, before that code runs: it moves a2's pipes to where student code does not find
// them, sets limits and loads the library of solutions. It knows nothing of Vulkan or of recordings.
//
// Nothing that student code prints or returns can look like an answer: its standard output is the process's standard
// error, and a2 only sees that the process ended, whatever its exit status is.

#include "base/Confinement.h"
#include "base/Sanitized.h"
#include "recorder/OwnLimits.h"
#include "recording/Pipe.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <fcntl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if A2_IS_SANITIZED
// The leak checker traces its own process, which the confinement forbids.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return 1; }
#endif

namespace a2 {

namespace {

// The same as the contract's for a2 itself.
constexpr int wrongUsage = 2, environmentLacks = 3;

struct Pipes {
    Pipe requests, answers;
};

#ifdef _WIN32

std::intptr_t privateCopy(DWORD which)
{
    HANDLE copy = nullptr;
    DuplicateHandle(GetCurrentProcess(), GetStdHandle(which), GetCurrentProcess(), &copy, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    return reinterpret_cast<std::intptr_t>(copy);
}

// Moves the pipes away from the standard streams. These get an empty input and the error stream instead.
Pipes takePipes()
{
    const Pipes pipes{Pipe(privateCopy(STD_INPUT_HANDLE)), Pipe(privateCopy(STD_OUTPUT_HANDLE))};
    const int empty = _open("NUL", _O_RDONLY);
    _dup2(empty, 0);
    _close(empty);
    _dup2(2, 1);
    SetStdHandle(STD_INPUT_HANDLE, reinterpret_cast<HANDLE>(_get_osfhandle(0)));
    SetStdHandle(STD_OUTPUT_HANDLE, reinterpret_cast<HANDLE>(_get_osfhandle(1)));
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    return pipes;
}

void limitMemory(std::uint64_t) {}

std::string confineTo(const char* path) { return path; }  // a2's processes are in a job

void prepareProcess()
{
    SetConsoleCtrlHandler(nullptr, TRUE);                          // a2 ends the worker, not Ctrl-C
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no window that waits for the user
#ifdef _MSC_VER                                                    // the MinGW runtime shows no window
    _set_abort_behavior(0, _WRITE_ABORT_MSG | _CALL_REPORTFAULT);
#endif
}

class Library {
public:
    explicit Library(const std::string& path)
        : module_(LoadLibraryA(path.c_str())) {}  // UTF-8, by the program's manifest
    explicit operator bool() const { return module_ != nullptr; }
    static std::string problem() { return "error " + std::to_string(GetLastError()); }

    template <class Function>
    Function* find(const char* name) const
    {
        return reinterpret_cast<Function*>(reinterpret_cast<void*>(GetProcAddress(module_, name)));
    }

private:
    HMODULE module_;
};

#else

// Closes everything but the standard streams: a2 may have left other files open by mistake.
void closeOthers()
{
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
#endif
    const int most = static_cast<int>(std::min(sysconf(_SC_OPEN_MAX), 65'536L));
    for (int i = 3; i < most; ++i) close(i);
}

// Moves the pipes away from the standard streams. These get an empty input and the error stream instead. The pipes' new
// numbers are high, so that no file gets one of them by accident.
Pipes takePipes()
{
    closeOthers();
    const int high = static_cast<int>(std::min(200L, sysconf(_SC_OPEN_MAX) - 4));  // the limit may be low
    const Pipes pipes{Pipe(fcntl(0, F_DUPFD_CLOEXEC, high)), Pipe(fcntl(1, F_DUPFD_CLOEXEC, high))};
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(empty, 0);
    close(empty);
    dup2(2, 1);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    return pipes;
}

// Limits memory to that many bytes beyond what the process has now. A sanitizer takes terabytes of addresses for
// itself.
void limitMemory([[maybe_unused]] std::uint64_t bytes)
{
#if defined(__linux__) && !A2_IS_SANITIZED
    unsigned long pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    bytes += std::uint64_t{pages} * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const rlimit both{bytes, bytes};
    setrlimit(RLIMIT_AS, &both);
#endif
}

#ifdef __linux__

// The solutions, the system's libraries, and the folders from which this program's own libraries were loaded.
std::vector<std::string> readFiles(const std::string& solutions)
{
    std::vector<std::string> read = foldersOfLibraries();
    read.insert(read.end(), {solutions, "/usr", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/localtime",
                             "/dev/zero", "/dev/urandom", "/dev/random", "/proc/cpuinfo",
                             "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"});
#if A2_IS_SANITIZED
    read.push_back("/proc/self");
#endif
    return read;
}

// Called before the first line of student code: from now on, that code can only compute, print and answer. Returns the
// path from which the solutions are loaded.
std::string confineTo(const char* path)
{
    std::string name = path;
    const uid_t before = geteuid();
    const bool readable = isReadableWithoutRights(path);
    if (const int file = readable ? -1 : open(path, O_RDONLY | O_CLOEXEC); file >= 0)
        name = "/proc/self/fd/" + std::to_string(file);  // for example a file below /root
    // If only root may read the file itself, the process stays root, without any other right.
    dropRights(readable || isReadableWithoutRights(name));
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // again: becoming another user clears it
    const rlimit none{0, 0}, files{256, 256}, threads{512, 512};
    setrlimit(RLIMIT_FSIZE, &none);  // also for memory that is a file
    setrlimit(RLIMIT_MSGQUEUE, &none);
    setrlimit(RLIMIT_NOFILE, &files);
    if (geteuid() != before) setrlimit(RLIMIT_NPROC, &threads);  // the own user may have many threads
    std::signal(SIGXFSZ, SIG_IGN);
    setsid();  // leaves the terminal
    Confinement to;
    to.read = readFiles(name);
    to.write = {"/dev/null"};
    confine(to);
    return name;
}

#else

std::string confineTo(const char* path) { return path; }

#endif

void prepareProcess()
{
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // when a2 has gone; elsewhere the worker's own time limit ends it
#endif
    std::signal(SIGINT, SIG_IGN);      // from the terminal: a2 ends the worker
    std::signal(SIGPIPE, SIG_IGN);     // if a2 has gone, the write reports it
}

class Library {
public:
    explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
    explicit operator bool() const { return handle_ != nullptr; }
    static std::string problem()
    {
        const char* const text = dlerror();
        return text ? text : "unknown";
    }

    template <class Function>
    Function* find(const char* name) const
    {
        return reinterpret_cast<Function*>(dlsym(handle_, name));
    }

private:
    void* handle_;
};

#endif

bool isNumber(const char* text, std::uint64_t& number)
{
    const char* const end = text + std::strlen(text);
    const auto [at, error] = std::from_chars(text, end, number);
    return error == std::errc() && at == end;
}

int trouble(const Pipes& pipes, const std::string& message)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    pipes.answers.writeFrame(Frame::trouble, std::string_view(message));
    return environmentLacks;
}

// Fills memory that is allocated from now on with 0xA5: a member without a value is not 0 by luck.
void fillMemory()
{
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0x5A);  // the complement is what memory gets
#endif
}

int work(const Pipes& pipes, const char* path, const ServeLimits& limits, bool fills)
{
    pipes.answers.writeFrame(Frame::version, std::string_view(std::to_string(workerVersion)));
    limitMemory(limits.memoryBytes);
    startTheClock(limits.seconds);
    if (fills) fillMemory();
    const Library library(confineTo(path));
    if (!library) return trouble(pipes, std::string(path) + " cannot be loaded: " + Library::problem());
    const auto version = library.find<A2WorkerVersion>("a2WorkerVersion");
    const auto serve = library.find<A2Serve>("a2Serve");
    if (!version || !serve) return trouble(pipes, std::string(path) + " is no library of solutions");
    if (version() != workerVersion)
        return trouble(pipes, std::string(path) + " is of version " + std::to_string(version()) +
                                  ", and its worker of version " + std::to_string(workerVersion));
    if (!pipes.answers.writeFrame(Frame::ready, std::string_view())) return pipeLost;
    return serve(pipes.requests.handle(), pipes.answers.handle(), &limits);
}

}  // namespace

}  // namespace a2

int main(int argc, char** argv)
{
    using namespace a2;
    ServeLimits limits;
    std::uint64_t fills = 0;
    if (argc != 8 || !isNumber(argv[2], limits.seconds) || !isNumber(argv[3], limits.memoryBytes) ||
        !isNumber(argv[4], limits.recording.commands) || !isNumber(argv[5], limits.recording.objects) ||
        !isNumber(argv[6], limits.recording.bytes) || !isNumber(argv[7], fills)) {
        std::fputs("a2_worker is started by a2\n", stderr);
        return wrongUsage;
    }
    prepareProcess();
    const int status = work(takePipes(), argv[1], limits, fills != 0);
    // No destructors: some are student code's, and their effects do not matter.
    std::fflush(nullptr);
    std::_Exit(status);
}
