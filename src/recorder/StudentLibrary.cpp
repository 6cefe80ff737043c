// What the library of solutions exports: its version, and answers to requests.

#include "recorder/Factories.h"
#include "recorder/OwnLimits.h"
#include "recorder/Recorder.h"
#include "recording/Pipe.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#ifdef _WIN32
#define A2_EXPORT extern "C" __declspec(dllexport)
#else
#define A2_EXPORT extern "C" __attribute__((visibility("default")))
#endif

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE  // the one of this library

    namespace a2
{
    namespace {

    Pipe answers;
    volatile std::sig_atomic_t writing = 0;  // a frame that a signal must not get into

#ifdef _WIN32
    bool isTheWorker() { return true; }
#else
    pid_t worker = -1;
    bool isTheWorker() { return getpid() == worker; }
#endif

    // Whoever leaves this way runs no destructors of student code.
    [[noreturn]] void leave(int status)
    {
        std::fflush(stdout);
        std::_Exit(status);
    }

    template <class Bytes>
    void send(Frame kind, const Bytes& bytes)
    {
        // A child that a solution forked, and that came back from its code, has nothing to say here.
        if (!isTheWorker()) leave(0);
        writing = 1;
        const bool sent = answers.writeFrame(kind, bytes);
        writing = 0;
        if (!sent) leave(pipeLost);
    }

    void sendLastCall()
    {
        const char* const call = lastVulkanCall();
        if (!writing && isTheWorker() && *call) answers.writeFrame(Frame::lastCall, std::string_view(call));
    }

#ifdef _WIN32
    void sayLastCallAtTheEnd()
    {
        SetUnhandledExceptionFilter([](EXCEPTION_POINTERS*) -> LONG {
            sendLastCall();
            return EXCEPTION_CONTINUE_SEARCH;
        });
        std::signal(SIGABRT, [](int) { sendLastCall(); });
    }
#else
    // SA_RESETHAND: the signal that is raised here arrives after this, and ends the process.
    void onSignal(int signal)
    {
        sendLastCall();
        raise(signal);
    }

    void sayLastCallAtTheEnd()
    {
        static std::array<char, std::size_t{64} << 10> ownStack;  // the usual one may be what is full
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
                return toBytes(RecordAnswer(RecordFailure{Kind::threw, "", std::move(why), ""}));
            const auto entered = [](const std::string& phase) { send(Frame::phase, std::string_view(phase)); };
            std::vector<std::uint8_t> bytes = toBytes(recordSolution(request, makeSolution(request), entered, limits));
            if (bytes.size() <= limits.bytes) return bytes;
            return toBytes(RecordAnswer(
                RecordFailure{Kind::tooMuch, "recording",
                              fmt::format("its recording is longer than {} MiB", limits.bytes >> 20), ""}));
        } catch (const std::bad_alloc&) {  // for a copy of the recording; recordSolution sees to the solution's own
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
    sayLastCallAtTheEnd();
    for (;;) {
        stopTheClock();
        std::array<std::uint8_t, lengthBytes> length;
        if (!requests.read(length)) return 0;
        std::vector<std::uint8_t> bytes(lengthFrom(length.data()));
        if (!requests.read(bytes)) return 0;
        startTheClock(limits->seconds);
        const std::vector<std::uint8_t> answer = answerBytes(requestFrom(bytes), limits->recording);
        std::fflush(nullptr);  // what was printed belongs to this request
        send(Frame::answer, std::span(answer));
    }
}
