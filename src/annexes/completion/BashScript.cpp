#include "annexes/completion/Scripts.h"
#include "annexes/completion/Values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace a2 {

namespace {

constexpr const char* scriptHead = R"(# What bash completes the command line of a2 with. For this shell alone:
#   source <(a2 completion bash)
# For all that bash-completion starts: this, in ~/.local/share/bash-completion/completions/a2
_a2()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=run words='' options='' arguments='' tasks='@tasks@'
    COMPREPLY=()
    # bash takes --size=4 for three words.
    if [[ $word == = ]]; then
        word=''
    elif [[ $before == = && COMP_CWORD -ge 2 ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case ${COMP_WORDS[1]} in
    @names@) if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi ;;
    help)
        if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '@commands@' -- "$word")); return; fi ;;
    esac
    case $command in
)";

constexpr const char* scriptEnd = R"(    esac
    case $words in
    @files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")); return ;;
    @folders) compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")); return ;;
    @unknown) return ;;
    '') ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        return
    fi
    if ((COMP_CWORD == 1)); then arguments="@commands@ help version $arguments"; fi
    case $arguments in
    *@files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$arguments" -- "$word")) ;;
    esac
}
complete -F _a2 a2
)";

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

std::string wordsOf(const Values& values, bool argument)
{
    switch (values.kind) {
        case Values::Kind::files:
            return "@files";
        case Values::Kind::folders:
            return "@folders";
        case Values::Kind::words:
            return fmt::format("{}", fmt::join(values.words, " "));
        case Values::Kind::unknown:
            break;
    }
    return argument ? "" : "@unknown";
}

std::string commandCase(const CommandEntry& command)
{
    std::vector<std::string> all;
    std::map<std::string, std::vector<std::string>> byWords;  // options whose values are completed in the same way
    for (const OptionEntry& option : command.options) {
        const std::vector<std::string> names = option.names();
        all.insert(all.end(), names.begin(), names.end());
        if (option.value.empty()) continue;
        std::vector<std::string>& alike = byWords[wordsOf(valuesOf(option), false)];
        alike.insert(alike.end(), names.begin(), names.end());
    }
    std::string text = fmt::format("    {})\n        options='{}'\n", command.name, fmt::join(all, " "));
    for (const OptionEntry& argument : command.arguments)
        text += argument.value == "TASK" ? std::string("        arguments=$tasks\n")
                                         : fmt::format("        arguments='{}'\n", wordsOf(valuesOf(argument), true));
    text += "        case $before in\n";
    for (const auto& [words, names] : byWords)
        text += fmt::format("        {}) words='{}' ;;\n", fmt::join(names, " | "), words);
    return text + "        esac ;;\n";
}

}  // namespace

std::string bashScript(const std::vector<CommandEntry>& table)
{
    const std::vector<std::string> names = namesOf(table);
    std::string cases;
    for (const CommandEntry& command : table) cases += commandCase(command);
    std::string text =
        replaced(scriptHead, "@tasks@", fmt::format("{}", fmt::join(taskIds(), " "))) + cases + scriptEnd;
    text = replaced(text, "@names@", fmt::format("{}", fmt::join(names, " | ")));
    return replaced(text, "@commands@", fmt::format("{}", fmt::join(names, " ")));
}

}  // namespace a2
