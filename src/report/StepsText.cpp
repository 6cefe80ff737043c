#include "report/StepsText.h"

#include "report/Console.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

using Values = std::vector<std::uint32_t>;

constexpr std::uint64_t shownWhole = 64;  // elements

// What to say about the elements of a buffer, one by one.
struct Grid {
    const Values& values;
    const Values* before = nullptr;              // where given, changed elements are marked
    const ExpectedElements* expected = nullptr;  // where given, wrong elements are marked
    std::optional<std::uint32_t> poison = {};    // of elements that nobody has written

    bool changed(std::uint64_t i) const { return before && (*before)[i] != values[i]; }
    bool wrong(std::uint64_t i) const
    {
        if (!expected || i < expected->first || (i - expected->first) % expected->stride != 0) return false;
        const std::uint64_t k = (i - expected->first) / expected->stride;
        return k < expected->values.size() && expected->values[k] != values[i];
    }
};

// An element that still holds the poison was never written: a dot.
std::string cell(const Grid& grid, std::uint64_t i, std::size_t digits, const ConsoleStyle& style)
{
    const std::string number = grid.values[i] == grid.poison ? "." : fmt::format("{}", grid.values[i]);
    const bool wrong = grid.wrong(i), changed = grid.changed(i);
    const char* mark = wrong ? "!" : changed && !style.colour ? "*" : "";
    const std::string text = fmt::format("{:>{}}", fmt::format("{}{}", mark, number), digits + 2);
    return wrong ? coloured(text, "1;31", style) : changed ? coloured(text, "1;32", style) : text;
}

std::size_t digitsOf(const Grid& grid)
{
    std::uint32_t largest = 0;
    for (const std::uint32_t value : grid.values)
        if (value != grid.poison) largest = std::max(largest, value);
    return std::max<std::size_t>(2, fmt::formatted_size("{}", largest));
}

// Elements in a row: a power of two, so that block borders fall on row borders.
std::uint64_t rowLength(std::size_t digits, std::size_t indexDigits)
{
    std::uint64_t cells = 16;
    while (cells > 2 && 4 + indexDigits + 1 + cells * (digits + 2) > lineColumns) cells /= 2;
    return cells;
}

std::string rows(const Grid& grid, std::uint64_t first, std::uint64_t end, const ConsoleStyle& style)
{
    const std::size_t digits = digitsOf(grid), indexDigits = fmt::formatted_size("{}", grid.values.size() - 1);
    const std::uint64_t length = rowLength(digits, indexDigits);
    std::string text;
    for (std::uint64_t row = first / length * length; row < end; row += length) {
        text += fmt::format("    {:>{}}:", row, indexDigits);
        for (std::uint64_t i = row; i < std::min<std::uint64_t>(row + length, grid.values.size()); ++i)
            text += cell(grid, i, digits, style);
        text += "\n";
    }
    return text;
}

// Long buffers: the rows of the first and last element that counts, and of the first wrong one.
std::string excerpt(const Grid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style)
{
    std::uint64_t first = 0, last = grid.values.size() - 1;
    if (grid.before) {
        while (first < last && !grid.changed(first)) ++first;
        while (last > first && !grid.changed(last)) --last;
    }
    std::vector<std::uint64_t> points = {first, last};
    if (wrong) points.push_back(*wrong);
    std::sort(points.begin(), points.end());
    const std::size_t indexDigits = fmt::formatted_size("{}", grid.values.size() - 1);
    const std::uint64_t length = rowLength(digitsOf(grid), indexDigits);
    std::string text;
    std::optional<std::uint64_t> shown;
    for (const std::uint64_t point : points) {
        const std::uint64_t row = point / length;
        if (shown == row) continue;
        if (shown && row > *shown + 1) text += fmt::format("    {:>{}}\n", "...", indexDigits);
        text += rows(grid, point, point + 1, style);
        shown = row;
    }
    return text;
}

std::string bufferText(const Grid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style)
{
    return grid.values.size() <= shownWhole ? rows(grid, 0, grid.values.size(), style) : excerpt(grid, wrong, style);
}

std::string callText(const DispatchCommand& dispatch)
{
    const auto product = [](const std::array<std::uint32_t, 3>& sizes) {
        std::string text = fmt::format("{}", sizes[0]);
        if (sizes[1] != 1 || sizes[2] != 1) text += fmt::format(" x {}", sizes[1]);
        if (sizes[2] != 1) text += fmt::format(" x {}", sizes[2]);
        return text;
    };
    std::string text = fmt::format("{}: {} work-group{}", dispatch.kernel, product(dispatch.groups),
                                   dispatch.groupCount() == 1 ? "" : "s");
    if (dispatch.indirect) text += fmt::format(" (from buffer '{}')", dispatch.indirect->name);
    if (!dispatch.facts) return text;
    text += " of " + product(dispatch.facts->localSize);
    for (std::size_t i = 0; i < dispatch.facts->push.size(); ++i) {
        const PushMember& member = dispatch.facts->push[i];
        const auto pushed = dispatch.pushed(member);
        text += fmt::format("{} {} {}", i == 0 ? ";" : ",", member.name,
                            pushed ? fmt::format("{}", *pushed) : "(never pushed)");
    }
    return text;
}

std::string bindingText(const BoundBuffer& one)
{
    const char* how = one.reads && one.writes ? "read, written"
                      : one.reads             ? "read"
                      : one.writes            ? "written"
                                              : "not used";
    return fmt::format("binding {}: {} = '{}', {}", one.binding, one.block, one.name, how);
}

std::string verdictColoured(StepVerdict verdict, const ConsoleStyle& style)
{
    const char* code = verdict == StepVerdict::ok ? "32" : verdict == StepVerdict::wrong ? "1;31" : "33";
    return coloured(verdictText(verdict), code, style);
}

std::string changeText(const WrittenBuffer& written, std::uint64_t elements)
{
    return fmt::format("  {}: {} of {} element{} changed\n", written.name, written.changed, elements,
                       elements == 1 ? "" : "s");
}

std::string titleText(const Step& step, const ConsoleStyle& style)
{
    std::string title = fmt::format("{}  {}", step.dispatch.index, step.dispatch.label);
    const std::string time = step.ms ? fmt::format("{:.4g} ms", *step.ms) : "";
    constexpr std::size_t verdictColumn = lineColumns - 10;
    const std::size_t space = verdictColumn > title.size() + 1 ? verdictColumn - title.size() : time.size() + 1;
    return fmt::format("{}{:>{}} {}\n", coloured(title, "1", style), time, space,
                       verdictColoured(step.judgement.verdict, style));
}

}  // namespace

std::string stepsHead(const Task& task, const CaseOutcome& run, const std::vector<NamedValues>& given,
                      const ConsoleStyle& style)
{
    std::string text = fmt::format("{} steps of {}\n", task.consoleTag(), task.label);
    text += fmt::format("n = {}, {}, work-group {}, {} elements per invocation{}\n\n", run.n, run.pattern,
                        run.shape.workGroup, run.shape.elements, run.shape.exclusive ? ", exclusive" : "");
    for (const NamedValues& one : given) text += fmt::format("{}\n{}", one.name, bufferText({one.values}, {}, style));
    return text;
}

std::string stepText(const StepView& view, const ConsoleStyle& style)
{
    const Step& step = view.step;
    std::string text = fmt::format("\n{}", titleText(step, style));
    text += wrapped(callText(step.dispatch), 2, lineColumns);
    for (const BoundBuffer& one : step.dispatch.buffers) text += wrapped(bindingText(one), 2, lineColumns);
    for (const std::string& transfer : step.before) text += wrapped("before: " + transfer, 2, lineColumns);
    for (const std::string& barrier : step.barriers) text += wrapped("barrier: " + barrier, 2, lineColumns);
    if (step.barriers.empty()) text += step.dispatch.index == 0 ? "" : "  no barrier before it\n";

    const StepJudgement& judgement = step.judgement;
    for (const WrittenBuffer& written : step.written) {
        const Values& after = view.after.at(written.handle);
        const auto expected = std::find_if(judgement.expected.begin(), judgement.expected.end(),
                                           [&](const ExpectedElements& one) { return one.buffer == written.handle; });
        std::optional<std::uint64_t> wrong;
        if (judgement.firstWrong && judgement.firstWrong->buffer == written.name) wrong = judgement.firstWrong->index;
        text += changeText(written, after.size());
        text += bufferText({after, &view.before.at(written.handle),
                            expected == judgement.expected.end() ? nullptr : &*expected, view.poison},
                           wrong, style);
    }
    if (judgement.verdict == StepVerdict::ok) text += wrapped("ok: " + judgement.what, 2, lineColumns);
    if (judgement.verdict == StepVerdict::wrong)
        text += wrapped(fmt::format("wrong: should leave {}, but {}", judgement.what,
                                    wrongElementText(*judgement.firstWrong, judgement.wrongCount)),
                        2, lineColumns);
    if (judgement.verdict == StepVerdict::unchecked)
        text += "  unchecked: not the usual order of work, or a slice; only the result is judged\n";
    for (const std::string& line : linesOf(step.findings)) text += wrapped(line, 2, lineColumns);
    return text;
}

std::string stepsTail(const TaskOutcome& outcome, const StepsOutcome& steps, const ConsoleStyle& style)
{
    if (outcome.status == Status::skipped) return verdictText(outcome, style);
    std::string text = fmt::format("\n{} dispatch{}", steps.steps.size(), steps.steps.size() == 1 ? "" : "es");
    double ms = 0;
    bool timed = true;
    for (const Step& step : steps.steps) {
        ms += step.ms.value_or(0);
        timed = timed && step.ms;
    }
    text += timed ? fmt::format(", {:.4g} ms\n", ms) : "\n";
    ConsoleStyle broken = style;
    broken.columns = lineColumns;
    return text + verdictText(outcome, broken);
}

}  // namespace a2
