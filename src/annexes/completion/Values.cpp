#include "annexes/completion/Values.h"

#include "lint/Rules.h"
#include "tasks/Task.h"

namespace a2 {

std::vector<std::string> taskIds()
{
    std::vector<std::string> ids;
    for (const Task& task : allTasks()) ids.push_back(task.id);
    return ids;
}

Values valuesOf(const OptionEntry& option)
{
    using enum Values::Kind;
    if (!option.choices.empty()) return {words, option.choices};
    if (option.value == "TASK") return {words, taskIds()};
    if (option.value == "FILE" || option.value == "PROGRAM") return {files, {}};
    if (option.value == "DIR") return {folders, {}};
    if (option.value == "DEVICE") return {words, {"cpu", "emulator"}};
    if (option.value == "P") return {words, {"mod97", "ones", "iota", "random", "onehot:", "max", "shuffled", "file:"}};
    if (option.value == "RULE") {
        Values rules{words, {}};
        for (const Rule& rule : allRules()) rules.words.emplace_back(rule.name);
        return rules;
    }
    return {};
}

}  // namespace a2
