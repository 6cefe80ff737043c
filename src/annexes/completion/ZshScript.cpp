#include "annexes/completion/Scripts.h"
#include "annexes/completion/Values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2 {

namespace {

// In single quotes; `special` has the characters that have a meaning at that place.
std::string quoted(const std::string& text, const std::string& special)
{
    std::string safe;
    for (const char one : text) {
        if (one == '\'') {
            safe += "'\\''";
            continue;
        }
        if (one == '\\' || special.find(one) != std::string::npos) safe += '\\';
        safe += one;
    }
    return safe;
}

std::string actionOf(const OptionEntry& option)
{
    const Values values = valuesOf(option);
    switch (values.kind) {
        case Values::Kind::files:
            return "_files";
        case Values::Kind::folders:
            return "_files -/";
        case Values::Kind::words:
            return quoted(fmt::format("({})", fmt::join(values.words, " ")), ":");
        case Values::Kind::unknown:
            break;
    }
    return " ";  // a message without choices
}

// One option: '(-n --size)'{-n,--size}'[what it is]:N: '
std::string specOf(const OptionEntry& option)
{
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", quoted(option.value, ":"), actionOf(option));
    std::vector<std::string> names = option.shortNames;
    for (const std::string& name : option.longNames) names.push_back(name + (option.value.empty() ? "" : "="));
    const std::string description = quoted(option.description, "[]:");
    if (names.size() == 1) return fmt::format("'{}[{}]{}'", names.front(), description, value);
    return fmt::format("'({})'{{{}}}'[{}]{}'", fmt::join(option.names(), " "), fmt::join(names, ","), description,
                       value);
}

std::string argumentSpec(const OptionEntry& argument)
{
    return fmt::format("'{}:{}:{}'", argument.many ? "*" : "", quoted(argument.value, ":"), actionOf(argument));
}

}  // namespace

std::string zshScript(const std::vector<CommandEntry>& table)
{
    std::string text =
        "#compdef a2\n"
        "# What zsh completes the command line of a2 with: this, as _a2 in a folder of $fpath.\n\n"
        "_a2()\n{\n    local -a commands\n    commands=(\n";
    for (const CommandEntry& command : table)
        text += fmt::format("        '{}:{}'\n", command.name, quoted(command.description, ":"));
    text += "        'help:options of a command'\n        'version:the version'\n    )\n";
    text +=
        "    local command=run\n"
        "    if (( CURRENT > 2 )) && [[ -n ${commands[(r)$words[2]:*]} ]]; then\n"
        "        command=$words[2]\n"
        "        shift words\n"
        "        (( CURRENT-- ))\n"
        "    elif (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "    fi\n"
        "    case $command in\n";
    for (const CommandEntry& command : table) {
        text += fmt::format("    {})\n        _arguments -s", command.name);
        for (const OptionEntry& option : command.options) text += " \\\n            " + specOf(option);
        for (const OptionEntry& argument : command.arguments) text += " \\\n            " + argumentSpec(argument);
        text += " ;;\n";
    }
    text += fmt::format("    help) _values command {} ;;\n    esac\n}}\n\n", fmt::join(namesOf(table), " "));
    // For a script that is sourced, not found by its name.
    return text + "if [[ $funcstack[1] == _a2 ]]; then _a2 \"$@\"; else compdef _a2 a2; fi\n";
}

}  // namespace a2
