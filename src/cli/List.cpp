// a2 list.

#include "tasks/Task.h"
#include "cli/Commands.h"

#include <fmt/format.h>

namespace a2 {

ExitStatus listCommand()
{
    int total = 0;
    for (const Task& task : allTasks()) {
        total += task.points;
        fmt::print("{:<23} {:<36} {}\n", task.id, task.consoleLabel(),
                   task.byDefault ? fmt::format("{} points", task.points) : std::string("with --all"));
        for (const std::string& shader : task.shaders) fmt::print("    shaders/{}.comp\n", shader);
        fmt::print("    src/{}\n", task.hostFile);
    }
    fmt::print("{} points in all\n", total);
    return ExitStatus::passed;
}

}  // namespace a2
