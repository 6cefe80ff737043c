#include "files/SourceFile.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

void refuseOutside(const fs::path& real, const fs::path& folder, const fs::path& path)
{
    std::error_code error;
    const fs::path inside = fs::canonical(folder, error);
    const auto [end, ignored] = std::mismatch(inside.begin(), inside.end(), real.begin(), real.end());
    if (!error && end == inside.end()) return;
    throw KernelError(fmt::format("{} lies outside of {}, at {}: put a copy of it there, in place of the link",
                                  utf8Of(path), utf8Of(folder), utf8Of(real)));
}

[[noreturn]] void refuseFile(const fs::path& path, const std::string& why)
{
    throw KernelError(fmt::format("{} {}", utf8Of(path), why));
}

[[noreturn]] void refuseLength(const fs::path& path, std::uintmax_t most)
{
    refuseFile(path, fmt::format("is longer than the {} bytes that a kernel's source may have", most));
}

#ifndef _WIN32

class OpenFile {
public:
    // Not blocking: opening a pipe would otherwise wait for its writer.
    explicit OpenFile(const fs::path& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
    ~OpenFile()
    {
        if (file_ >= 0) close(file_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int operator*() const { return file_; }

private:
    int file_;
};

// The path of the open file, wherever its name leads now.
fs::path realPathOf(int file, const fs::path& path)
{
    std::error_code error;
#ifdef __linux__
    const fs::path real = fs::read_symlink("/proc/self/fd/" + std::to_string(file), error);
    if (!error && real.is_absolute()) return real;
#else
    (void)file;
#endif
    return fs::canonical(path, error);
}

#endif

}  // namespace

#ifdef _WIN32

// The whole text or, of a longer one, more than `most` bytes; nothing if it cannot be read.
static std::optional<std::string> beginningOf(const fs::path& path, std::uintmax_t most)
{
    std::error_code error;
    std::ifstream stream(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(std::min(fs::file_size(path, error), most)) + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad() || error) return std::nullopt;
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

static std::optional<std::string> bytesOf(const fs::path& folder, const fs::path& name, std::uintmax_t most)
{
    const fs::path path = folder / name;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return std::nullopt;
    if (!fs::is_regular_file(status)) refuseFile(path, "is not a regular file");
    refuseOutside(fs::canonical(path, error), folder, path);
    std::optional<std::string> text = beginningOf(path, most);
    if (!text) refuseFile(path, "cannot be read");
    if (text->size() > most) refuseLength(path, most);
    return text;
}

std::optional<std::string> boundedText(const fs::path& file, std::uintmax_t most)
{
    std::error_code none;
    std::optional<std::string> text;
    if (fs::is_regular_file(file, none)) text = beginningOf(file, most);
    if (text && text->size() > most) text.reset();
    return text;
}

#else

// The whole text or, of a longer one, more than `most` bytes; nothing if it cannot be read. The file may grow
// meanwhile, or its length may be unknown.
static std::optional<std::string> beginningOf(int file, const struct stat& about, std::uintmax_t most)
{
    std::string text;
    const auto length = std::min(static_cast<std::uintmax_t>(about.st_size), most);
    for (std::size_t step = static_cast<std::size_t>(length) + 1;; step = 1 << 16) {
        const std::size_t before = text.size();
        text.resize(before + step);
        const ssize_t count = read(file, text.data() + before, step);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count < 0 && errno != EINTR) return std::nullopt;
        if (count == 0 || text.size() > most) return text;
    }
}

static std::optional<std::string> bytesOf(const fs::path& folder, const fs::path& name, std::uintmax_t most)
{
    const fs::path path = folder / name;
    const OpenFile file(path);
    if (*file < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    struct stat about = {};
    if (*file < 0 && errno != ENXIO && stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode))
        refuseFile(path, "cannot be read");
    if (*file < 0 || fstat(*file, &about) != 0 || !S_ISREG(about.st_mode)) refuseFile(path, "is not a regular file");
    refuseOutside(realPathOf(*file, path), folder, path);
    const std::optional<std::string> text = beginningOf(*file, about, most);
    if (!text) refuseFile(path, "cannot be read");
    if (text->size() > most) refuseLength(path, most);
    return text;
}

std::optional<std::string> boundedText(const fs::path& path, std::uintmax_t most)
{
    const OpenFile file(path);
    struct stat about = {};
    std::optional<std::string> text;
    if (*file >= 0 && fstat(*file, &about) == 0 && S_ISREG(about.st_mode)) text = beginningOf(*file, about, most);
    if (text && text->size() > most) text.reset();
    return text;
}

#endif

std::optional<std::string> readSourceFile(const fs::path& folder, const fs::path& name, std::uintmax_t most)
{
    const fs::path path = folder / name;
    std::optional<std::string> text = bytesOf(folder, name, most);
    std::error_code ignored;
    if (!text && fs::is_symlink(fs::symlink_status(path, ignored))) refuseFile(path, "is a link to what is not there");
    if (text && text->starts_with("\xEF\xBB\xBF"))
        refuseFile(path, "begins with a byte order mark, which GLSL does not know: save it as UTF-8 without one");
    if (text && (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF")))
        refuseFile(path, "is UTF-16: save it as UTF-8");
    return text;
}

std::string textOfFile(const fs::path& file) { return boundedText(file).value_or(""); }

}  // namespace a2
