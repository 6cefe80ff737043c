#include "cli/Terminal.h"

#include "base/PrintableText.h"
#include "report/Text.h"

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
#include <fcntl.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

void showOnStderr(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
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
    // The code page belongs to the console, which other programs use afterwards.
    static const UINT before = GetConsoleOutputCP();
    if (before != 0 && SetConsoleOutputCP(CP_UTF8)) std::atexit([] { SetConsoleOutputCP(before); });
#else
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
#endif
}

bool stderrIsTerminal()
{
    static const bool answer = isatty(fileno(stderr)) != 0;
    return answer;
}

// A launcher of MPI gives a rank its own terminal for stdout, wherever the text then goes.
bool stdoutIsTerminal()
{
    for (const char* launcher : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
        if (std::getenv(launcher)) return false;
    return isatty(fileno(stdout)) != 0;
}

void printError(const std::string& line)
{
    showOnStderr(wrapped(printableLines(line), 0, stderrIsTerminal() ? lineColumns : 0));
}

void Terminal::note(const std::string& text)
{
    if (forward_) return forward_("note", text);
    if (quiet_) return;
    clearProgress();
    printError("a2: " + text);
}

void Terminal::progress(const std::string& text)
{
    if (forward_) return forward_("progress", text);
    if (quiet_ || !stderrIsTerminal()) return;
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (shown_ && now - lastShown_ < 0.1) return;
    constexpr std::size_t columns = 79;
    showOnStderr("\r\x1b[K" + printableText(text).substr(0, columns));
    shown_ = true;
    lastShown_ = now;
}

void Terminal::print(const std::string& text)
{
    if (forward_) return forward_("print", text);
    clearProgress();
    fmt::print("{}", printableLines(text, stdoutIsTerminal()));
    std::fflush(stdout);
}

void Terminal::clearProgress()
{
    if (!shown_) return;
    showOnStderr("\r\x1b[K");
    shown_ = false;
}

}  // namespace a2
