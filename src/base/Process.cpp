#include "base/Process.h"

#include "base/EventLoop.h"
#include "base/ProcessGroup.h"

#include <fmt/format.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <csignal>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

// The arguments in libuv's form. They point to texts that must outlive the call.
std::vector<char*> argumentsOf(const std::string& program, const std::vector<std::string>& arguments)
{
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
    words.push_back(nullptr);
    return words;
}

// One run. libuv calls back with pointers to handles; their `data` leads here.
class Run {
public:
    explicit Run(const ProcessLimits& limits) : limits_(limits) { result_.output.reserve(limits.outputBytes); }

    ProcessResult operator()(const std::string& program, const std::vector<std::string>& arguments)
    {
        if (const int error = uv_loop_init(&loop_); error != 0) return failed(error);
        uv_timer_init(&loop_, &timer_);
        timer_.data = this;
        for (uv_pipe_t& pipe : pipes_) {
            uv_pipe_init(&loop_, &pipe, 0);
            pipe.data = this;
        }
        if (const int error = spawn(program, arguments); error != 0)
            failed(error);
        else
            watch();
        // Still open are the streams whose end never came, and the process if it was never started.
        endLoop(loop_);
        return std::move(result_);
    }

private:
    using Ended = ProcessResult::Ended;

    ProcessResult failed(int error)
    {
        result_.problem = uv_strerror(error);
        return result_;
    }

#ifdef _WIN32
    int spawn(const std::string& program, const std::vector<std::string>& arguments)
    {
        std::vector<char*> words = argumentsOf(program, arguments);
        std::array<uv_stdio_container_t, 3> streams{};
        streams[0].flags = UV_IGNORE;
        for (std::size_t i = 0; i < pipes_.size(); ++i) {
            streams[i + 1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
            streams[i + 1].data.stream = reinterpret_cast<uv_stream_t*>(&pipes_[i]);
        }
        uv_process_options_t options{};
        options.file = program.c_str();
        options.args = words.data();
        options.flags = UV_PROCESS_WINDOWS_HIDE;
        options.stdio = streams.data();
        options.stdio_count = static_cast<int>(streams.size());
        options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
            static_cast<Run*>(process->data)->ended(status, signal);
        };
        process_.data = this;
        return uv_spawn(&loop_, &process_, &options);
    }

    void kill() { uv_process_kill(&process_, SIGKILL); }
#else
    int spawn(const std::string& program, const std::vector<std::string>& arguments)
    {
        std::array<int, 2> written = {-1, -1};
        int error = 0;
        for (std::size_t i = 0; i < pipes_.size() && error == 0; ++i) {
            std::array<uv_file, 2> ends = {-1, -1};
            error = uv_pipe(ends.data(), 0, 0);
            if (error == 0) error = uv_pipe_open(&pipes_[i], ends[0]);
            written[i] = ends[1];
        }
        uv_signal_init(&loop_, &childEnds_);
        childEnds_.data = this;
        if (error == 0)
            error = uv_signal_start(
                &childEnds_, [](uv_signal_t* handle, int) { static_cast<Run*>(handle->data)->reap(); }, SIGCHLD);
        if (error == 0) group_ = startGroup(argumentsOf(program, arguments).data(), limits_, written[0], written[1]);
        for (const int one : written)
            if (one >= 0) close(one);
        return error != 0 ? error : std::min(group_, 0);
    }

    // Some process has ended: this one?
    void reap()
    {
        int status = 0;
        if (over_ || group_ <= 0) return;
        const pid_t which = waitpid(group_, &status, WNOHANG);
        if (which == 0) return;
        forgetGroup(group_);
        // Nothing comes where a signal handler, which ends this program, was first.
        ended(which < 0 ? 127 : WEXITSTATUS(status), which > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }

    void kill() { killGroup(group_); }
#endif

    void watch()
    {
        uv_timer_start(
            &timer_, [](uv_timer_t* timer) { static_cast<Run*>(timer->data)->outOfTime(); },
            static_cast<std::uint64_t>(limits_.time.count()), 0);
        for (uv_pipe_t& pipe : pipes_) {
            uv_read_start(
                reinterpret_cast<uv_stream_t*>(&pipe),
                [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
                    auto& chunk = static_cast<Run*>(handle->data)->chunk_;
                    *buffer = uv_buf_init(chunk.data(), static_cast<unsigned>(chunk.size()));
                },
                [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
                    static_cast<Run*>(stream->data)->read(stream, count);
                });
        }
        uv_run(&loop_, UV_RUN_DEFAULT);
    }

    void read(uv_stream_t* stream, ssize_t count)
    {
        if (count > 0) {
            const std::size_t room = limits_.outputBytes - result_.output.size();
            result_.output.append(chunk_.data(), std::min(room, static_cast<std::size_t>(count)));
        }
        if (count >= 0) return;
        uv_read_stop(stream);
        oneLess();
    }

    void ended(std::int64_t status, int signal)
    {
        if (result_.ended != Ended::timedOut) {
            result_.ended = signal ? Ended::signalled : Ended::exited;
            result_.status = signal ? signal : static_cast<int>(status);
        }
        over_ = true;
        oneLess();
    }

    // The process, or one of its streams, has ended.
    void oneLess()
    {
        if (--awaited_ == 0) uv_stop(&loop_);
    }

    void outOfTime()
    {
        // A program that ended in time, but left its streams to another process, was in time.
        if (over_) {
            uv_stop(&loop_);
#ifndef _WIN32
            kill();
#endif
            return;
        }
        result_.ended = Ended::timedOut;
        kill();
        for (uv_pipe_t& pipe : pipes_) uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipe));
        awaited_ = 1;
    }

    ProcessLimits limits_;
    ProcessResult result_;
    uv_loop_t loop_{};
    uv_timer_t timer_{};
#ifdef _WIN32
    uv_process_t process_{};
#else
    uv_signal_t childEnds_{};
    int group_ = 0;
#endif
    std::array<uv_pipe_t, 2> pipes_{};
    std::array<char, 4096> chunk_{};
    int awaited_ = 3;  // the ends of two streams and of the process
    bool over_ = false;
};

}  // namespace

#ifdef _WIN32

std::string endText(std::int64_t status, int)
{
    const auto code = static_cast<std::uint32_t>(status);
    if (code < 0xC000'0000) return fmt::format("exit status {}", static_cast<std::int32_t>(code));
    const char* const name = code == 0xC000'0005   ? " (access violation)"
                             : code == 0xC000'0094 ? " (division by 0)"
                             : code == 0xC000'00FD ? " (stack overflow)"
                                                   : "";
    return fmt::format("exception 0x{:08X}{}", code, name);
}

#else

namespace {

const char* nameOf(int signal)
{
    switch (signal) {
        case SIGABRT:
            return " (aborted)";
        case SIGBUS:
            return " (bus error)";
        case SIGFPE:
            return " (arithmetic error, such as a division by 0)";
        case SIGILL:
            return " (illegal instruction)";
        case SIGKILL:
            return " (killed)";
        case SIGSEGV:
            return " (segmentation fault)";
        case SIGTERM:
            return " (terminated)";
        case SIGTRAP:
            return " (trap)";
        default:
            return "";
    }
}

}  // namespace

std::string endText(std::int64_t status, int signal)
{
    return signal ? fmt::format("signal {}{}", signal, nameOf(signal)) : fmt::format("exit status {}", status);
}

#endif

std::string ProcessResult::howItEnded(const ProcessLimits& limits) const
{
    switch (ended) {
        case Ended::exited:
            return fmt::format("exit status {}", status);
        case Ended::signalled:
            return fmt::format("signal {}", status);
        case Ended::timedOut:
            return fmt::format("{:g} s were not enough", static_cast<double>(limits.time.count()) / 1000);
        case Ended::notStarted:
            break;
    }
    return "it could not be started: " + problem;
}

std::string ownProgram(std::string& problem)
{
    std::array<char, 16'384> own{};
    std::size_t length = own.size();
    if (const int error = uv_exepath(own.data(), &length); error != 0) {
        problem = uv_strerror(error);
        return "";
    }
    return {own.data(), length};
}

void startAlone(const std::string& program, const std::vector<std::string>& arguments)
{
    std::vector<char*> words = argumentsOf(program, arguments);
    std::array<uv_stdio_container_t, 3> streams{};
    for (uv_stdio_container_t& one : streams) one.flags = UV_IGNORE;
    uv_process_options_t options{};
    options.file = program.c_str();
    options.args = words.data();
    options.flags = UV_PROCESS_DETACHED | UV_PROCESS_WINDOWS_HIDE;
    options.stdio = streams.data();
    options.stdio_count = static_cast<int>(streams.size());
    uv_loop_t loop;
    uv_loop_init(&loop);
    uv_process_t process{};
    uv_spawn(&loop, &process, &options);
    endLoop(loop);
}

ProcessResult runProcess(const std::string& program, const std::vector<std::string>& arguments,
                         const ProcessLimits& limits)
{
    return Run(limits)(program, arguments);
}

}  // namespace a2
