// g++.exe for programs that run under Wine: it makes the host's cross-compiler do the work. Wine starts the host's
// programs, but does not report how they end, so compile.sh writes that down. usage: g++.exe WORD...
// A2_COMPILE_SCRIPT: compile.sh, as Wine shows it, in a folder where files may be written

#include <windows.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>

namespace {

namespace fs = std::filesystem;

std::string utf8(const fs::path& path)
{
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

std::string textOf(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int wmain(int count, wchar_t** words)
{
    const wchar_t* const named = _wgetenv(L"A2_COMPILE_SCRIPT");
    if (!named) return 2;
    const fs::path script = named, folder = script.parent_path() / std::to_string(GetCurrentProcessId());
    fs::create_directories(folder);
    {
        std::ofstream all(folder / "words", std::ios::binary);
        for (int i = 1; i < count; ++i) all << utf8(words[i]) << '\n';
    }
    // As the host names them, without the drive's letter.
    std::wstring line =
        L"sh \"" + script.generic_wstring().substr(2) + L"\" \"" + folder.generic_wstring().substr(2) + L'"';
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION process{};
    if (!CreateProcessW(L"Z:\\bin\\sh", line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup, &process))
        return 3;
    while (!fs::exists(folder / "status")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::cout << textOf(folder / "said") << std::flush;
    const int status = std::atoi(textOf(folder / "status").c_str());
    fs::remove_all(folder);
    return status;
}
