#include "report/PrintedText.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace a2 {

namespace {

std::string placeOf(const PrintedLine& one)
{
    return one.line == 0 ? std::string() : fmt::format("{}:{}", one.file, one.line);
}

std::string lineText(const PrintedLine& one)
{
    const std::string place = placeOf(one);
    if (one.wrong)
        return fmt::format("{}debugPrintfEXT() cannot print this: {}", place.empty() ? "" : place + ": ", one.text);
    return fmt::format("invocation {} of work-group {}{}: {}", one.invocation, one.group,
                       place.empty() ? "" : fmt::format(" ({})", place), one.text);
}

// Some lines of one dispatch and phase under a heading.
std::string blocksText(const std::vector<PrintedLine>& lines, bool withDispatch, std::size_t columns)
{
    std::string text;
    const PrintedLine* before = nullptr;
    for (const PrintedLine& one : lines) {
        if (!before || std::pair(before->dispatch, before->phase) != std::pair(one.dispatch, one.phase))
            text +=
                wrapped(withDispatch ? fmt::format("dispatch {} '{}', phase {}:", one.dispatch, one.label, one.phase)
                                     : fmt::format("printed in phase {}:", one.phase),
                        2, columns);
        text += wrapped(lineText(one), 4, columns);
        before = &one;
    }
    return text;
}

}  // namespace

std::string printedText(const std::vector<PrintedLine>& lines, const ConsoleStyle& style)
{
    return blocksText(lines, false, style.columns);
}

std::string printedText(const PrintedRun& run, const ConsoleStyle& style)
{
    const std::string head = wrapped(fmt::format("printed{} in a run of n = {}, with -w {} --elements {} -p {}:",
                                                 run.onDevice ? " on the device, as the validation layer says it," : "",
                                                 run.n, run.shape.workGroup, run.shape.elements, run.pattern),
                                     2, style.columns);
    if (!run.onDevice) return head + blocksText(run.lines, true, style.columns) + unprintedText(run, style);
    std::string texts;
    for (const PrintedLine& one : run.lines) texts += wrapped(one.text, 4, style.columns);
    return head + texts + unprintedText(run, style);
}

std::string unprintedText(const PrintedRun& run, const ConsoleStyle& style)
{
    std::string text;
    if (run.more > 0)
        text += wrapped(
            fmt::format("{} more line{} printed: --limit shows more{}", run.more, run.more == 1 ? " was" : "s were",
                        run.onDevice ? "" : ", --group and --invocation show less"),
            2, style.columns);
    if (!run.cut.empty() && !run.lines.empty())
        text += wrapped(fmt::format("nothing is printed after that: {}", run.cut), 2, style.columns);
    return text;
}

}  // namespace a2
