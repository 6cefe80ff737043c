#include "files/Project.h"

#include "base/BuildFacts.h"
#include "base/Process.h"
#include "files/Utf8Path.h"

#include <optional>
#include <string>

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

fs::path studentFolder()
{
    std::error_code none;
    for (fs::path folder = fs::current_path(none); !folder.empty(); folder = folder.parent_path()) {
        if (isStudentFolder(folder)) return folder;
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
