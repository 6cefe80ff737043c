#include "files/ProjectCommit.h"

#include "base/Process.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <chrono>
#include <regex>

namespace a2 {

std::string projectCommit()
{
    if (!hasProject()) return {};
    ProcessLimits limits;
    limits.time = std::chrono::seconds(5);
    const ProcessResult git =
        runProcess("git",
                   {"-C", utf8Of(projectFolder()), "--no-optional-locks", "-c", "core.fsmonitor=false", "describe",
                    "--always", "--dirty", "--abbrev=12", "--exclude=*"},
                   limits);
    const std::string line = git.output.substr(0, git.output.find('\n'));
    const bool isOne = std::regex_match(line, std::regex("[0-9a-f]{12,40}(-dirty)?"));
    return git.succeeded() && isOne ? line : "";
}

}  // namespace a2
