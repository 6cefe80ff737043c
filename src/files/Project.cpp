#include "files/Project.h"

#include "base/BuildFacts.h"
#include "base/Process.h"
#include "files/Utf8Path.h"

#include <optional>
#include <string>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

std::optional<Installation> findInstallation()
{
    std::string ignored;
    std::error_code none;
    const fs::path program = fs::weakly_canonical(pathOf(ownProgram(ignored)), none);
    const fs::path prefix = program.parent_path().parent_path();
    Installation found{prefix / "lib/a2", prefix / "lib/a2/student", prefix / "share/a2"};
    if (program.empty() || !fs::is_directory(found.student, none)) return std::nullopt;
    return found;
}

// A folder further up counts if it and its parts belong to this user, to the system, or to whom the working directory
// belongs: on a machine of many, anybody may put one into /tmp. A link belongs to whoever made it, not to the owner of
// the file that it leads to.
bool mayCount(const fs::path& folder, const fs::path& here)
{
#ifndef _WIN32
    struct stat about = {};
    if (folder == here || lstat(here.c_str(), &about) != 0) return true;
    const uid_t ownerHere = about.st_uid;
    for (const char* part : {"", "course.ini", "shaders", "src", ".a2"}) {
        const fs::path one = *part ? folder / part : folder;
        if (lstat(one.c_str(), &about) != 0) continue;
        const uid_t owner = about.st_uid;
        if (owner != 0 && owner != ownerHere && owner != geteuid()) return false;
    }
#else
    static_cast<void>(folder);
    static_cast<void>(here);
#endif
    return true;
}

fs::path studentFolder()
{
    std::error_code none;
    const fs::path here = fs::current_path(none);
    for (fs::path folder = here; !folder.empty(); folder = folder.parent_path()) {
        if (isStudentFolder(folder) && mayCount(folder, here)) return folder;
        if (folder == folder.root_path()) break;
    }
    return {};
}

}  // namespace

const Installation* installation()
{
    static const std::optional<Installation> found = findInstallation();
    return found ? &*found : nullptr;
}

const fs::path& projectFolder()
{
    static const fs::path folder = installation() ? studentFolder() : pathOf(buildFacts.projectShaders).parent_path();
    return folder;
}

fs::path toolsFolder() { return (installation() ? installation()->shared : projectFolder()) / "tools"; }

bool isStudentFolder(const fs::path& folder)
{
    std::error_code none;
    return fs::is_regular_file(folder / "course.ini", none) && fs::is_directory(folder / "shaders", none);
}

bool hasProject() { return !installation() || !projectFolder().empty(); }

fs::path projectShaders() { return hasProject() ? projectFolder() / "shaders" : fs::path(); }

}  // namespace a2
