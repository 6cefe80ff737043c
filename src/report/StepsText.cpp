#include "report/StepsText.h"

#include "report/Console.h"
#include "report/ElementGrid.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

using Values = std::vector<std::uint32_t>;

// An element that still holds the poison was never written.
ElementGrid bufferElementGrid(const Values& values, const ElementType& element,
                              std::optional<std::uint32_t> poison = {})
{
    ElementGrid grid;
    grid.size = values.size();
    for (const std::uint32_t value : values)
        if (value != poison) grid.digits = std::max(grid.digits, element.text(value).size());
    grid.number = [&values, &element, poison](std::uint64_t i) {
        return values[i] == poison ? "." : element.text(values[i]);
    };
    return grid;
}

bool isWrong(const ExpectedElements& expected, std::uint64_t i, std::uint32_t value)
{
    if (i < expected.first || (i - expected.first) % expected.stride != 0) return false;
    const std::uint64_t k = (i - expected.first) / expected.stride;
    return k < expected.values.size() && expected.values[k] != value;
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

std::string changeText(const WrittenBuffer& written, std::uint64_t elements)
{
    return fmt::format("  {}: {} of {} element{} changed\n", written.name, written.changed, elements,
                       elements == 1 ? "" : "s");
}

std::string titleText(const Step& step, const ConsoleStyle& style)
{
    std::string title = fmt::format("{}  {}", step.dispatch.index, step.dispatch.label);
    const std::string time = step.ms ? fmt::format("{:.4g} ms", *step.ms) : "";
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
    for (const NamedValues& one : given)
        text += fmt::format("{}\n{}", one.name, gridText(bufferElementGrid(one.values, *task.element), {}, style));
    return text;
}

std::string stepText(const StepView& view, const ConsoleStyle& style)
{
    const Step& step = view.step;
    std::string text = fmt::format("\n{}", titleText(step, style));
    text += wrapped(callText(step.dispatch), 2, lineColumns);
    for (const BoundBuffer& one : step.dispatch.buffers) text += wrapped(bindingText(one), 2, lineColumns);
    for (const std::string& transfer : step.before) text += wrapped("before: " + transfer, 2, lineColumns);
    for (std::size_t i = 0; i < step.barriers.size(); ++i) {
        const std::string& about = step.barriersAbout[i];
        text += wrapped("barrier: " + step.barriers[i] + (about.empty() ? "" : ", about " + about), 2, lineColumns);
    }
    if (step.barriers.empty()) text += step.dispatch.index == 0 ? "" : "  no barrier before it\n";

    const StepJudgement& judgement = step.judgement;
    for (const WrittenBuffer& written : step.written) {
        const Values& after = view.after.at(written.buffer);
        const auto expected = std::find_if(judgement.expected.begin(), judgement.expected.end(),
                                           [&](const ExpectedElements& one) { return one.buffer == written.buffer; });
        std::optional<std::uint64_t> wrong;
        if (judgement.firstWrong && judgement.firstWrong->buffer == written.name) wrong = judgement.firstWrong->index;
        text += changeText(written, after.size());
        ElementGrid grid = bufferElementGrid(after, *step.element, view.poison);
        grid.changed = [&, &before = view.before.at(written.buffer)](std::uint64_t i) { return before[i] != after[i]; };
        if (expected != judgement.expected.end())
            grid.wrong = [&](std::uint64_t i) { return isWrong(*expected, i, after[i]); };
        text += gridText(grid, wrong, style);
    }
    if (judgement.verdict == StepVerdict::ok) text += wrapped("ok: " + judgement.what, 2, lineColumns);
    if (judgement.verdict == StepVerdict::wrong)
        text += wrapped(fmt::format("wrong: should leave {}, but {}", judgement.what,
                                    wrongElementText(*judgement.firstWrong, judgement.wrongCount, *step.element)),
                        2, lineColumns);
    if (judgement.verdict == StepVerdict::unchecked)
        text += step.spoilt ? "  unchecked: it was given what is no whole number; only the result is judged\n"
                            : "  unchecked: not the usual order of work, or a slice; only the result is judged\n";
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
