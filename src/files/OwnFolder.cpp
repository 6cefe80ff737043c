#include "files/OwnFolder.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"

#include <fmt/format.h>

#include <system_error>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw EnvironmentError(fmt::format("{} {}", utf8Of(path), why));
}

bool isOfAnother(const fs::path& folder)
{
#ifdef _WIN32
    static_cast<void>(folder);
    return false;
#else
    struct stat about = {};
    return lstat(folder.c_str(), &about) == 0 && about.st_uid != geteuid();
#endif
}

}  // namespace

void readyOwnFolder(const fs::path& folder)
{
    std::error_code failed;
    if (fs::is_symlink(fs::symlink_status(folder, failed)))
        refuse(folder, "is a link, and what a2 writes stays in the folder: remove the link");
    fs::create_directories(folder, failed);
    if (failed)
        refuse(folder, fmt::format("cannot be made: {}; copy the folder that it is in to where you may write",
                                   failed.message()));
    if (isOfAnother(folder)) refuse(folder, "belongs to another user: remove it, and a2 makes its own");
}

void removeAllButFiles(const fs::path& folder)
{
    std::error_code failed, none;
    fs::path last = folder;
    for (fs::recursive_directory_iterator one(folder, failed), end; !failed && one != end; one.increment(failed)) {
        last = one->path();
        const fs::file_status status = one->symlink_status(none);
        if (fs::is_directory(status) && isOfAnother(last))
            refuse(last, "belongs to another user: remove it, and a2 makes its own");
        if (!fs::is_directory(status) && !fs::is_regular_file(status) && !fs::remove(last, failed) && failed) break;
    }
    if (failed) refuse(last, fmt::format("is in the way: {}; remove {}", failed.message(), utf8Of(folder)));
}

void writeOwnFile(const fs::path& file, const std::string& text)
{
    Leftover leftover;
    try {
        const fs::path part = unforeseenName(file.parent_path());
        WrittenFile written = WrittenFile::makeNew(part, WrittenFile::Readers::umask, leftover);
        written.write(text);
        written.close();
        fs::rename(part, file);
    } catch (const std::system_error& error) {
        refuse(file, fmt::format("cannot be written: {}; see that there is room, and that you may write there",
                                 error.code().message()));
    }
    leftover.keep();
}

}  // namespace a2
