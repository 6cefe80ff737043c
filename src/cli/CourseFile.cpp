#include "cli/CourseFile.h"

#include "a2/Error.h"
#include "cli/Subcommand.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>

namespace a2 {

namespace {

bool isCommand(const std::vector<std::string>& section)
{
    const auto all = allSubcommands();
    return section.size() == 1 &&
           std::any_of(all.begin(), all.end(), [&](const Subcommand* one) { return one->name == section.front(); });
}

}  // namespace

void applyCourseFile(CLI::App& command)
{
    if (!hasProject()) return;
    const std::filesystem::path path = projectFolder() / "course.ini";
    std::ifstream file(path);
    if (!file) return;
    for (const CLI::ConfigItem& item : CLI::ConfigINI().from_config(file)) {
        if (item.name == "++" || item.name == "--") continue;  // where CLI11 has seen a section begin and end
        if (!isCommand(item.parents))
            throw UsageError(fmt::format("{}: '{}' stands below no command, such as [run]; `a2 --help` lists them",
                                         utf8Of(path), item.name));
        if (item.parents.front() != command.get_name()) continue;
        CLI::Option* const option = command.get_option_no_throw("--" + item.name);
        if (!option)
            throw UsageError(fmt::format("{}: a2 {} has no option --{}; `a2 {} --help` lists them", utf8Of(path),
                                         command.get_name(), item.name, command.get_name()));
        if (!option->empty()) continue;
        const bool isFlag = option->get_expected_min() == 0;
        for (const std::string& value : item.inputs)
            option->add_result(isFlag ? option->get_flag_value(item.name, value) : value);
        option->run_callback();
    }
}

}  // namespace a2
