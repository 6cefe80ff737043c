#include "tasks/Task.h"

#include "a2/Error.h"
#include "base/NearWord.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace a2 {

namespace {

// '*' stands for any run of characters, '?' for one. Each '*' first takes as few characters as possible; after a
// mismatch the last one takes one more. No earlier one needs to be tried again, so this takes at most glob x text
// steps.
bool matches(std::string_view glob, std::string_view text)
{
    std::size_t at = 0, read = 0;  // in glob, in text
    std::optional<std::size_t> star;
    std::size_t readAtStar = 0;
    while (read < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            star = at++;
            readAtStar = read;
        } else if (at < glob.size() && (glob[at] == '?' || glob[at] == text[read])) {
            ++at;
            ++read;
        } else if (star) {
            at = *star + 1;
            read = ++readAtStar;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

KernelShape Task::shapeFor(std::uint64_t count) const
{
    for (const ShapeUpTo& one : shortShapes)
        if (count <= one.count) return one.shape;
    return shape;
}

std::string Task::consoleTag() const { return lab ? "[Lab]" : taskClass->tag; }

std::string Task::consoleLabel() const { return fmt::format("{} {}", consoleTag(), label); }

RecordRequest recordRequest(const Task& task, const KernelShape& shape, std::uint64_t count)
{
    RecordRequest request;
    request.task = task.id;
    request.factory = task.factory;
    request.file = task.hostFile;
    request.shaders = task.shaders;
    request.shape = shape;
    request.count = count;
    request.offsetCount = task.taskClass->givenBlockOffsets ? ceilDiv(count, shape.tile()) : 0;
    return request;
}

std::vector<Task> allTasks()
{
    std::vector<Task> all;
    const auto add = [&all](std::vector<Task> rows) {
        for (Task& task : rows) all.push_back(std::move(task));
    };
    add(task1Rows());
    add(task2Rows());
    // BEGIN LABS
    add(labRows());
    // END LABS
    add(rowsOfCourses());
    return all;
}

namespace {

// " did you mean reduce/atomic?", if that id, the part of it after its '/', or a command nearly equals the word.
std::string suggestion(const std::vector<Task>& all, std::vector<std::string> known, const std::string& word)
{
    for (const Task& task : all) known.insert(known.end(), {task.id, task.id.substr(task.id.find('/') + 1)});
    const std::string near = nearWord(word, known);
    if (near.empty()) return "";
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const Task& task) { return task.id.ends_with('/' + near); });
    return fmt::format(" did you mean {}?", named == all.end() ? near : named->id);
}

}  // namespace

std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool withAll,
                              const std::vector<std::string>& commands)
{
    std::vector<Task> all = allTasks();
    for (const std::string& glob : globs)
        if (std::none_of(all.begin(), all.end(), [&](const Task& task) { return matches(glob, task.id); }))
            throw UsageError(
                fmt::format("unknown task or command '{}':{} `a2 list` shows the tasks, `a2 --help` the commands", glob,
                            suggestion(all, commands, glob)));
    if (withAll) return all;
    std::erase_if(all, [&](const Task& task) {
        if (globs.empty()) return !task.byDefault;
        return std::none_of(globs.begin(), globs.end(),
                            [&](const std::string& glob) { return matches(glob, task.id); });
    });
    return all;
}

std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool all, const ElementType& element)
{
    std::vector<Task> selected = selectTasks(globs, all);
    for (Task& task : selected) {
        task.element = &element;
        if (&element == &ElementType::uint32 || task.taskClass->addsUp) continue;
        task.limits = [&element](const Device&, const KernelShape&, std::uint64_t) {
            throw LimitError(
                fmt::format("its elements are uint32 alone: leave out --type {}, which is for rows that add elements "
                            "up",
                            element.name));
        };
    }
    return selected;
}

}  // namespace a2
