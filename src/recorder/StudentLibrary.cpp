// What the library of solutions exports: its version, and answers to requests.

#include "recorder/Factories.h"
#include "recorder/OwnLimits.h"
#include "recorder/Recorder.h"
#include "recording/Pipe.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>

#ifdef __GLIBC__
#include <dlfcn.h>
#include <execinfo.h>
#endif

#ifdef _WIN32
#include <windows.h>
#define A2_EXPORT extern "C" __declspec(dllexport)
#else
#define A2_EXPORT extern "C" __attribute__((visibility("default")))
#endif

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE  // this library has its own

    namespace a2
{
    namespace {

    Pipe answers;
    volatile std::sig_atomic_t writing = 0;  // a signal must not write into this frame

#ifdef _WIN32
    bool isTheWorker() { return true; }
#else
    pid_t worker = -1;
    bool isTheWorker() { return getpid() == worker; }
#endif

    // Ends the process without running destructors of student code.
    [[noreturn]] void leave(int status)
    {
        std::fflush(stdout);
        std::_Exit(status);
    }

    template <class Bytes>
    void send(Frame kind, const Bytes& bytes)
    {
        // In a child that a solution forked and that returned from the solution's code: it must not answer.
        if (!isTheWorker()) leave(0);
        writing = 1;
        const bool sent = answers.writeFrame(kind, bytes);
        writing = 0;
        if (!sent) leave(pipeLost);
    }

    // The last call and, on a new line, the thread's place in this library: hexadecimal offsets into its file,
    // innermost first, each followed by a blank.
    struct LastWords {
        std::array<char, 1024> text{};
        std::size_t size = 0;
        void add(std::string_view more)
        {
            for (const char one : more)
                if (size < text.size()) text[size++] = one;
        }
        void addHexadecimal(std::uintptr_t number)
        {
            std::array<char, 2 * sizeof number + 1> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
            add({digits.data(), static_cast<std::size_t>(end - digits.data())});
            add(" ");
        }
    };

#ifdef __GLIBC__
    std::uintptr_t loadedAt(const void* code)
    {
        Dl_info info{};
        return dladdr(code, &info) != 0 ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0;
    }

    // Skips the frames of the handler, which are also in this library.
    void addStack(LastWords& words)
    {
        std::array<void*, 64> frames{};
        const std::span all(frames.data(),
                            static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(frames.size()))));
        const std::uintptr_t own = loadedAt(reinterpret_cast<const void*>(&lastVulkanCall));
        const auto isOwn = [own](const void* code) { return loadedAt(code) == own; };
        const auto interrupted = std::find_if_not(all.begin(), all.end(), isOwn);
        for (auto at = interrupted; at != all.end(); ++at) {
            const bool returnsThere = at != interrupted + 1;  // a return address is after its call
            if (isOwn(*at)) words.addHexadecimal(reinterpret_cast<std::uintptr_t>(*at) - own - (returnsThere ? 1 : 0));
        }
    }

    // The first call loads the libraries that it needs; a signal handler must not do that.
    void readyStack()
    {
        std::array<void*, 1> one{};
        backtrace(one.data(), 1);
    }
#else
    void addStack(LastWords&) {}
    void readyStack() {}
#endif

    void sendLastWords()
    {
        if (writing || !isTheWorker()) return;
        LastWords words;
        words.add(lastVulkanCall());
        words.add("\n");
        addStack(words);
        answers.writeFrame(Frame::lastCall, std::string_view(words.text.data(), words.size));
    }

#ifdef _WIN32
    void sayLastWordsAtTheEnd()
    {
        SetUnhandledExceptionFilter([](EXCEPTION_POINTERS*) -> LONG {
            sendLastWords();
            return EXCEPTION_CONTINUE_SEARCH;
        });
        std::signal(SIGABRT, [](int) { sendLastWords(); });
    }
#else
    // SA_RESETHAND: the signal raised here arrives after this handler, and ends the process.
    void onSignal(int signal)
    {
        sendLastWords();
        raise(signal);
    }

    void sayLastWordsAtTheEnd()
    {
        readyStack();
        static std::array<char, std::size_t{64} << 10> ownStack;  // the usual stack may have overflowed
        stack_t stack{};
        stack.ss_sp = ownStack.data();
        stack.ss_size = ownStack.size();
        sigaltstack(&stack, nullptr);
        struct sigaction action {};
        action.sa_handler = onSignal;
        action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGXCPU})
            sigaction(signal, &action, nullptr);
    }
#endif

    std::vector<std::uint8_t> answerBytes(const RecordRequest& request, const RecordingLimits& limits)
    {
        using Kind = RecordFailure::Kind;
        try {
            if (std::string why = brokenText(request); !why.empty())
                return toBytes(RecordAnswer(RecordFailure{Kind::broken, "", std::move(why), ""}));
            const auto entered = [](const std::string& phase) { send(Frame::phase, std::string_view(phase)); };
            std::vector<std::uint8_t> bytes = toBytes(recordSolution(request, makeSolution(request), entered, limits));
            if (bytes.size() <= limits.bytes) return bytes;
            return toBytes(RecordAnswer(
                RecordFailure{Kind::tooMuch, "recording",
                              fmt::format("its recording is longer than {} MiB", limits.bytes >> 20), ""}));
        } catch (const std::bad_alloc&) {  // while copying the recording; recordSolution handles the solution's own
            return toBytes(RecordAnswer(
                RecordFailure{Kind::memory, "recording", "there is not enough memory for its recording", ""}));
        }
    }

    }  // namespace

}  // namespace a2

A2_EXPORT unsigned a2WorkerVersion() { return a2::workerVersion; }

A2_EXPORT int a2Serve(std::intptr_t requestHandle, std::intptr_t answerHandle, const a2::ServeLimits* limits)
{
    using namespace a2;
    const Pipe requests(requestHandle);
    answers = Pipe(answerHandle);
#ifndef _WIN32
    worker = getpid();
#endif
    sayLastWordsAtTheEnd();
    for (;;) {
        stopTheClock();
        std::array<std::uint8_t, lengthBytes> length;
        if (!requests.read(length)) return 0;
        std::vector<std::uint8_t> bytes(lengthFrom(length.data()));
        if (!requests.read(bytes)) return 0;
        startTheClock(limits->seconds);
        const std::vector<std::uint8_t> answer = answerBytes(requestFrom(bytes), limits->recording);
        std::fflush(nullptr);  // output up to here belongs to this request
        send(Frame::answer, std::span(answer));
    }
}
