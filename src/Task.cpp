#include "Task.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// '*' stands for any run of characters, '?' for one.
bool matches(std::string_view glob, std::string_view text)
{
    if (glob.empty()) return text.empty();
    if (glob.front() == '*') return matches(glob.substr(1), text) || (!text.empty() && matches(glob, text.substr(1)));
    return !text.empty() && (glob.front() == '?' || glob.front() == text.front()) &&
           matches(glob.substr(1), text.substr(1));
}

}  // namespace

KernelShape Task::shapeFor(std::uint64_t count) const
{
    for (const ShapeUpTo& one : shortShapes)
        if (count <= one.count) return one.shape;
    return shape;
}

std::string Task::consoleLabel() const { return fmt::format("[Task{}] {}", kind == TaskKind::reduce ? 1 : 2, label); }

std::vector<Task> allTasks()
{
    std::vector<Task> all = task1Rows();
    for (Task& task : task2Rows()) all.push_back(std::move(task));
    return all;
}

std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool withAll)
{
    std::vector<Task> all = allTasks();
    for (const std::string& glob : globs)
        if (std::none_of(all.begin(), all.end(), [&](const Task& task) { return matches(glob, task.id); }))
            throw UsageError(
                fmt::format("unknown task or command '{}': `a2 list` shows the tasks, `a2 --help` the commands", glob));
    if (withAll) return all;
    std::erase_if(all, [&](const Task& task) {
        if (globs.empty()) return !task.byDefault;
        return std::none_of(globs.begin(), globs.end(),
                            [&](const std::string& glob) { return matches(glob, task.id); });
    });
    return all;
}

std::uint32_t Expectation::result(std::uint64_t index) const
{
    switch (kind_) {
        case TaskKind::reduce:
            return input_.sum();
        case TaskKind::localScan:
            return scanned(index) - tileStartSum(index);
        case TaskKind::scan:
        case TaskKind::offset:
            break;
    }
    return scanned(index);
}

bool Expectation::matches(std::uint64_t first, std::span<const std::uint32_t> got) const
{
    if (kind_ == TaskKind::scan || kind_ == TaskKind::offset) {
        const auto expected = input_.prefixSums().begin() + static_cast<std::ptrdiff_t>(first);
        if (!shape_.exclusive) return std::equal(got.begin(), got.end(), expected);
        if (first > 0) return std::equal(got.begin(), got.end(), expected - 1);
        return got.front() == 0 && std::equal(got.begin() + 1, got.end(), expected);
    }
    for (std::uint64_t i = 0; i < got.size(); ++i)
        if (got[i] != result(first + i)) return false;
    return true;
}

std::uint32_t Expectation::given(std::uint64_t index) const
{
    return kind_ == TaskKind::offset ? scanned(index) - tileStartSum(index) : input_.values()[index];
}

std::uint64_t Expectation::offsetCount() const
{
    return kind_ == TaskKind::offset ? ceilDiv(input_.size(), shape_.tile()) : 0;
}

}  // namespace a2
