#include "annexes/completion/CommandTable.h"

#include "cli/OptionGroups.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace a2 {

namespace {

// CLI11 stores an option's allowed values only in the name of its type: "TEXT:{off,on,gpu}".
std::vector<std::string> choicesOf(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}');
    std::vector<std::string> choices;
    if (begin == std::string::npos || end == std::string::npos) return choices;
    std::istringstream listed(type.substr(begin + 1, end - begin - 1));
    for (std::string one; std::getline(listed, one, ',');) choices.push_back(one);
    return choices;
}

OptionEntry entryOf(const CLI::Option& option)
{
    OptionEntry entry;
    for (const std::string& name : option.get_snames()) entry.shortNames.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.longNames.push_back("--" + name);
    const bool takesValue = option.get_items_expected_max() > 0;
    entry.value = option.get_positional() ? option.get_name(true) : option.get_option_text();
    if (takesValue && entry.value.empty()) entry.value = "VALUE";
    if (entry.value.ends_with("...")) entry.value.resize(entry.value.size() - 3);
    if (takesValue) entry.choices = choicesOf(option);
    entry.description = option.get_description();
    entry.many = option.get_expected_max() > 1;
    return entry;
}

}  // namespace

std::vector<std::string> OptionEntry::names() const
{
    std::vector<std::string> all = shortNames;
    all.insert(all.end(), longNames.begin(), longNames.end());
    return all;
}

std::vector<std::string> namesOf(const std::vector<CommandEntry>& table)
{
    std::vector<std::string> names;
    for (const CommandEntry& command : table) names.push_back(command.name);
    return names;
}

std::vector<CommandEntry> commandTable()
{
    Options options;
    Raw raw;
    CLI::App app;
    declareCommands(app, options, raw);
    std::vector<CommandEntry> table;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        CommandEntry& entry = table.emplace_back();
        entry.name = command->get_name();
        entry.description = command->get_description();
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_positional())
                entry.arguments.push_back(entryOf(*option));
            else if (!option->get_group().empty())
                entry.options.push_back(entryOf(*option));
        }
    }
    return table;
}

}  // namespace a2
