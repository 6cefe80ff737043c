// ctrl-c FILE PROGRAM ARGUMENT...: starts the program in a console of its own with its output in FILE, presses Ctrl-C
// there after five seconds, and ends with 0 when the program has ended of that. Otherwise it says why not, and ends
// with 1. (The program's own exit status would be 0xC000013A; Wine makes it 0.)

#include <windows.h>

#include <cstdio>
#include <string>

namespace {

int giveUp(const char* what)
{
    std::fprintf(stderr, "ctrl-c: %s: error %lu\n", what, GetLastError());
    return 1;
}

// In the form that the C library of the started program takes apart; no argument here contains a quote or ends in a
// backslash.
std::string commandLine(int count, char** words)
{
    std::string line;
    for (int i = 2; i < count; ++i) line += '"' + std::string(words[i]) + "\" ";
    return line;
}

}  // namespace

int main(int count, char** words)
{
    if (count < 3) return giveUp("too few arguments");
    // With an inherited console, the key would also reach those who started this program.
    FreeConsole();
    if (!AllocConsole()) return giveUp("no console");
    STARTUPINFOA start{};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    start.hStdInput = CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ, &inherited, OPEN_EXISTING, 0, nullptr);
    start.hStdOutput = start.hStdError = CreateFileA(words[1], GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                                     &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (start.hStdOutput == INVALID_HANDLE_VALUE) return giveUp("no file for the output");
    PROCESS_INFORMATION process{};
    std::string line = commandLine(count, words);
    if (!CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &process))
        return giveUp("the program does not start");
    SetConsoleCtrlHandler(nullptr, TRUE);  // for this program; the other one was started before
    if (WaitForSingleObject(process.hProcess, 5000) == WAIT_OBJECT_0) return giveUp("the program ended too soon");
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return giveUp("Ctrl-C was not sent");
    if (WaitForSingleObject(process.hProcess, 30000) != WAIT_OBJECT_0) {
        TerminateProcess(process.hProcess, 1);
        return giveUp("the program ran on for 30 s");
    }
    return 0;
}
