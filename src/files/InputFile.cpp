#include "files/InputFile.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <io.h>
#else
#include <poll.h>
#include <unistd.h>
#endif

namespace a2 {

#ifdef _WIN32

InputFile::InputFile(const std::string& path) : path_(path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(pathOf(path), ignored))
        throw UsageError(fmt::format("{} is a folder: name a file", path));
    descriptor_ = _wopen(pathOf(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (descriptor_ < 0) throw UsageError(fmt::format("{} cannot be opened: check the path", path));
    regular_ = std::filesystem::is_regular_file(pathOf(path), ignored);
}

InputFile::~InputFile()
{
    if (descriptor_ >= 0) _close(descriptor_);
}

std::size_t InputFile::readOnce(char* to, std::size_t most)
{
    const int count = _read(descriptor_, to, static_cast<unsigned>(most));
    if (count < 0) throw UsageError(fmt::format("{} cannot be read to its end: is the disk sound?", path_));
    return static_cast<std::size_t>(count);
}

void InputFile::awaitWriter() {}

#else

InputFile::InputFile(const std::string& path) : path_(path)
{
    // Not blocking, because opening a pipe would wait for its writer.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat about = {};
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0)
        throw UsageError(fmt::format("{} cannot be opened: check the path", path));
    try {
        if (S_ISDIR(about.st_mode)) throw UsageError(fmt::format("{} is a folder: name a file", path));
        regular_ = S_ISREG(about.st_mode);
        if (S_ISFIFO(about.st_mode)) awaitWriter();
    } catch (...) {
        close(descriptor_);
        throw;
    }
    fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
}

InputFile::~InputFile()
{
    if (descriptor_ >= 0) close(descriptor_);
}

// Waits for the first byte, or the end. A writer may take its time; a pipe that has no writer after `patience` is
// refused.
void InputFile::awaitWriter()
{
    constexpr int patience = 5000;  // ms
    pollfd pipe = {descriptor_, POLLIN, 0};
    while (!first_ && poll(&pipe, 1, patience) == 0) {
        char c = 0;
        const ssize_t count = ::read(descriptor_, &c, 1);
        if (count > 0) first_ = c;
        if (count == 0)  // 0: there is no writer; with one this would be EAGAIN
            throw UsageError(fmt::format("{} is a pipe without a writer: start one, or name a file", path_));
    }
}

std::size_t InputFile::readOnce(char* to, std::size_t most)
{
    for (;;) {
        const ssize_t count = ::read(descriptor_, to, most);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) throw UsageError(fmt::format("{} cannot be read to its end: is the disk sound?", path_));
    }
}

#endif

std::size_t InputFile::readSome(char* to, std::size_t most)
{
    constexpr std::size_t atOnce = std::size_t{1} << 30;
    std::size_t count = 1;
    if (first_)
        *to = *std::exchange(first_, std::nullopt);
    else
        count = readOnce(to, std::min(atOnce, most));
    total_ += count;
    if (!regular_ && total_ > pipeLimit_)
        throw UsageError(
            fmt::format("{} is no regular file and has no end within {} MiB: write what is needed of it to a file",
                        path_, pipeLimit_ >> 20));
    return count;
}

std::size_t InputFile::read(char* to, std::size_t most)
{
    std::size_t filled = 0;
    while (filled < most) {
        const std::size_t count = readSome(to + filled, most - filled);
        if (count == 0) break;
        filled += count;
    }
    return filled;
}

}  // namespace a2
