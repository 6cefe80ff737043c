#include "report/TreeText.h"

#include "report/ElementGrid.h"
#include "report/PhasesText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace a2 {

namespace {

// A place for numbers: a buffer, or a variable of shared memory.
struct MemoryName {
    bool shared = false;
    std::string name;

    auto operator<=>(const MemoryName&) const = default;
};
using Numbers = std::map<std::uint64_t, std::string>;  // by index

// Numbers in a column, and the lines from the column before.
struct TreeColumn {
    MemoryName memory;
    std::string head, about;
    std::optional<StepVerdict> verdict;
    std::uint64_t first = 0, end = 0;  // of the indices
    std::uint64_t phase = UINT64_MAX;  // the phase that wrote it
    Numbers numbers;
    std::set<std::uint64_t> written, wrong;
    std::map<std::uint64_t, std::set<std::uint64_t>> sources;  // for a row: rows of the column before

    std::size_t digits() const
    {
        std::size_t most = head.size();
        for (const auto& [index, text] : numbers) most = std::max(most, text.size() + wrong.count(index));
        return most;
    }
    std::string cell(std::uint64_t row, const ConsoleStyle& style) const
    {
        const std::uint64_t index = first + row;
        if (index >= end) return std::string(digits(), ' ');
        const auto found = numbers.find(index);
        const bool isWrong = wrong.contains(index);
        const std::string text = fmt::format("{}{}", isWrong ? "!" : "", found == numbers.end() ? "." : found->second);
        const char* code = isWrong ? "1;31" : written.contains(index) ? "1;32" : "";
        const std::string padded = fmt::format("{:>{}}", text, digits());
        return *code ? coloured(padded, code, style) : padded;
    }
};

// The lines between two columns: each row has its own lane, as far left as there is room.
class TreeLanes {
public:
    explicit TreeLanes(const TreeColumn& column) : column_(column)
    {
        for (const auto& [to, from] : column.sources) {
            const std::uint64_t top = std::min(to, *from.begin()), bottom = std::max(to, *from.rbegin());
            if (top == bottom) continue;
            std::size_t lane = 0;
            while (lane < lanes_.size() && lanes_[lane].reaches(top, bottom)) ++lane;
            if (lane == lanes_.size()) lanes_.emplace_back();
            lanes_[lane].lines.push_back({to, top, bottom});
            laneOf_[to] = lane;
        }
    }

    std::size_t width() const { return column_.sources.empty() ? 2 : lanes_.size() + 3; }

    std::string row(std::uint64_t row) const
    {
        std::string text(width(), ' ');
        if (column_.sources.empty()) return text;
        // A number's line goes right to its last lane, and from its own lane to where it is written.
        std::size_t leaves = 0, arrives = SIZE_MAX;
        for (const auto& [to, from] : column_.sources) {
            const auto lane = laneOf_.find(to);
            const std::size_t at = lane == laneOf_.end() ? lanes_.size() : lane->second;
            if (from.contains(row)) leaves = std::max(leaves, at + 1);
            if (to == row) arrives = at;
        }
        const bool isWritten = arrives != SIZE_MAX;
        for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
            char& character = text[lane + 1];
            if (lane < leaves || (isWritten && lane >= arrives)) character = '-';
            const TreeLine* line = lanes_[lane].at(row);
            if (line) character = line->to == row || column_.sources.at(line->to).contains(row) ? '+' : '|';
        }
        if (leaves > 0) text[0] = ' ';
        if (isWritten) text[lanes_.size() + 1] = '>';
        return text;
    }

private:
    struct TreeLine {
        std::uint64_t to = 0, top = 0, bottom = 0;
    };
    struct TreeLane {
        std::vector<TreeLine> lines;
        bool reaches(std::uint64_t top, std::uint64_t bottom) const
        {
            return std::any_of(lines.begin(), lines.end(),
                               [&](const TreeLine& one) { return one.top <= bottom && top <= one.bottom; });
        }
        const TreeLine* at(std::uint64_t row) const
        {
            const auto found = std::find_if(lines.begin(), lines.end(),
                                            [&](const TreeLine& one) { return one.top <= row && row <= one.bottom; });
            return found == lines.end() ? nullptr : &*found;
        }
    };
    const TreeColumn& column_;
    std::vector<TreeLane> lanes_;
    std::map<std::uint64_t, std::size_t> laneOf_;
};

std::string figureText(unsigned figure) { return figure > 0 ? fmt::format(" (Figure {})", figure) : ""; }

// Columns side by side up to the width of a line; further ones below, beginning again with the last one.
std::string columnsText(const std::vector<TreeColumn>& columns, const ConsoleStyle& style)
{
    std::string text;
    for (std::size_t first = 0; first < columns.size();) {
        std::uint64_t rows = columns[first].end - columns[first].first;
        const std::size_t indexDigits = fmt::formatted_size("{}", columns[first].end);
        std::size_t width = 2 + indexDigits + 2 + columns[first].digits(), end = first + 1;
        std::vector<TreeLanes> lanes;
        for (; end < columns.size(); ++end) {
            TreeLanes more(columns[end]);
            width += more.width() + columns[end].digits();
            if (width > lineColumns && end > first + 1) break;
            rows = std::max(rows, columns[end].end - columns[end].first);
            lanes.push_back(std::move(more));
        }
        std::string head =
            fmt::format("  {:{}}  {:>{}}", "", indexDigits, columns[first].head, columns[first].digits());
        for (std::size_t i = first + 1; i < end; ++i)
            head += fmt::format("{:{}}{:>{}}", "", lanes[i - first - 1].width(), columns[i].head, columns[i].digits());
        text += head + "\n";
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t index = columns[first].first + row;
            std::string line = index < columns[first].end ? fmt::format("  {:>{}}: ", index, indexDigits)
                                                          : fmt::format("  {:{}}  ", "", indexDigits);
            line += columns[first].cell(row, style);
            for (std::size_t i = first + 1; i < end; ++i)
                line += lanes[i - first - 1].row(row) + columns[i].cell(row, style);
            text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        }
        text += "\n";
        if (end == columns.size()) break;
        first = end - 1;
    }
    for (const TreeColumn& column : columns)
        text += wrapped(fmt::format("{}: {}{}", column.head, column.about,
                                    column.verdict ? fmt::format(": {}", verdictText(*column.verdict)) : ""),
                        2, lineColumns);
    return text;
}

// Follows the dispatches and makes columns of them.
class TreePicture {
public:
    // group: only the work of this one; empty: of all.
    explicit TreePicture(std::optional<std::uint64_t> group) : group_(group) {}

    void add(const Step& step)
    {
        std::erase_if(numbers_, [](const auto& one) { return one.first.shared; });
        for (const BufferValues& values : step.values)
            for (std::size_t i = 0; i < values.before.size(); ++i)
                numbers_[{false, nameOf(step, values.buffer)}][i] =
                    values.before[i] ? step.element->text(*values.before[i]) : ".";
        const std::vector<TracedAccess>& all = step.trace->trace.accesses;
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<const TracedAccess*>> levels;
        std::uint64_t phases = 0;
        for (const TracedAccess& one : all) {
            phases = std::max(phases, one.phase + 1);
            if (group_ && one.group != *group_) continue;
            auto& [from, to] = extents_.try_emplace(memoryOf(step, one), one.index, one.index).first->second;
            from = std::min(from, group_ ? one.index : 0);
            to = std::max(to, one.index);
            if (one.writes) levels[{one.phase, one.level}].push_back(&one);
        }
        for (const auto& [where, writes] : levels) addLevel(step, {where.first, where.second, phases > 1}, writes);
        for (const WrongElement& one : step.wrong)
            if (!columns_.empty()) markWrong({false, one.buffer}, one.index);
    }

    const std::vector<TreeColumn>& columns() const { return columns_; }

private:
    static std::string nameOf(const Step& step, Index buffer)
    {
        for (const BoundBuffer& one : step.dispatch.buffers)
            if (one.buffer == buffer) return one.name;
        return "";
    }
    static MemoryName memoryOf(const Step& step, const TracedAccess& one)
    {
        if (one.shared) return {true, step.trace->shared.at(one.memory).name};
        for (const BoundBuffer& bound : step.dispatch.buffers)
            if (bound.binding == one.memory) return {false, bound.name};
        return {};
    }
    static std::string numberOf(const Step& step, const TracedAccess& one)
    {
        if (!one.shared) return step.element->text(step.element->number(static_cast<std::uint32_t>(one.value)));
        return asNumber(step.trace->shared.at(one.memory), one.value, *step.element,
                        [](auto number) { return fmt::format("{}", number); });
    }

    TreeColumn column(const MemoryName& memory) const
    {
        TreeColumn made;
        made.memory = memory;
        const auto [from, to] = extents_.at(memory);
        made.first = from;
        made.end = to + 1;
        if (const auto found = numbers_.find(memory); found != numbers_.end()) made.numbers = found->second;
        std::erase_if(made.numbers, [&](const auto& one) { return one.first < made.first || one.first >= made.end; });
        return made;
    }

    void markWrong(const MemoryName& memory, std::uint64_t index)
    {
        const auto last = std::find_if(columns_.rbegin(), columns_.rend(), [&](const TreeColumn& one) {
            return one.memory == memory && !one.written.empty();
        });
        if (last != columns_.rend()) last->wrong.insert(index);
    }

    // The place that most of the numbers come from or go to.
    static MemoryName most(const std::map<MemoryName, std::size_t>& counts)
    {
        const auto found = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first.shared) < std::pair(b.second, b.first.shared);
        });
        return found == counts.end() ? MemoryName() : found->first;
    }

    struct Level {
        std::uint64_t phase = 0;
        std::uint32_t number = 0;
        bool manyPhases = false;  // the dispatch has further ones
    };

    void addLevel(const Step& step, const Level& level, const std::vector<const TracedAccess*>& writes)
    {
        const std::uint64_t phase = level.phase;
        const std::vector<TracedAccess>& all = step.trace->trace.accesses;
        std::map<MemoryName, std::size_t> targets, origins;
        for (const TracedAccess* write : writes) {
            ++targets[memoryOf(step, *write)];
            for (const std::uint32_t read : write->from)
                if (all[read].phase == phase) ++origins[memoryOf(step, all[read])];
        }
        const MemoryName target = most(targets);
        const MemoryName origin = most(origins);
        const bool isThere = !columns_.empty() && columns_.back().memory == origin;
        if (!origins.empty() && (!isThere || columns_.back().numbers != column(origin).numbers)) {
            TreeColumn found = column(origin);
            found.head = "from";
            found.about = origin.name;
            columns_.push_back(std::move(found));
        }
        std::set<std::string> others;
        std::vector<std::pair<std::uint64_t, std::set<std::uint64_t>>> sources;
        for (const TracedAccess* write : writes) {
            const MemoryName memory = memoryOf(step, *write);
            numbers_[memory][write->index] = numberOf(step, *write);
            if (memory != target) {
                others.insert(fmt::format("{}[{}] = {}", memory.name, write->index, numberOf(step, *write)));
                continue;
            }
            std::set<std::uint64_t> from;
            bool isTold = true;
            for (const std::uint32_t read : write->from)
                isTold = addSource(step, all[read], phase, from, others) && isTold;
            const bool goesOn = write->after && isShownLast(step, all[*write->after]);
            if (goesOn) from.insert(all[*write->after].index - columns_.back().first);
            if (!isTold && !goesOn) others.insert("numbers kept in registers");
            sources.emplace_back(write->index, std::move(from));
        }
        TreeColumn made = column(target);
        for (auto& [index, from] : sources) {
            made.written.insert(index);
            if (!from.empty()) made.sources[index - made.first].merge(from);
        }
        made.phase = phase;
        describe(step, level, others, made);
        columns_.push_back(std::move(made));
        if (group_)
            for (const DispatchTrace::WrongAt& one : step.trace->wrong)
                if (one.group == *group_ && one.phase == phase)
                    markWrong({true, one.number.variable}, one.number.index);
    }

    // A number that was read, as a line from the last column, or in words; false: it was in a register already.
    bool addSource(const Step& step, const TracedAccess& read, std::uint64_t phase, std::set<std::uint64_t>& rows,
                   std::set<std::string>& others) const
    {
        const MemoryName memory = memoryOf(step, read);
        // Read in a phase that wrote nothing: the last column shows what was read.
        const bool isShown =
            !columns_.empty() && columns_.back().memory == memory && columns_.back().phase < read.phase;
        if (read.phase != phase && !isShown) return false;
        if (columns_.empty() || columns_.back().memory != memory)
            others.insert("from " + memory.name);
        else
            rows.insert(read.index - columns_.back().first);
        return true;
    }

    bool isShownLast(const Step& step, const TracedAccess& write) const
    {
        if (columns_.empty() || columns_.back().memory != memoryOf(step, write)) return false;
        return columns_.back().phase == write.phase && columns_.back().written.contains(write.index);
    }

    static void describe(const Step& step, const Level& level, const std::set<std::string>& others, TreeColumn& made)
    {
        const StepJudgement& whole = step.judgement;
        if (level.number > 0) {
            made.head = "then";
            made.about = fmt::format("'{}', after that", made.memory.name);
        } else if (!level.manyPhases) {
            made.head = fmt::format("{}", step.dispatch.index);
            made.about = step.dispatch.label;
            if (!whole.what.empty()) made.about += ", " + whole.what;
            made.about += figureText(whole.figure);
            made.verdict = whole.verdict;
        } else {
            made.head = fmt::format("p{}", level.phase);
            made.about = fmt::format("phase {}, '{}'", level.phase, made.memory.name);
            if (step.phases && level.phase < step.phases->phases.size()) {
                const PhaseJudgement& judgement = step.phases->phases[level.phase].judgement;
                if (!judgement.what.empty() && made.memory.shared) made.about += ", " + judgement.what;
                made.about += figureText(judgement.figure);
                made.verdict = judgement.verdict;
            }
        }
        for (const std::string& one : others) made.about += "; also " + one;
    }

    std::optional<std::uint64_t> group_;
    std::map<MemoryName, Numbers> numbers_;
    std::map<MemoryName, std::pair<std::uint64_t, std::uint64_t>> extents_;
    std::vector<TreeColumn> columns_;
};

bool hasShared(const Step& step) { return step.trace && !step.trace->shared.empty(); }

}  // namespace

std::string treeText(const StepsOutcome& steps, std::uint64_t group, const ConsoleStyle& style)
{
    std::string text;
    for (std::size_t i = 0; i < steps.steps.size();) {
        const Step& step = steps.steps[i];
        const std::uint64_t groups = step.dispatch.groupCount();
        text += "\n";
        if (!step.trace) {
            text +=
                wrapped(fmt::format("dispatch {}, {}: what it reads and writes is not known", i, step.dispatch.label),
                        0, lineColumns);
            ++i;
        } else if (hasShared(step) && group >= groups) {
            text += wrapped(fmt::format("dispatch {}, {}: it has no work-group {}", i, step.dispatch.label, group), 0,
                            lineColumns);
            ++i;
        } else if (hasShared(step)) {
            text += wrapped(fmt::format("dispatch {}, {}: work-group {} of {}{}", i, step.dispatch.label, group, groups,
                                        groups > 1 ? "; --group shows another one" : ""),
                            0, lineColumns);
            TreePicture picture(group);
            picture.add(step);
            text += columnsText(picture.columns(), style);
            ++i;
        } else {
            TreePicture picture({});
            for (; i < steps.steps.size() && steps.steps[i].trace && !hasShared(steps.steps[i]); ++i)
                picture.add(steps.steps[i]);
            text += columnsText(picture.columns(), style);
        }
    }
    return text;
}

}  // namespace a2
