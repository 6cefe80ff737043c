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

}  // namespace

OutputFile::OutputFile(const std::string& path) : target_(path)
{
    std::error_code error;
    if (fs::is_directory(target_, error)) refuse(target_, "it is a folder");
    if (fs::is_symlink(target_, error)) target_ = fs::weakly_canonical(target_, error);  // write where it points
    const bool special = fs::exists(target_, error) && !fs::is_regular_file(target_, error);
    beside_ = target_;
    if (special) return;
    beside_ += ".a2-part";
    errno = 0;
    if (!std::ofstream(beside_)) {
        const std::string why = errno ? std::strerror(errno) : "it cannot be opened";
        const fs::path attempted = std::exchange(beside_, target_);
        refuse(target_, why);
    }
}

OutputFile::~OutputFile()
{
    std::error_code ignored;
    if (!direct()) fs::remove(beside_, ignored);
}

void OutputFile::commit(const std::string& text)
{
    std::ofstream stream(beside_, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (!stream) refuse(target_, "writing failed, the disk may be full");
    if (direct()) return;
    std::error_code error;
    fs::rename(beside_, target_, error);
    if (error) refuse(target_, error.message());
    beside_ = target_;
}

}  // namespace a2
