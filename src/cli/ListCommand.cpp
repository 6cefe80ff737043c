// a2 list.

#include "cli/Subcommand.h"
#include "tasks/Task.h"

#include <fmt/format.h>

namespace a2 {

namespace {

ExitStatus listTasks()
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

}  // namespace

constinit const Subcommand Subcommand::list = {
    .name = "list", .description = "task ids, labels, points, files to edit", .workHere = listTasks};

}  // namespace a2
