#include "files/Leftover.h"

#include "base/ProcessGroup.h"

#include <atomic>
#include <utility>

#ifdef _WIN32
#include <windows.h>
#else
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#endif

namespace a2 {

// Written once, before it is in the list, so that a signal handler may read it at any moment.
struct Leftover::Entry {
    std::filesystem::path path;
    Kind kind;
    std::atomic<bool> there = true;
    Entry* next = nullptr;
};

namespace {

std::atomic<Leftover::Entry*> newest = nullptr;
LeftoverNews tell;
std::atomic<int> toEnd = 0;  // a process
static_assert(std::atomic<Leftover::Entry*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Uses only functions that a signal handler may call.
void removeEntry(Leftover::Entry& entry) noexcept
{
    if (!entry.there.exchange(false)) return;
    const bool folder = entry.kind == Leftover::Kind::folder;
#ifdef _WIN32
    // On Windows, a link to a folder counts as a folder.
    if (folder || !DeleteFileW(entry.path.c_str())) RemoveDirectoryW(entry.path.c_str());
#else
    folder ? rmdir(entry.path.c_str()) : unlink(entry.path.c_str());
#endif
}

}  // namespace

Leftover::Leftover(const std::filesystem::path& path, Kind kind) : entry_(new Entry{path, kind})
{
    entry_->next = newest.load();
    while (!newest.compare_exchange_weak(entry_->next, entry_)) {
    }
    if (tell) tell(path, kind, false);
}

Leftover::Leftover(Leftover&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}

Leftover& Leftover::operator=(Leftover&& other) noexcept
{
    if (this == &other) return *this;
    remove();
    entry_ = std::exchange(other.entry_, nullptr);
    return *this;
}

void Leftover::keep() noexcept
{
    if (entry_) entry_->there = false;
    if (entry_ && tell) tell(entry_->path, entry_->kind, true);
    entry_ = nullptr;
}

void Leftover::remove() noexcept
{
    if (entry_) removeEntry(*entry_);
    entry_ = nullptr;
}

void tellOfLeftovers(LeftoverNews news) { tell = std::move(news); }

void endBeforeLeftovers(int process) noexcept { toEnd = process; }

void removeLeftovers() noexcept
{
    for (Leftover::Entry* entry = newest.load(); entry; entry = entry->next) removeEntry(*entry);
}

#ifdef _WIN32

namespace {

BOOL WINAPI onConsoleEvent(DWORD)
{
    removeLeftovers();
    return FALSE;  // FALSE: the program ends as it would have without this handler
}

}  // namespace

void removeLeftoversOnSignals() { SetConsoleCtrlHandler(onConsoleEvent, TRUE); }

#else

namespace {

bool readerOfStdoutHasGone()
{
    pollfd out = {STDOUT_FILENO, 0, 0};
    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

void endProcess()
{
    const pid_t process = toEnd.exchange(0);
    if (process <= 0) return;
    constexpr timespec moment = {0, 5'000'000};
    for (const int signal : {SIGTERM, SIGKILL}) {  // a driver's work in the system's kernel may survive both
        kill(process, signal);
        for (int i = 0; i < 400; ++i) {  // two seconds
            if (waitpid(process, nullptr, WNOHANG) != 0) return;
            nanosleep(&moment, nullptr);
        }
    }
}

void onSignal(int signal)
{
    const int error = errno;
    if (signal == SIGPIPE && !readerOfStdoutHasGone()) {  // from stderr or a report; their write reports it
        errno = error;
        return;
    }
    endProcess();
    endGroups();
    removeLeftovers();
    std::signal(signal, SIG_DFL);
    raise(signal);  // ends the program when this handler returns
}

}  // namespace

void removeLeftoversOnSignals()
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE}) {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action.sa_handler = onSignal;
        action.sa_flags = SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

#endif

}  // namespace a2
