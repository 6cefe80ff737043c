#include "worker/FolderSources.h"

#include "a2/Error.h"
#include "base/PrintableText.h"
#include "files/Project.h"
#include "files/SourceFile.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <uv.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largestSource = std::uintmax_t{16} << 20;  // bytes

// All that is below a folder and is no folder, sorted; nothing where it does not exist. What cannot be looked into
// might have sources, so it is no empty folder.
std::vector<fs::path> filesBelow(const fs::path& top)
{
    std::error_code none;
    if (fs::is_symlink(fs::symlink_status(top, none)))
        throw EnvironmentError(fmt::format("{} is a link: put the folder itself there", utf8Of(top)));
    std::vector<fs::path> files, folders;
    if (fs::exists(top, none)) folders.push_back(top);
    while (!folders.empty()) {
        const fs::path folder = folders.back();
        folders.pop_back();
        std::error_code failed;
        for (fs::directory_iterator one(folder, failed), end; !failed && one != end; one.increment(failed))
            (fs::is_directory(one->symlink_status(none)) ? folders : files).push_back(one->path());
        if (failed)
            throw EnvironmentError(
                fmt::format("{} cannot be read: {}; make it readable, or remove it", utf8Of(folder), failed.message()));
    }
    std::sort(files.begin(), files.end());
    return files;
}

// The headers that are handed out.
std::vector<fs::path> headersOf(const fs::path& folder)
{
    std::vector<fs::path> headers;
    for (const char* part : {"shaders/include", "src"})
        for (const fs::path& one : filesBelow(folder / part))
            if (one.extension() == ".h") headers.push_back(one.lexically_relative(folder));
    return headers;
}

bool sameHeaders(const fs::path& one, const fs::path& other)
{
    const std::vector<fs::path> headers = headersOf(one);
    return headers == headersOf(other) && std::all_of(headers.begin(), headers.end(), [&](const fs::path& name) {
               return boundedText(one / name) == boundedText(other / name);
           });
}

}  // namespace

std::string stampOf(const fs::path& file)
{
    std::string text;
    uv_fs_t request;
    if (uv_fs_stat(nullptr, &request, utf8Of(file).c_str(), nullptr) == 0) {
        const uv_stat_t& one = request.statbuf;
        text = fmt::format("{} {} {} {}.{:09} {}.{:09}", one.st_ino, one.st_dev, one.st_size, one.st_mtim.tv_sec,
                           one.st_mtim.tv_nsec, one.st_ctim.tv_sec, one.st_ctim.tv_nsec);
    }
    uv_fs_req_cleanup(&request);
    return text;
}

std::string identityOf(const fs::path& file)
{
    std::string text;
    uv_fs_t request;
    if (uv_fs_lstat(nullptr, &request, utf8Of(file).c_str(), nullptr) == 0) {
        const uv_stat_t& one = request.statbuf;
#ifdef _WIN32
        const bool isOwn = true;
#else
        const bool isOwn = one.st_uid == geteuid() && S_ISREG(one.st_mode);
#endif
        if (isOwn)
            text = fmt::format("file {} of {}, {} bytes, {}.{:09}", one.st_ino, one.st_dev, one.st_size,
                               one.st_mtim.tv_sec, one.st_mtim.tv_nsec);
    }
    uv_fs_req_cleanup(&request);
    return text;
}

std::vector<FolderSource> sourcesOf(const fs::path& folder)
{
    const fs::path objects = installation()->student / "objects";
    const bool givenHeaders = sameHeaders(folder, installation()->shared / "template");
    std::vector<FolderSource> all;
    for (const fs::path& file : filesBelow(folder / "src")) {
        if (file.extension() != ".cpp") continue;
        FolderSource source;
        const fs::path below = file.lexically_relative(folder / "src");
        source.file = file;
        source.name = utf8Of(below);
        std::replace(source.name.begin(), source.name.end(), '\\', '/');
        source.stamp = stampOf(file);
        if (const std::string shown = printableText(source.name); shown != source.name) {
            source.name = shown;
            source.broken = "has a name that is not UTF-8, or has control characters: rename it";
            source.output = fmt::format("a2: note: src/{} {}", source.name, source.broken);
        }
        try {
            source.text = readSourceFile(folder / "src", below, largestSource).value_or("");
        } catch (const KernelError& error) {
            source.broken = fmt::format("cannot be read: {}", error.what());
        }
        std::error_code none;
        const fs::path given = objects / below;
        source.given = givenHeaders && fs::is_regular_file(given, none) && textOfFile(given) == source.text;
        source.object = (source.given ? objects : folder / ".a2/objects") / below;
        source.object += ".o";
        all.push_back(std::move(source));
    }
    std::sort(all.begin(), all.end(), [](const FolderSource& a, const FolderSource& b) { return a.name < b.name; });
    return all;
}

bool isHandOut(const std::vector<FolderSource>& sources)
{
    const fs::path handedOut = installation()->shared / "template/src";
    const std::vector<fs::path> files = filesBelow(handedOut);
    const auto isGiven = [](const FolderSource& one) { return one.given && one.broken.empty(); };
    const auto isThere = [&](const fs::path& file) {
        const std::string name = file.lexically_relative(handedOut).generic_string();
        return file.extension() != ".cpp" ||
               std::any_of(sources.begin(), sources.end(), [&](const FolderSource& one) { return one.name == name; });
    };
    return std::all_of(sources.begin(), sources.end(), isGiven) && std::all_of(files.begin(), files.end(), isThere);
}

std::string includableNames(const fs::path& folder)
{
    std::string names;
    for (const char* part : {"shaders/include", "src"})
        for (const fs::path& one : filesBelow(folder / part)) {
            const std::string name = utf8Of(one.filename());
            // Editors leave such files while a source is open.
            const bool isLeft = name.starts_with('.') || name.starts_with('#') || name.ends_with('~');
            if (one.extension() != ".cpp" && !isLeft) names += utf8Of(one.lexically_relative(folder)) + '\n';
        }
    return names;
}

}  // namespace a2
