#include "report/Leftover.h"

#include <atomic>
#include <utility>

#ifdef _WIN32
#include <windows.h>
#else
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#endif

namespace a2 {

// Written once, before it is in the list: so a handler may read it at any moment.
struct Leftover::Entry {
    std::filesystem::path path;
    Kind kind;
    std::atomic<bool> there = true;
    Entry* next = nullptr;
};

namespace {

std::atomic<Leftover::Entry*> newest = nullptr;
static_assert(std::atomic<Leftover::Entry*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Only what a signal's handler may call.
void removeEntry(Leftover::Entry& entry) noexcept
{
    if (!entry.there.exchange(false)) return;
    const bool folder = entry.kind == Leftover::Kind::folder;
#ifdef _WIN32
    folder ? RemoveDirectoryW(entry.path.c_str()) : DeleteFileW(entry.path.c_str());
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
    entry_ = nullptr;
}

void Leftover::remove() noexcept
{
    if (entry_) removeEntry(*entry_);
    entry_ = nullptr;
}

void removeLeftovers() noexcept
{
    for (Leftover::Entry* entry = newest.load(); entry; entry = entry->next) removeEntry(*entry);
}

#ifdef _WIN32

namespace {

BOOL WINAPI onConsoleEvent(DWORD)
{
    removeLeftovers();
    return FALSE;  // and the program ends as it would have
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

void onSignal(int signal)
{
    const int error = errno;
    if (signal == SIGPIPE && !readerOfStdoutHasGone()) {  // stderr's, or a report's, whose write says so
        errno = error;
        return;
    }
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
