// a2 completion: the scripts with which shells complete the command line, and the man page.

#include "annexes/completion/Scripts.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace a2 {

namespace {

struct Form {
    const char* name;
    std::string (*text)(const std::vector<CommandEntry>& table);
};

constexpr std::array<Form, 4> forms = {
    {{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}, {"man", manPage}}};

struct CompletionOptions {
    std::string form;
};

void addCompletionOptions(CLI::App& app, Options& options, Raw&)
{
    inGroup(app, whatIsShown);
    std::vector<std::string> names;
    for (const Form& one : forms) names.emplace_back(one.name);
    addArgument(app, "SHELL", options.own.of<CompletionOptions>().form,
                "bash, zsh or fish: what it completes a2's command line with; man: the page for man(1)", names);
}

ExitStatus printCompletion(const Options& options)
{
    const std::string& wanted = options.own.of<CompletionOptions>().form;
    for (const Form& one : forms)
        if (wanted == one.name) {
            fmt::print("{}", one.text(commandTable()));
            return ExitStatus::passed;
        }
    throw UsageError("a2 completion takes a shell, bash, zsh or fish, or man: source <(a2 completion bash)");
}

}  // namespace

extern const Subcommand completionCommand;
constinit const Subcommand completionCommand = {.name = "completion",
                                                .description = "completion for bash, zsh, fish; the man page",
                                                .place = 150,
                                                .addOptions = addCompletionOptions,
                                                .workHere = printCompletion};

}  // namespace a2
