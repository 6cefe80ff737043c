#include "cli/FailurePage.h"

#include "base/Process.h"
#include "files/CacheFolder.h"
#include "files/Utf8Path.h"
#include "report/Summary.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace a2 {

namespace {

namespace fs = std::filesystem;

ProcessLimits limits()
{
    ProcessLimits limits;
    limits.time = std::chrono::seconds(10);
    return limits;
}

}  // namespace

std::string drawFailure(const std::vector<TaskOutcome>& outcomes)
{
    const TaskOutcome* const first = firstToMend(outcomes);
    if (!first || first->status != Status::failed || !first->diagnosis || cacheFolder().empty()) return {};
    const std::string& command = first->diagnosis->command;  // a shell command
    if (command.empty()) return {};

    std::string name = first->task.id;
    std::replace(name.begin(), name.end(), '/', '-');
    const fs::path page = cacheFolder() / "pages" / (name + ".html");
    std::error_code failed;
    fs::create_directories(page.parent_path(), failed);
    fs::remove(page, failed);  // of another run
    runProcess("sh", {"-c", command + " --quiet --html \"$1\"", "sh", utf8Of(page)}, limits());
    return fs::is_regular_file(page, failed) ? utf8Of(page) : std::string();
}

}  // namespace a2
