#include "report/PhasesText.h"

#include "report/ElementGrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace a2 {

namespace {

using SharedVariable = EmulatorSettings::SharedVariable;

std::string numberText(const SharedVariable& variable, std::uint64_t i, const ElementType& element)
{
    if (!variable.set[i]) return ".";
    return asNumber(variable, variable.numbers[i], element, [](auto number) {
        if constexpr (std::is_floating_point_v<decltype(number)>)
            return fmt::format("{:.8g}", number);
        else
            return fmt::format("{}", number);
    });
}

bool numberChanged(const SharedVariable* before, const SharedVariable& after, std::uint64_t i)
{
    return before ? before->numbers[i] != after.numbers[i] || before->set[i] != after.set[i] : after.set[i];
}

// before: at the end of the phase before; null in the first one, since nothing is set before it.
std::string variableText(const Phase& phase, std::size_t which, const SharedVariable* before,
                         const ElementType& element, const ConsoleStyle& style)
{
    const SharedVariable& after = phase.seen.shared[which];
    ElementGrid grid;
    grid.size = after.numbers.size();
    grid.number = [&](std::uint64_t i) { return numberText(after, i, element); };
    grid.changed = [&](std::uint64_t i) { return numberChanged(before, after, i); };
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < grid.size; ++i) {
        grid.digits = std::max(grid.digits, grid.number(i).size());
        count += grid.changed(i);
    }
    const auto& expected = phase.judgement.expected;
    const auto here = [&](const ExpectedNumber& one) { return one.variable == which; };
    const auto first = std::find_if(expected.begin(), expected.end(), here);
    if (count == 0 && first == expected.end()) return "";
    std::optional<std::uint64_t> wrong;
    if (first != expected.end()) wrong = first->index;
    grid.wrong = [&](std::uint64_t i) {
        return std::any_of(expected.begin(), expected.end(),
                           [&](const ExpectedNumber& one) { return here(one) && one.index == i; });
    };
    return fmt::format("  {}: {} of {} number{} changed\n", after.name, count, grid.size, grid.size == 1 ? "" : "s") +
           gridText(grid, wrong, style);
}

// The phase's step stands after it if there is room.
std::string phaseTitle(const Phase& phase, const ConsoleStyle& style)
{
    const PhaseJudgement& judgement = phase.judgement;
    const std::string title = fmt::format("  phase {}", phase.seen.number);
    std::string rest = fmt::format(": {} invocation{} active", phase.seen.active, phase.seen.active == 1 ? "" : "s");
    std::string below;
    if (judgement.verdict == StepVerdict::ok) {
        const std::string whole = rest + "; " + judgement.what;
        if (title.size() + whole.size() <= verdictColumn)
            rest = whole;
        else
            below = wrapped("ok: " + judgement.what, 2, lineColumns);
    }
    return fmt::format("{}{:<{}} {}\n{}", coloured(title, "1", style), rest, verdictColumn - title.size(),
                       verdictColoured(judgement.verdict, style), below);
}

// In one line, even if the source has several. kernel: its own file is not named.
std::string barrierText(const KernelLine& barrier, const std::string& kernel)
{
    if (barrier.line == 0) return "";
    const auto slash = barrier.file.find_last_of("/\\");
    const std::string file = barrier.file.substr(slash == std::string::npos ? 0 : slash + 1);
    std::string text = file == kernel + ".comp"
                           ? fmt::format("  until line {}: {}", barrier.line, barrier.source.text)
                           : fmt::format("  until {}:{}: {}", file, barrier.line, barrier.source.text);
    if (text.size() > lineColumns) text = text.substr(0, text.rfind(' ', lineColumns - 4)) + " ...";
    return text + "\n";
}

}  // namespace

std::string phasesText(const Step& step, const ConsoleStyle& style)
{
    const DispatchPhases& phases = *step.phases;
    std::string text;
    if (!phases.phases.empty())
        text += fmt::format("  shared memory of work-group {}, walked on the host:\n", phases.group);
    const Phase* before = nullptr;
    for (const Phase& phase : phases.phases) {
        text += phaseTitle(phase, style) + barrierText(phase.seen.barrier, step.dispatch.kernel);
        for (std::size_t i = 0; i < phase.seen.shared.size(); ++i)
            text += variableText(phase, i, before ? &before->seen.shared[i] : nullptr, *step.element, style);
        if (phase.judgement.verdict == StepVerdict::wrong)
            text += wrapped(fmt::format("wrong: should leave {}, but {}", phase.judgement.what,
                                        wrongNumberText(phase.judgement, *step.element)),
                            2, lineColumns);
        before = &phase;
    }
    if (!phases.remark.empty()) text += wrapped(phases.remark, 2, lineColumns);
    return text;
}

}  // namespace a2
