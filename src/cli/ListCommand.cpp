// a2 list.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "files/OutputFile.h"
#include "lint/Rules.h"
#include "report/Text.h"
#include "tasks/Task.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace a2 {

namespace {

// Paths of the files that a student writes for the task, relative to the project's folder.
std::vector<std::string> filesOf(const Task& task)
{
    std::vector<std::string> files;
    for (const std::string& shader : task.shaders) files.push_back(fmt::format("shaders/{}.comp", shader));
    files.push_back("src/" + task.hostFile);
    return files;
}

// As report/list-schema-2.json describes it.
std::string listJson()
{
    nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
    for (const Task& task : allTasks())
        tasks.push_back({{"id", task.id},
                         {"label", task.consoleLabel()},
                         {"points", task.points},
                         {"default", task.byDefault},
                         {"files", filesOf(task)}});
    nlohmann::ordered_json rules = nlohmann::ordered_json::array();
    for (const Rule& rule : allRules())
        rules.push_back({{"rule", rule.name},
                         {"severity", rule.severity == Severity::note ? "note" : "failure"},
                         {"cure", rule.cure}});
    return nlohmann::ordered_json{{"schema", 2}, {"tasks", tasks}, {"rules", rules}}.dump(2) + "\n";
}

void printRules()
{
    for (const Rule& rule : allRules()) {
        fmt::print("{:<20} {}\n", rule.name, rule.severity == Severity::note ? "a note" : "fails");
        fmt::print("{}", wrapped(rule.cure, 4, lineColumns));
    }
}

void addListOptions(CLI::App& app, Options& options, Raw&)
{
    inGroup(app, whatIsShown);
    addText(app, "--json", "FILE", options.reports["--json"],
            "write tasks and rules to this file as JSON, - for stdout, instead of showing them", "none");
    addFlag(app, "--rules", options.listRules, "the rules that a solution is held against, and what to do about each");
}

ExitStatus listTasks(const Options& options)
{
    if (options.jsonFile() == "-") {
        fmt::print("{}", listJson());
        return ExitStatus::passed;
    }
    if (!options.jsonFile().empty()) {
        OutputFile(options.jsonFile()).commit(listJson());
        return ExitStatus::passed;
    }
    if (options.listRules) {
        printRules();
        return ExitStatus::passed;
    }
    int total = 0;
    for (const Task& task : allTasks()) {
        total += task.points;
        fmt::print("{:<23} {:<36} {}\n", task.id, task.consoleLabel(),
                   task.byDefault ? fmt::format("{} points", task.points) : std::string("with --all"));
        for (const std::string& file : filesOf(task)) fmt::print("    {}\n", file);
    }
    fmt::print("{} points in all\n", total);
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::list = {.name = "list",
                                               .description = "task ids, labels, points, files; the rules",
                                               .place = 130,
                                               .addOptions = addListOptions,
                                               .workHere = listTasks};

}  // namespace a2
