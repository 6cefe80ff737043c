#include "files/Project.h"

#include "base/BuildFacts.h"
#include "base/Process.h"
#include "files/Utf8Path.h"

#include <cstdint>
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

// Who owns a file; nothing where the system does not say.
std::optional<std::uint64_t> ownerOf(const fs::path& file)
{
    std::optional<std::uint64_t> owner;
#ifndef _WIN32
    struct stat about = {};
    if (stat(file.c_str(), &about) == 0) owner = about.st_uid;
#else
    static_cast<void>(file);
#endif
    return owner;
}

// A folder further up counts if it belongs to this user, to the system, or to whom the working directory belongs: on a
// machine of many, anybody may put one into /tmp.
bool mayCount(const fs::path& folder, const fs::path& here)
{
    const auto owner = ownerOf(folder / "course.ini");
    if (folder == here || !owner || *owner == 0 || owner == ownerOf(here)) return true;
#ifndef _WIN32
    return *owner == geteuid();
#else
    return true;
#endif
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
