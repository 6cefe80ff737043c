#include "report/OutputFile.h"

#include "Utf8Path.h"
#include "a2/Error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace a2 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw UsageError(fmt::format("{} cannot be written: {}; choose another path", utf8Of(path), why));
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

std::string lastError() { return errno ? std::strerror(errno) : "the disk may be full"; }

}  // namespace

OutputFile::OutputFile(const std::string& path) : target_(pathOf(path)), stream_(ownStream(path))
{
    std::error_code error;
    if (stream_) return;
    if (fs::is_directory(target_, error)) refuse(target_, "it is a folder");
    if (fs::is_symlink(target_, error)) target_ = fs::weakly_canonical(target_, error);  // write where it points
    special_ = fs::exists(target_, error) && !fs::is_regular_file(target_, error);
    if (special_) return;
    errno = 0;
    if (!std::ofstream(beside(target_), std::ios::binary)) refuse(target_, lastError());
    fs::remove(beside(target_), error);
}

OutputFile::~OutputFile() { drop(); }

void OutputFile::drop()
{
    if (!begun_) return;
    begun_ = false;
    file_.close();
    std::error_code ignored;
    if (!special_) fs::remove(beside(target_), ignored);
}

void OutputFile::fail(const std::string& why)
{
    drop();
    refuse(target_, why);
}

void OutputFile::begin()
{
    begun_ = true;
    file_.open(special_ ? target_ : beside(target_), std::ios::binary | std::ios::trunc);
}

void OutputFile::write(std::string_view text)
{
    errno = 0;
    if (stream_) {
        if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) refuse(target_, lastError());
        return;
    }
    if (!begun_) begin();
    if (!file_.write(text.data(), static_cast<std::streamsize>(text.size()))) fail(lastError());
}

void OutputFile::commit()
{
    errno = 0;
    if (stream_) {
        if (std::fflush(stream_) != 0) refuse(target_, lastError());
        return;
    }
    if (!begun_) begin();
    file_.close();
    if (!file_) fail(lastError());
    std::error_code error;
    if (!special_) fs::rename(beside(target_), target_, error);
    if (error) fail(error.message());
    begun_ = false;
}

}  // namespace a2
