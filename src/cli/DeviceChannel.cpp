#include "cli/DeviceChannel.h"

#include "a2/Error.h"
#include "base/Clock.h"
#include "cli/CrashNews.h"
#include "files/Leftover.h"
#include "files/Utf8Path.h"
#include "gpu/WatchedCalls.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#endif

namespace a2 {

namespace {

// Keeps programs that are started from here from holding it open.
Pipe takePipe()
{
#ifdef _WIN32
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no dialog that waits for a user
    const std::intptr_t handle = _get_osfhandle(devicePipe);
    SetHandleInformation(reinterpret_cast<HANDLE>(handle), HANDLE_FLAG_INHERIT, 0);
    return Pipe(handle);
#else
    fcntl(devicePipe, F_SETFD, FD_CLOEXEC);
    return Pipe(devicePipe);
#endif
}

std::vector<std::uint8_t> readFrame(const Pipe& pipe)
{
    std::array<std::uint8_t, lengthBytes> length{};
    std::vector<std::uint8_t> frame;
    if (pipe.read(length)) frame.resize(lengthFrom(length.data()));
    if (!pipe.read(frame)) frame.clear();
    return frame;
}

[[noreturn]] void leave()
{
    removeLeftovers();
    std::_Exit(static_cast<int>(ExitStatus::internal));
}

}  // namespace

// Answers that have arrived and were not taken yet.
class DeviceChannel::Answers {
public:
    void add(nlohmann::json answer)
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(answer));
        came_.notify_one();
    }
    nlohmann::json take()
    {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [this] { return !waiting_.empty(); });
        nlohmann::json first = std::move(waiting_.front());
        waiting_.pop_front();
        return first;
    }

private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<nlohmann::json> waiting_;
};

DeviceChannel::DeviceChannel()
    : pipe_(takePipe()), writing_(std::make_shared<std::mutex>()), answers_(std::make_shared<Answers>())
{
    try {
        const std::vector<std::uint8_t> request = readFrame(pipe_);
        request_ = requestFrom(request, readFrame(pipe_));
    } catch (const std::exception&) {
        throw UsageError(std::string(deviceProcessWord) + " is for a2 itself: leave it out");
    }
    for (const int signal : request_.ignoredSignals) std::signal(signal, SIG_IGN);
    tellOfCrashes(pipe_, writing_);
    tellOfLeftovers([this](const std::filesystem::path& path, Leftover::Kind kind, bool kept) {
        send({{"is", "leftover"}, {"path", utf8Of(path)}, {"folder", kind == Leftover::Kind::folder}, {"kept", kept}});
    });
}

void DeviceChannel::send(const nlohmann::json& message) const
{
    if (hear_) {
        hear_(message);
        return;
    }
    const std::vector<std::uint8_t> frame = frameOf(message);
    const std::lock_guard lock(*writing_);
    if (!pipe_.write(frame)) leave();
}

nlohmann::json DeviceChannel::ask(const nlohmann::json& message) const
{
    if (hear_) return hear_(message);
    send(message);
#ifdef _WIN32
    return nlohmann::json::from_cbor(readFrame(pipe_));
#else
    return answers_->take();
#endif
}

std::optional<Together> DeviceChannel::together() const
{
    if (!request_.part) return std::nullopt;
    return Together{*request_.part, [this](const Brought& brought) {
                        nlohmann::json message = wireOf(brought);
                        message["is"] = "meet";
                        return metFrom(ask(message));
                    }};
}

// While the whole process is suspended, no call's time runs out: only the time that this thread observed counts.
void DeviceChannel::tellOfLife()
{
    std::thread([pipe = pipe_, writing = writing_] {
        constexpr std::chrono::milliseconds pause(500);
        constexpr double mostOfAPause = 1;  // second
        DriverCall before;
        double seconds = 0;
        for (auto looked = Clock::now();; std::this_thread::sleep_for(pause)) {
            const double passed = std::min(msSince(std::exchange(looked, Clock::now())) / 1e3, mostOfAPause);
            const DriverCall now = driverCall();
            seconds = now.number == before.number && now.name ? seconds + passed : 0;
            before = now;
            const auto frame = frameOf({{"is", "alive"}, {"call", now.name ? now.name : ""}, {"seconds", seconds}});
            const std::lock_guard lock(*writing);
            if (!pipe.write(frame)) leave();
        }
    }).detach();
}

// The pipe brings answers, or the end. On Windows libuv's job object ends this process.
void DeviceChannel::listen()
{
    tellOfLife();
#ifndef _WIN32
    std::thread([pipe = pipe_, answers = answers_] {
        for (;;) {
            const nlohmann::json answer = nlohmann::json::from_cbor(readFrame(pipe), true, false);
            if (answer.is_discarded()) leave();
            answers->add(answer);
        }
    }).detach();
#endif
}

}  // namespace a2
