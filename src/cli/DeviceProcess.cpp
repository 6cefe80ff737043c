#include "cli/DeviceProcess.h"

#include "a2/Error.h"
#include "base/EventLoop.h"
#include "base/Process.h"
#include "files/Leftover.h"
#include "recording/Frames.h"

#include <fmt/format.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t forLastBytesMs = 1000;                  // between its end and giving up the rest of the pipe
constexpr std::uint64_t longestFrame = std::uint64_t{1} << 30;  // only a damaged driver writes longer ones
constexpr std::uint64_t lookMs = 250;                           // between checks that it is still alive
constexpr double mostOfALook = 1;                               // second: a longer one was this program's own pause
constexpr double graceSeconds = 1;                              // how far a call may exceed its limit
constexpr double forItsEndSeconds = 5;                          // between killing it and no longer waiting for its end

// libuv's callbacks get pointers to handles; their `data` points to this object.
class DeviceRun {
public:
    DeviceRun(const Call& call, const DeviceRequest& request)
        : frames_(framesOf(request)),
          patience_(std::max(call.patience, leastPatience).count()),
          jailed_(!call.jail.empty())
    {
        if (const int error = uv_loop_init(&loop_); error != 0) throw notStarted(error);
        uv_timer_init(&loop_, &timer_);
        uv_timer_init(&loop_, &looks_);
        uv_pipe_init(&loop_, &pipe_, 0);
        timer_.data = looks_.data = pipe_.data = process_.data = write_.data = this;
        if (const int error = spawn(call); error != 0) {
            ended_.emplace();  // there is nothing to wait for
            close();
            if (!call.jail.empty())
                throw EnvironmentError(
                    fmt::format("--device-jail {}: it cannot be started: {}", call.jail, uv_strerror(error)));
            throw notStarted(error);
        }
        endBeforeLeftovers(process_.pid);
        std::vector<uv_buf_t> pieces;
        constexpr std::size_t most = std::size_t{1} << 30;
        for (std::size_t at = 0; at < frames_.size(); at += most)
            pieces.push_back(uv_buf_init(reinterpret_cast<char*>(frames_.data() + at),
                                         static_cast<unsigned>(std::min(most, frames_.size() - at))));
        // If this fails, the process has ended, and its end is waited for anyway.
        uv_write(&write_, stream(), pieces.data(), static_cast<unsigned>(pieces.size()), [](uv_write_t*, int) {});
        uv_read_start(
            stream(),
            [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
                auto& chunk = static_cast<DeviceRun*>(handle->data)->chunk_;
                *buffer = uv_buf_init(chunk.data(), static_cast<unsigned>(chunk.size()));
            },
            [](uv_stream_t* from, ssize_t count, const uv_buf_t*) {
                static_cast<DeviceRun*>(from->data)->read(count);
            });
        uv_timer_start(
            &looks_, [](uv_timer_t* timer) { static_cast<DeviceRun*>(timer->data)->look(); }, lookMs, lookMs);
    }
    ~DeviceRun() { close(); }
    DeviceRun(const DeviceRun&) = delete;
    DeviceRun& operator=(const DeviceRun&) = delete;

    DeviceProcessEnd operator()(const HearDevice& hear)
    {
        while (!ended_ || !drained_) {
            uv_run(&loop_, UV_RUN_ONCE);
            if (error_) std::rethrow_exception(std::exchange(error_, {}));
            for (; !messages_.empty(); messages_.pop_front())
                if (const nlohmann::json given = hear(messages_.front()); !given.is_null()) answer(given);
        }
        return *ended_;
    }

private:
    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&pipe_); }

    static EnvironmentError notStarted(int error)
    {
        return EnvironmentError(
            fmt::format("a2 cannot start its device process: {}; are there "
                        "too many processes, or is the program gone?",
                        uv_strerror(error)));
    }

    int spawn(const Call& call)
    {
        std::string ignored;
        const std::string own = ownProgram(ignored);
        if (own.empty()) return UV_ENOENT;
        std::vector<std::string> texts = {call.calledAs, deviceProcessWord};
        if (!call.jail.empty()) texts = {call.jail, own, deviceProcessWord};
        texts.insert(texts.end(), call.arguments.begin(), call.arguments.end());
        std::vector<char*> words;
        for (std::string& one : texts) words.push_back(one.data());
        words.push_back(nullptr);
        std::array<uv_stdio_container_t, devicePipe + 1> streams{};
        for (int i = 0; i < devicePipe; ++i) {
            streams[static_cast<std::size_t>(i)].flags = UV_INHERIT_FD;
            streams[static_cast<std::size_t>(i)].data.fd = i;
        }
        streams[devicePipe].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE);
        streams[devicePipe].data.stream = stream();
        uv_process_options_t options{};
        options.file = call.jail.empty() ? own.c_str() : call.jail.c_str();
        options.args = words.data();
        options.stdio = streams.data();
        options.stdio_count = static_cast<int>(streams.size());
        options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
            static_cast<DeviceRun*>(process->data)->hasEnded(status, signal);
        };
        return uv_spawn(&loop_, &process_, &options);
    }

    // If this fails, the process has ended, and its end is waited for anyway.
    void answer(const nlohmann::json& given)
    {
        Answer& one = answers_.emplace_back();
        one.frame = frameOf(given);
        const uv_buf_t piece =
            uv_buf_init(reinterpret_cast<char*>(one.frame.data()), static_cast<unsigned>(one.frame.size()));
        one.write.data = this;
        uv_write(&one.write, stream(), &piece, 1,
                 [](uv_write_t* done, int) { static_cast<DeviceRun*>(done->data)->answers_.pop_front(); });
    }

    // Time is counted in checks: while this program itself is suspended (Ctrl-Z, a pager that reads no more), the other
    // one's time does not run out.
    void look()
    {
        const double now = static_cast<double>(uv_hrtime()) / 1e9;
        const double passed = std::min(now - std::exchange(lookedAt_, now), mostOfALook);
        silent_ += passed;
        if (killed_) {
            killedFor_ += passed;
            if (killedFor_ > forItsEndSeconds && !ended_) hasEnded(0, SIGKILL);  // the system does not end it
        } else if (!ended_ && silent_ > patience_ + graceSeconds) {
            const std::string time = fmt::format("{:g} s (--timeout", patience_);
            end(done_ ? fmt::format("a2's device process did not come to its end within {})", time)
                      : fmt::format("a2's device process gave no sign of life for {}; was it stopped?)", time));
        }
    }

    void end(std::string why)
    {
        overdue_ = std::move(why);
        kill();
    }

    void kill()
    {
        if (killed_ || ended_) return;
        killed_ = true;
        uv_process_kill(&process_, SIGKILL);
    }

    void hasEnded(std::int64_t status, int signal)
    {
        if (ended_) return;
        endBeforeLeftovers(0);
        ended_ = {status, signal};
        // A program that starts another in a jail reports, like a shell, which signal ended it.
        constexpr std::int64_t shellSignals = 128, mostSignals = 64;
        if (jailed_ && status > shellSignals && status <= shellSignals + mostSignals)
            ended_ = {0, static_cast<int>(status - shellSignals)};
        ended_->overdue = overdue_;
        ended_->who = who_;
        ended_->call = call_;
        uv_update_time(&loop_);
        uv_timer_start(
            &timer_, [](uv_timer_t* timer) { static_cast<DeviceRun*>(timer->data)->drained_ = true; }, forLastBytesMs,
            0);
    }

    void read(ssize_t count)
    {
        if (count < 0) {
            uv_read_stop(stream());
            drained_ = true;
            return;
        }
        try {
            bytes_.insert(bytes_.end(), chunk_.begin(), chunk_.begin() + count);
            takeFrames();
        } catch (...) {  // out of memory; must not pass through the frames of a C library
            error_ = std::current_exception();
        }
    }

    void takeFrames()
    {
        while (bytes_.size() >= lengthBytes) {
            const std::uint64_t length = lengthFrom(bytes_.data());
            if (length > longestFrame) return endMad();
            if (bytes_.size() - lengthBytes < length) return;
            const auto begin = bytes_.begin() + lengthBytes, end = begin + static_cast<std::ptrdiff_t>(length);
            nlohmann::json message = nlohmann::json::from_cbor(begin, end, true, false);
            if (!message.is_object()) return endMad();
            bytes_.erase(bytes_.begin(), end);
            take(std::move(message));
        }
    }

    void take(nlohmann::json message)
    {
        const std::string is = message.value("is", "");
        if (!done_) silent_ = 0;  // after that it only has to end
        if (is == "alive") {
            const std::string call = message.value("call", "");
            if (!done_ && !killed_ && !call.empty() && message.value("seconds", 0.0) > patience_ + graceSeconds)
                this->end(fmt::format("the driver's {} did not return within {:g} s (--timeout)", call, patience_));
        } else if (is == "crash") {
            who_ = message.value("who", "");
            call_ = message.value("call", "");
        } else {
            done_ = done_ || is == "done";
            messages_.push_back(std::move(message));
        }
    }

    // It wrote something that is no message: a driver may have overwritten anything.
    void endMad()
    {
        uv_read_stop(stream());
        drained_ = true;
        kill();
    }

    // Ends the process, and waits until it is completely gone.
    void close()
    {
        kill();
        while (!ended_) uv_run(&loop_, UV_RUN_ONCE);
        endLoop(loop_);
    }

    std::vector<std::uint8_t> frames_, bytes_;  // sent; received bytes that are no whole message yet
    uv_loop_t loop_{};
    uv_timer_t timer_{}, looks_{};
    uv_process_t process_{};
    uv_pipe_t pipe_{};
    uv_write_t write_{};
    std::array<char, std::size_t{64} << 10> chunk_{};
    std::deque<nlohmann::json> messages_;
    struct Answer {
        uv_write_t write{};
        std::vector<std::uint8_t> frame;
    };
    std::deque<Answer> answers_;  // on their way; they arrive in order
    std::exception_ptr error_;    // of a callback
    double patience_ = 0;         // seconds, as all of these
    double lookedAt_ = static_cast<double>(uv_hrtime()) / 1e9, silent_ = 0, killedFor_ = 0;
    std::string overdue_, who_, call_;
    bool jailed_ = false, drained_ = false, done_ = false, killed_ = false;
    std::optional<DeviceProcessEnd> ended_;
};

// Signals that are not caused by a program's own fault.
bool isSentFromOutside(int signal)
{
    return signal == SIGTERM || signal == SIGINT
#ifndef _WIN32
           || signal == SIGKILL || signal == SIGHUP || signal == SIGQUIT
#endif
        ;
}

}  // namespace

std::string DeviceProcessEnd::text() const { return endText(status, signal); }

std::string DeviceProcessEnd::story(const std::string& phase) const
{
    const std::string during = fmt::format(" while {}{}{}", phase, call.empty() ? "" : ", in ", call);
    if (!overdue.empty()) return overdue + during;
    const std::string how = fmt::format("ended a2's device process with {}", text());
    if (who == "a2") return fmt::format("a2's own code {}{} (this is a fault of a2)", how, during);
    if (who == "kernel")
        return fmt::format(
            "a2's own code {}{} (this is a fault of a2, or a kernel wrote over a2's memory, as it can "
            "with a driver that runs kernels inside this process)",
            how, during);
    if (who == "outside" || isSentFromOutside(signal))
        return fmt::format("another process, or the system for want of memory, {}{}", how, during);
    return fmt::format("the driver {}{}", how, during);
}

DeviceProcessEnd runDeviceProcess(const Call& call, const DeviceRequest& request, const HearDevice& hear)
{
    return DeviceRun(call, request)(hear);
}

std::vector<int> ignoredSignals()
{
    std::vector<int> ignored;
#ifndef _WIN32
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE}) {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) ignored.push_back(signal);
    }
#endif
    return ignored;
}

}  // namespace a2
