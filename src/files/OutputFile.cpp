#include "files/OutputFile.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <vector>

namespace a2 {

namespace fs = std::filesystem;

namespace {

std::vector<const OutputFile*>& living()
{
    static std::vector<const OutputFile*> all;
    return all;
}

std::string lastError() { return errno ? std::strerror(errno) : "the disk may be full"; }

fs::path folderOf(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// Whether two names in one folder are the same file.
bool sameName(std::string one, std::string other)
{
#if defined(_WIN32) || defined(__APPLE__)
    for (std::string* name : {&one, &other})
        std::transform(name->begin(), name->end(), name->begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
#endif
    return one == other;
}

bool isOneOf(const fs::path& path, std::initializer_list<const char*> names)
{
    return std::find(names.begin(), names.end(), path) != names.end();
}

// Kernels, host code, related files, and files that CMake reads: no output of a2 has such a name.
bool isSource(const fs::path& file)
{
    static const std::set<std::string> suffixes = {".comp", ".glsl", ".vert", ".frag",  ".geom", ".spvasm",
                                                   ".c",    ".cc",   ".cpp",  ".cxx",   ".h",    ".hh",
                                                   ".hpp",  ".hxx",  ".ini",  ".cmake", ".py",   ".sh"};
    std::string suffix = utf8Of(file.extension());
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return suffixes.count(suffix) > 0 || sameName(utf8Of(file.filename()), "CMakeLists.txt");
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Over over) : name_(path), target_(pathOf(path))
{
    if (path == "-") refuse("standard output has the results as text");
    find();
    std::error_code ignored;
    if (kind_ == Kind::device && !mayWrite(target_)) refuse(lastError());
    if (kind_ == Kind::file) {
        if (!target_.has_filename()) refuse("it names no file");
        errno = 0;
        if (fs::exists(target_, ignored) && !mayWrite(target_)) refuse(lastError());
        if (isOwnOutput(target_)) refuse("this program's own output goes there");
        if (over == Over::results && isSource(target_) && fs::exists(target_, ignored))
            refuse("a source is there, and no result takes its place");
        begin();
        file_.reset();
        leftover_.remove();
        for (const OutputFile* other : living())
            if (isFor(*other))
                refuse(fmt::format("{} is the same file, and two outputs cannot share it", other->name_));
    }
    living().push_back(this);
}

OutputFile::~OutputFile() { std::erase(living(), this); }

// Follows links to the file that is really written.
void OutputFile::find()
{
    constexpr int mostLinks = 40;  // as many as Linux follows
    std::error_code error;
    for (int links = 0;; ++links) {
        // Opened by name, these would start a second file position, and overwrite what is there.
        if (isOneOf(target_, {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})) kind_ = Kind::stdoutStream;
        if (isOneOf(target_, {"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"})) kind_ = Kind::stderrStream;
        if (kind_ != Kind::file) return;
        const fs::file_status there = fs::symlink_status(target_, error);
        if (there.type() != fs::file_type::symlink) break;
        const fs::file_status behind = fs::status(target_, error);
        if (fs::exists(behind) && !fs::is_regular_file(behind)) break;  // the link of a pipe does not contain a path
        if (links == mostLinks) refuse("its symbolic links go in circles");
        target_ = folderOf(target_) / fs::read_symlink(target_, error);
        if (error) refuse(error.message());
    }
    const fs::file_status there = fs::status(target_, error);
    if (fs::is_directory(there)) refuse("it is a folder");
    if (there.type() == fs::file_type::none) refuse(error.message());
    if (fs::exists(there) && !fs::is_regular_file(there)) kind_ = Kind::device;
}

std::FILE* OutputFile::stream() const
{
    if (kind_ == Kind::stdoutStream) return stdout;
    return kind_ == Kind::stderrStream ? stderr : nullptr;
}

void OutputFile::refuse(const std::string& why) const
{
    throw UsageError(fmt::format("{} cannot be written: {}; choose another path", name_, why));
}

bool OutputFile::isFor(const OutputFile& other) const
{
    if (other.kind_ != Kind::file) return false;
    std::error_code ignored;
    if (fs::equivalent(target_, other.target_, ignored)) return true;
    return fs::equivalent(folderOf(target_), folderOf(other.target_), ignored) &&
           sameName(utf8Of(target_.filename()), utf8Of(other.target_.filename()));
}

void OutputFile::refuseAsInput(const std::string& input) const
{
    std::error_code ignored;
    const fs::path read = pathOf(input);
    if (fs::is_regular_file(read, ignored) && fs::equivalent(read, target_, ignored))
        throw UsageError(fmt::format("{} would be written over {}, which is read: name another file", name_, input));
}

void OutputFile::begin()
{
    if (file_) return;
    try {
        if (kind_ == Kind::device) {
            file_.emplace(WrittenFile::open(target_));
            return;
        }
        std::error_code ignored;
        part_ = unforeseenName(folderOf(target_));
        file_.emplace(WrittenFile::makeNew(
            part_, fs::exists(target_, ignored) ? WrittenFile::Readers::owner : WrittenFile::Readers::umask,
            leftover_));
    } catch (const std::system_error& error) {
        refuse(error.code().message());
    }
}

void OutputFile::write(std::string_view text)
{
    if (std::FILE* const own = stream()) {
        errno = 0;
        if (std::fwrite(text.data(), 1, text.size(), own) != text.size()) refuse(lastError());
        return;
    }
    begin();
    try {
        file_->write(text);
    } catch (const std::system_error& error) {
        file_.reset();
        leftover_.remove();
        refuse(error.code().message());
    }
}

void OutputFile::commit()
{
    if (std::FILE* const own = stream()) {
        errno = 0;
        if (std::fflush(own) != 0) refuse(lastError());
        return;
    }
    begin();
    try {
        file_->close();
    } catch (const std::system_error& error) {
        leftover_.remove();
        refuse(error.code().message());
    }
    file_.reset();
    if (kind_ == Kind::file) place(part_);
    leftover_.keep();
}

void OutputFile::place(const fs::path& finished)
{
    takeModeOf(target_, finished);
    std::error_code error;
    fs::rename(finished, target_, error);
    if (!error) return;
    leftover_.remove();
    refuse(error.message());
}

fs::path OutputFile::folder() const
{
    if (kind_ != Kind::file) refuse("it is a device or a pipe");
    return folderOf(target_);
}

void OutputFile::commitFile(const fs::path& finished) { place(finished); }

}  // namespace a2
