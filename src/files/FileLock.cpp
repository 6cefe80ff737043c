#include "files/FileLock.h"

#include "a2/Error.h"
#include "base/Clock.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <thread>

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace a2 {

namespace {

enum class Try : std::uint8_t { got, held, impossible };

#ifdef _WIN32

// Whoever has it open shares it with nobody.
Try lockOnce(const std::filesystem::path& path, std::intptr_t& file)
{
    static_assert(sizeof(HANDLE) == sizeof file);  // and INVALID_HANDLE_VALUE is -1
    file = reinterpret_cast<std::intptr_t>(
        CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (file != -1) return Try::got;
    return GetLastError() == ERROR_SHARING_VIOLATION ? Try::held : Try::impossible;
}

void close(std::intptr_t file) { CloseHandle(reinterpret_cast<HANDLE>(file)); }

#else

Try lockOnce(const std::filesystem::path& path, std::intptr_t& file)
{
    constexpr mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
    if (file < 0) file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
    if (file < 0) return Try::impossible;
    if (::flock(static_cast<int>(file), LOCK_EX | LOCK_NB) == 0) return Try::got;
    return errno == EWOULDBLOCK || errno == EINTR ? Try::held : Try::impossible;
}

void close(std::intptr_t file) { ::close(static_cast<int>(file)); }

#endif

}  // namespace

FileLock::FileLock(const std::filesystem::path& file, const std::function<void()>& waiting)
{
    constexpr double patienceMs = 1000, mostMs = 600'000;
    const auto start = Clock::now();
    bool said = false;
    while (lockOnce(file, file_) == Try::held) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const double waitedMs = msSince(start);
        if (waitedMs > patienceMs && !said) {
            said = true;
            waiting();
        }
        if (waitedMs > mostMs)
            throw EnvironmentError(
                fmt::format("{} has been held by another program for ten minutes; end that program", utf8Of(file)));
    }
}

FileLock::~FileLock()
{
    if (file_ != -1) close(file_);  // this ends the lock
}

}  // namespace a2
