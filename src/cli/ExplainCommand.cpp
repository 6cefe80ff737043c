// a2 explain.

#include "base/NearWord.h"
#include "cli/OptionGroups.h"
#include "cli/Options.h"
#include "cli/Subcommand.h"
#include "lint/Rules.h"
#include "report/RulesPage.h"
#include "report/Text.h"
#include "tasks/Task.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

void addExplainOptions(CLI::App& app, Options& options, Raw&)
{
    inGroup(app, whatIsShown);
    addArgument(app, "RULE", options.rule, "one rule, such as missing-barrier (see a2 list --rules)");
}

ExitStatus explain(const Options& options)
{
    constexpr const char* help = "`a2 list --rules` shows them";
    if (options.rule.empty())
        throw UsageError(fmt::format("a2 explain takes one rule: a2 explain shared-race; {}", help));
    const auto text = explainRule(rulesPage(), options.rule, lineColumns);
    if (!text) {
        std::vector<std::string> known;
        for (const Rule& rule : allRules()) known.emplace_back(rule.name);
        if (options.rule == "validation")
            throw UsageError("validation is no rule: such a line is what the Vulkan validation layer said of the run");
        const std::vector<Task> tasks = allTasks();
        if (std::any_of(tasks.begin(), tasks.end(), [&](const Task& one) { return one.id == options.rule; }))
            throw UsageError(
                fmt::format("{0} is a task, not a rule; `a2 list` shows its files, `a2 steps {0}` what it "
                            "does; rules: {1}",
                            options.rule, help));
        const std::string near = nearWord(options.rule, known);
        throw UsageError(fmt::format("unknown rule '{}':{} {}", options.rule,
                                     near.empty() ? "" : fmt::format(" did you mean {}?", near), help));
    }
    fmt::print("{}", *text);
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::explain = {.name = "explain",
                                                  .description = "what a rule means, an example, and its cure",
                                                  .place = 140,
                                                  .addOptions = addExplainOptions,
                                                  .workHere = a2::explain};

}  // namespace a2
