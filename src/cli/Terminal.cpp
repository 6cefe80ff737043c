#include "cli/Terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
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

void prepareStreams()
{
#ifdef _WIN32
    for (std::FILE* stream : {stdout, stderr}) {
        _setmode(fileno(stream), _O_BINARY);  // "\n" would become "\r\n"
        const auto console = reinterpret_cast<HANDLE>(_get_osfhandle(fileno(stream)));
        DWORD mode = 0;
        if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
    // The code page belongs to the console, which other programs use after this one.
    static const UINT before = GetConsoleOutputCP();
    if (before != 0 && SetConsoleOutputCP(CP_UTF8)) std::atexit([] { SetConsoleOutputCP(before); });
#endif
}

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
