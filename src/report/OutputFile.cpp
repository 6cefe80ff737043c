#include "report/OutputFile.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace a2 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw UsageError(fmt::format("{} cannot be written: {}; choose another path", path.string(), why));
}

// Opened by name these would start a second file position of their own, and write over what is there.
std::FILE* ownStream(const std::string& path)
{
    if (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1") return stdout;
    if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2") return stderr;
    return nullptr;
}

fs::path beside(const fs::path& target)
{
    fs::path path = target;
    return path += ".a2-part";
}

// True, or errno says why not.
bool write(const fs::path& path, const std::string& text)
{
    errno = 0;
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    return static_cast<bool>(stream);
}

std::string lastError() { return errno ? std::strerror(errno) : "the disk may be full"; }

}  // namespace

OutputFile::OutputFile(const std::string& path) : target_(path), stream_(ownStream(path))
{
    std::error_code error;
    if (stream_) return;
    if (fs::is_directory(target_, error)) refuse(target_, "it is a folder");
    if (fs::is_symlink(target_, error)) target_ = fs::weakly_canonical(target_, error);  // write where it points
    special_ = fs::exists(target_, error) && !fs::is_regular_file(target_, error);
    if (special_) return;
    if (!write(beside(target_), "")) refuse(path, lastError());
    fs::remove(beside(target_), error);
}

void OutputFile::commit(const std::string& text) const
{
    if (stream_) {
        if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size() || std::fflush(stream_) != 0)
            refuse(target_, lastError());
        return;
    }
    const fs::path path = special_ ? target_ : beside(target_);
    std::error_code error;
    if (!write(path, text)) {
        const std::string why = lastError();
        if (!special_) fs::remove(path, error);
        refuse(target_, why);
    }
    if (special_) return;
    fs::rename(path, target_, error);
    if (error) {
        const std::string why = error.message();
        fs::remove(path, error);
        refuse(target_, why);
    }
}

}  // namespace a2
