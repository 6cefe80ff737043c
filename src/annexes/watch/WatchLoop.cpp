#include "annexes/watch/WatchLoop.h"

#include "a2/Error.h"
#include "base/EventLoop.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <uv.h>

#include <array>
#include <csignal>
#include <string_view>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace a2 {

namespace {

constexpr std::uint64_t quietMs = 40;        // after the last change, before it counts as saved
constexpr std::uint64_t forItsEndMs = 1000;  // between asking a program to end and killing it

// A program in the background must leave the terminal to the one in the foreground.
bool ownsTerminal()
{
    if (uv_guess_handle(0) != UV_TTY) return false;
#ifndef _WIN32
    return tcgetpgrp(0) == getpgrp();
#else
    return true;
#endif
}

}  // namespace

// libuv's callbacks get pointers to handles; their `data` points to this object.
class WatchLoop::Handles {
public:
    explicit Handles(const std::vector<std::filesystem::path>& folders) : folders_(folders.size())
    {
        uv_loop_init(&loop_);
        uv_timer_init(&loop_, &quiet_);
        uv_timer_init(&loop_, &overdue_);
        quiet_.data = overdue_.data = this;
        for (std::size_t i = 0; i < folders.size(); ++i) {
            uv_fs_event_init(&loop_, &folders_[i]);
            folders_[i].data = this;
            const int error = uv_fs_event_start(
                &folders_[i],
                [](uv_fs_event_t* event, const char*, int, int) { static_cast<Handles*>(event->data)->changed(); },
                utf8Of(folders[i]).c_str(), 0);
            if (error == 0) continue;
            endLoop(loop_);
            throw EnvironmentError(fmt::format("{} cannot be watched: {}", utf8Of(folders[i]), uv_strerror(error)));
        }
        constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
        for (std::size_t i = 0; i < signals.size(); ++i) {
            uv_signal_init(&loop_, &signals_[i]);
            signals_[i].data = this;
            uv_signal_start(
                &signals_[i], [](uv_signal_t* signal, int) { static_cast<Handles*>(signal->data)->ended_ = true; },
                signals[i]);
        }
        if (ownsTerminal() && uv_tty_init(&loop_, &keys_, 0, 1) == 0) readKeys();
    }
    ~Handles()
    {
        endProgram();
        uv_tty_reset_mode();
        endLoop(loop_);
    }
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;

    bool awaitSave()
    {
        while (!ended_ && !saved_) uv_run(&loop_, UV_RUN_ONCE);
        saved_ = false;
        return !ended_;
    }

    std::optional<ProcessResult> run(const std::string& program, const std::vector<std::string>& arguments)
    {
        result_ = {};
        if (const int error = spawn(program, arguments); error != 0) {
            result_.problem = uv_strerror(error);
            return result_;
        }
        while ((runs_ || reading_ > 0) && !ended_ && !saved_) uv_run(&loop_, UV_RUN_ONCE);
        const bool whole = !runs_;
        endProgram();
        if (!whole) return std::nullopt;
        return result_;
    }

private:
    void readKeys()
    {
        keys_.data = this;
        if (uv_tty_set_mode(&keys_, UV_TTY_MODE_RAW) != 0) return;
        uv_read_start(reinterpret_cast<uv_stream_t*>(&keys_), giveChunk,
                      [](uv_stream_t* from, ssize_t count, const uv_buf_t* buffer) {
                          constexpr std::string_view ending = "qQ\x03\x04";  // Ctrl-C and Ctrl-D arrive as keys
                          if (count < 0) {
                              uv_read_stop(from);
                              return;
                          }
                          const std::string_view keys(buffer->base, static_cast<std::size_t>(count));
                          if (keys.find_first_of(ending) != std::string_view::npos)
                              static_cast<Handles*>(from->data)->ended_ = true;
                      });
    }

    static uv_stream_t* stream(uv_pipe_t& pipe) { return reinterpret_cast<uv_stream_t*>(&pipe); }

    static void giveChunk(uv_handle_t* handle, std::size_t, uv_buf_t* buffer)
    {
        auto& chunk = static_cast<Handles*>(handle->data)->chunk_;
        *buffer = uv_buf_init(chunk.data(), static_cast<unsigned>(chunk.size()));
    }

    void changed()
    {
        uv_timer_start(
            &quiet_, [](uv_timer_t* timer) { static_cast<Handles*>(timer->data)->saved_ = true; }, quietMs, 0);
    }

    int spawn(const std::string& program, const std::vector<std::string>& arguments)
    {
        std::vector<std::string> texts = {program};
        texts.insert(texts.end(), arguments.begin(), arguments.end());
        std::vector<char*> words;
        for (std::string& one : texts) words.push_back(one.data());
        words.push_back(nullptr);
        process_.data = this;
        std::array<uv_stdio_container_t, 3> streams{};
        streams[0].flags = UV_IGNORE;
        for (std::size_t i = 0; i < said_.size(); ++i) {
            uv_pipe_init(&loop_, &said_[i], 0);
            said_[i].data = this;
            streams[i + 1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
            streams[i + 1].data.stream = stream(said_[i]);
        }
        open_ = said_.size() + 1;
        uv_process_options_t options{};
        options.file = program.c_str();
        options.args = words.data();
        options.flags = UV_PROCESS_WINDOWS_HIDE;
        options.stdio = streams.data();
        options.stdio_count = static_cast<int>(streams.size());
        options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
            auto& all = *static_cast<Handles*>(process->data);
            all.runs_ = false;
            all.result_.ended = signal == 0 ? ProcessResult::Ended::exited : ProcessResult::Ended::signalled;
            all.result_.status = signal == 0 ? static_cast<int>(status) : signal;
        };
        const int error = uv_spawn(&loop_, &process_, &options);
        if (error != 0) {
            closeProgram();
            return error;
        }
        runs_ = true;
        for (uv_pipe_t& pipe : said_) {
            ++reading_;
            uv_read_start(stream(pipe), giveChunk, [](uv_stream_t* from, ssize_t count, const uv_buf_t* buffer) {
                auto& all = *static_cast<Handles*>(from->data);
                if (count >= 0) {
                    all.result_.output.append(buffer->base, static_cast<std::size_t>(count));
                    return;
                }
                uv_read_stop(from);
                --all.reading_;
            });
        }
        return 0;
    }

    // It is asked first, so that it can clean up.
    void endProgram()
    {
        if (runs_) {
            uv_process_kill(&process_, SIGTERM);
            uv_timer_start(
                &overdue_,
                [](uv_timer_t* timer) { uv_process_kill(&static_cast<Handles*>(timer->data)->process_, SIGKILL); },
                forItsEndMs, 0);
            while (runs_) uv_run(&loop_, UV_RUN_ONCE);
            uv_timer_stop(&overdue_);
        }
        closeProgram();
    }

    // So that the next program can use the same handles.
    void closeProgram()
    {
        if (open_ == 0) return;
        const auto closed = [](uv_handle_t* handle) { --static_cast<Handles*>(handle->data)->open_; };
        for (uv_pipe_t& pipe : said_) uv_close(reinterpret_cast<uv_handle_t*>(&pipe), closed);
        uv_close(reinterpret_cast<uv_handle_t*>(&process_), closed);
        while (open_ > 0) uv_run(&loop_, UV_RUN_ONCE);
        reading_ = 0;
    }

    uv_loop_t loop_{};
    std::vector<uv_fs_event_t> folders_;
    std::array<uv_signal_t, 3> signals_{};
    uv_timer_t quiet_{}, overdue_{};
    uv_tty_t keys_{};
    uv_process_t process_{};
    std::array<uv_pipe_t, 2> said_{};     // its stdout and stderr
    std::size_t open_ = 0, reading_ = 0;  // open handles of the program; pipes that are still read
    std::array<char, 1 << 14> chunk_{};
    ProcessResult result_;
    bool saved_ = false, ended_ = false, runs_ = false;
};

WatchLoop::WatchLoop(const std::vector<std::filesystem::path>& folders) : handles_(std::make_unique<Handles>(folders))
{
}

WatchLoop::~WatchLoop() = default;

bool WatchLoop::awaitSave() { return handles_->awaitSave(); }

std::optional<ProcessResult> WatchLoop::run(const std::string& program, const std::vector<std::string>& arguments)
{
    return handles_->run(program, arguments);
}

}  // namespace a2
