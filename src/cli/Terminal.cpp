#include "cli/Terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

namespace a2 {

namespace {

bool stderrIsTerminal()
{
    static const bool answer = isatty(fileno(stderr)) != 0;
    return answer;
}

}  // namespace

bool stdoutIsTerminal() { return isatty(fileno(stdout)) != 0; }

void Terminal::note(const std::string& text)
{
    if (quiet_) return;
    clearProgress();
    fmt::print(stderr, "a2: {}\n", text);
}

void Terminal::progress(const std::string& text)
{
    if (quiet_ || !stderrIsTerminal()) return;
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (shown_ && now - lastShown_ < 0.1) return;
    constexpr std::size_t columns = 79;
    fmt::print(stderr, "\r\x1b[K{}", text.substr(0, columns));
    std::fflush(stderr);
    shown_ = true;
    lastShown_ = now;
}

void Terminal::clearProgress()
{
    if (!shown_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    shown_ = false;
}

}  // namespace a2
