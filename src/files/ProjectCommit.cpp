#include "files/ProjectCommit.h"

#include "base/Process.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <chrono>
#include <regex>
#include <string>
#include <vector>

namespace a2 {

std::string projectCommit()
{
    if (!hasProject()) return {};
    ProcessLimits limits;
    limits.time = std::chrono::seconds(5);
    std::vector<std::string> words = {"-C", utf8Of(projectFolder()), "--no-optional-locks"};
    // The folder of an installed a2 may be somebody else's, and its .git/config names programs for whatever reads its
    // files or objects: there git only looks up HEAD.
    const std::vector<std::string> asked =
        installation() ? std::vector<std::string>{"rev-parse", "--verify", "HEAD"}
                       : std::vector<std::string>{"-c",      "core.fsmonitor=false", "describe",   "--always",
                                                  "--dirty", "--abbrev=12",          "--exclude=*"};
    words.insert(words.end(), asked.begin(), asked.end());
    const ProcessResult git = runProcess("git", words, limits);
    const std::regex known("([0-9a-f]{12})[0-9a-f]{0,52}(-dirty)?\n");
    std::smatch found;
    return git.succeeded() && std::regex_match(git.output, found, known) ? found.str(1) + found.str(2) : "";
}

}  // namespace a2
