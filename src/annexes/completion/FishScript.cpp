#include "annexes/completion/Scripts.h"
#include "annexes/completion/Values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2 {

namespace {

std::string quoted(const std::string& text)
{
    std::string safe = "'";
    for (const char one : text) {
        if (one == '\'' || one == '\\') safe += '\\';
        safe += one;
    }
    return safe + "'";
}

// The values of an option or of an argument.
std::string valuePart(const OptionEntry& option)
{
    const Values values = valuesOf(option);
    switch (values.kind) {
        case Values::Kind::files:
            return " -r -F";
        case Values::Kind::folders:
            return " -x -a '(__fish_complete_directories)'";
        case Values::Kind::words:
            return " -x -a " + quoted(fmt::format("{}", fmt::join(values.words, " ")));
        case Values::Kind::unknown:
            break;
    }
    return " -x";
}

std::string namesPart(const OptionEntry& option)
{
    std::string text;
    for (const std::string& name : option.shortNames) text += " -s " + name.substr(1);
    for (const std::string& name : option.longNames) text += " -l " + name.substr(2);
    return text;
}

}  // namespace

std::string fishScript(const std::vector<CommandEntry>& table)
{
    const std::vector<std::string> names = namesOf(table);
    std::string text = fmt::format(
        "# What fish completes the command line of a2 with: this, as\n"
        "# ~/.config/fish/completions/a2.fish\n"
        "set -l commands {} help version\n"
        "complete -c a2 -f\n",
        fmt::join(names, " "));
    const char* const first = "complete -c a2 -n \"not __fish_seen_subcommand_from $commands\"";
    for (const CommandEntry& command : table)
        text += fmt::format("{} -a {} -d {}\n", first, command.name, quoted(command.description));
    text += fmt::format("{} -a help -d 'options of a command'\n{} -a version -d 'the version'\n", first, first);
    text += fmt::format("complete -c a2 -n '__fish_seen_subcommand_from help' -a '{}'\n", fmt::join(names, " "));
    for (const CommandEntry& command : table) {
        // Without a command: run.
        std::vector<std::string> conditions = {fmt::format("__fish_seen_subcommand_from {}", command.name)};
        if (command.name == "run") conditions.emplace_back("not __fish_seen_subcommand_from $commands");
        for (const std::string& condition : conditions) {
            const std::string head = fmt::format("complete -c a2 -n \"{}\"", condition);
            for (const OptionEntry& option : command.options)
                text += head + namesPart(option) + (option.value.empty() ? "" : valuePart(option)) + " -d " +
                        quoted(option.description) + "\n";
            for (const OptionEntry& argument : command.arguments) {
                const Values values = valuesOf(argument);
                if (values.kind == Values::Kind::files) text += head + " -F\n";
                if (values.kind == Values::Kind::words)
                    text += fmt::format("{} -a {}\n", head, quoted(fmt::format("{}", fmt::join(values.words, " "))));
            }
        }
    }
    return text;
}

}  // namespace a2
