#include "cli/CrashNews.h"

#include "base/Sanitized.h"
#include "gpu/WatchedCalls.h"
#include "recording/Pipe.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#ifndef _WIN32
#include <unistd.h>
#include <ctime>
#endif
#ifdef __GLIBC__
#include <dlfcn.h>
#include <execinfo.h>
#endif

namespace a2 {

// A sanitizer has its own handlers.
#if defined(_WIN32) || A2_IS_SANITIZED

void tellOfCrashes(const Pipe&, std::shared_ptr<std::mutex>) {}

#else

namespace {

struct CrashNews {
    Pipe pipe;
    std::shared_ptr<std::mutex> writing;
    const void* ownCode = nullptr;  // where this program's code was loaded; null: not known
};
CrashNews* crashNews = nullptr;  // never freed: a crash may come at any time
thread_local bool ownThread = false;

#ifdef __GLIBC__

const void* loadedAt(const void* code)
{
    Dl_info info{};
    return dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

// Whether the crashed thread has this program's own code on its stack.
bool ownCodeIsOnTheStack()
{
    std::array<void*, 64> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    const auto isOwn = [](const void* code) { return loadedAt(code) == crashNews->ownCode; };
    const auto end = frames.begin() + count;
    const auto crashed = std::find_if_not(frames.begin(), end, isOwn);  // below this handler
    return std::any_of(crashed, end, isOwn);
}

#else

bool ownCodeIsOnTheStack() { return false; }

#endif

std::string_view whoCrashed(const siginfo_t& info)
{
    if (info.si_code <= 0 && info.si_pid != 0 && info.si_pid != getpid()) return "outside";
    if (driverCallHere()) return "driver";
    if (!ownThread && !ownCodeIsOnTheStack()) return "driver";
    return driverHasRunKernels() ? "kernel" : "a2";
}

// CBOR by hand, because nothing may be allocated here.
class Message {
public:
    void text(std::string_view one)
    {
        constexpr std::uint8_t textOfLength = 0x78;
        byte(textOfLength);
        byte(static_cast<std::uint8_t>(one.size()));
        for (const char c : one) byte(static_cast<std::uint8_t>(c));
    }
    void mapOf(std::uint8_t pairs) { byte(static_cast<std::uint8_t>(0xA0 | pairs)); }
    std::span<const std::uint8_t> framed()
    {
        putLength(size_ - lengthBytes, bytes_.data());
        return {bytes_.data(), size_};
    }

private:
    void byte(std::uint8_t one)
    {
        if (size_ < bytes_.size()) bytes_[size_++] = one;
    }
    std::array<std::uint8_t, 256> bytes_{};
    std::size_t size_ = lengthBytes;
};

// Another thread may hold the lock while it writes; this one may, too, and then no message can be sent.
bool lockedForLong(std::mutex& writing)
{
    constexpr timespec moment = {0, 1'000'000};
    for (int i = 0; i < 200; ++i) {
        if (writing.try_lock()) return true;
        nanosleep(&moment, nullptr);
    }
    return false;
}

// SA_RESETHAND: the signal that is raised here arrives after this handler returns, and ends the process.
void onCrash(int signal, siginfo_t* info, void*)
{
    const char* const call = driverCallHere();
    Message message;
    message.mapOf(3);
    message.text("is");
    message.text("crash");
    message.text("who");
    message.text(whoCrashed(*info));
    message.text("call");
    message.text(call ? call : "");
    if (lockedForLong(*crashNews->writing)) crashNews->pipe.write(message.framed());
    raise(signal);
}

}  // namespace

void tellOfCrashes(const Pipe& pipe, std::shared_ptr<std::mutex> writing)
{
    crashNews = new CrashNews{pipe, std::move(writing)};
    ownThread = true;
#ifdef __GLIBC__
    crashNews->ownCode = loadedAt(reinterpret_cast<const void*>(&tellOfCrashes));
    std::array<void*, 1> one{};
    backtrace(one.data(), 1);                                 // which loads its library on the first call
#endif
    static std::array<char, std::size_t{64} << 10> ownStack;  // the usual stack may be the full one
    stack_t stack{};
    stack.ss_sp = ownStack.data();
    stack.ss_size = ownStack.size();
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = onCrash;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | static_cast<int>(SA_RESETHAND);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(crash, &action, nullptr);
}

#endif

}  // namespace a2
