#include "report/TheoryText.h"

#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::size_t nameWidth = 22;

std::string row(const std::string& name, const Measures& one)
{
    const std::string start = name.size() < nameWidth ? fmt::format("{:<{}}", name, nameWidth)
                                                      : fmt::format("{}\n{:<{}}", name, "", nameWidth);
    return fmt::format("{}{:>6}{:>10}{:>11}{:>11}{:>10}{:>10}\n", start, one.shortest, one.processors, one.work,
                       one.additions, one.reads, one.writes);
}

Measures ofPhase(const PhaseCounts& phase)
{
    CountedDispatch alone;
    alone.phases = Phases{phase};
    return measures({alone});
}

std::string dispatchRows(std::size_t number, const CountedDispatch& one)
{
    const std::string name = fmt::format("{} {}", number, one.label);
    if (!one.phases)
        return wrapped(fmt::format("{}: not followed: its {} work-groups differ too much; choose a smaller array", name,
                                   one.groupCount()),
                       0, lineColumns);
    std::string text = row(name, measures({one}));
    for (std::size_t i = 0; i < one.phases->size(); ++i) {
        const PhaseCounts& phase = (*one.phases)[i];
        if (one.phases->size() > 1 && !phase.active.empty()) text += row(fmt::format("  phase {}", i), ofPhase(phase));
        if (phase.lost > 0)
            text += wrapped(
                fmt::format("not followed from somewhere in phase {} on: {} invocations, whose way depends on what "
                            "memory holds",
                            i, phase.lost),
                2, lineColumns);
    }
    return text;
}

// One line of a table of measures; counted numbers that are too small say so.
std::string measureLine(const std::string& what, std::uint64_t number, bool complete, const std::string& beside)
{
    const std::string counted = fmt::format("{}{}", complete ? "" : ">= ", number);
    std::string line = fmt::format("{:<34}{:>14}  {}", what, counted, beside);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string formulaText(const std::optional<Formula>& formula)
{
    return formula ? fmt::format("{} = {}", formula->text, formula->value) : "";
}

double ratio(std::uint64_t measure, std::uint64_t n) { return static_cast<double>(measure) / static_cast<double>(n); }

std::string pointRow(const GrowthPoint& one)
{
    const Measures& counted = one.measures;
    return fmt::format("{:>10}{:>14}{:>10}{:>10}{:>14.2f}{:>14.2f}\n", one.n, shapeText(one.shape), counted.processors,
                       counted.time, ratio(counted.work, one.n), ratio(counted.cost(), one.n));
}

// "work-optimal: no, W / n grows: 10.00 at n = 1024, 16.00 at n = 65536"
std::string verdict(const char* name, const char* measure, Growth growth, const Optimality& found,
                    std::uint64_t (*of)(const Measures&))
{
    if (growth == Growth::unknown)
        return wrapped(fmt::format("{}: not followed: at too few lengths could every invocation be", name), 0,
                       lineColumns);
    // The series that tells: the one that grows, or the one of longer arrays.
    const std::vector<GrowthPoint>* series = &found.longer;
    std::vector<double> ratios;
    for (const GrowthPoint& one : found.longer) ratios.push_back(ratio(of(one.measures), one.n));
    if (growth == Growth::grows && growthOf(ratios) != Growth::grows) series = &found.wider;
    const GrowthPoint &middle = (*series)[(series->size() - 1) / 2], &last = series->back();
    return wrapped(
        fmt::format("{}: {}, {} {}: {:.2f} at n = {}, {:.2f} at n = {}", name, growth == Growth::grows ? "no" : "yes",
                    measure, growth == Growth::grows ? "grows" : "stays bounded", ratio(of(middle.measures), middle.n),
                    middle.n, ratio(of(last.measures), last.n), last.n),
        0, lineColumns);
}

}  // namespace

std::string dispatchTable(const std::vector<CountedDispatch>& dispatches)
{
    std::string text = fmt::format("{:<{}}{:>6}{:>10}{:>11}{:>11}{:>10}{:>10}\n", "dispatch", nameWidth, "T", "p", "W",
                                   "additions", "reads", "writes");
    for (std::size_t i = 0; i < dispatches.size(); ++i) text += dispatchRows(i, dispatches[i]);
    if (dispatches.size() > 1) text += row("all", measures(dispatches));
    return text +
           wrapped(
               "T: parallel steps. p: invocations that are active in the widest of them. W: active invocations, "
               "added up over the steps. reads, writes: 32-bit words of global memory. A phase ends at a barrier().",
               0, lineColumns);
}

std::string measuresText(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors,
                         const Textbook& textbook, std::uint64_t sequential)
{
    const Measures all = measures(dispatches);
    std::string text = fmt::format("{:<34}{:>14}  {}\n", "", "counted", "textbook");
    text += measureLine("additions", all.additions, all.complete, formulaText(textbook.additions));
    text += measureLine("p, processors", all.processors, all.complete, "");
    text += measureLine("T(n, p), parallel time in steps", all.time, all.complete, formulaText(textbook.time));
    text += measureLine("W(n), parallel work", all.work, all.complete, "");
    text += measureLine("C(n, p) = p T(n, p), parallel cost", all.cost(), all.complete, "");
    if (processors) {
        const Measures few = measures(dispatches, processors);
        const std::string brent =
            fmt::format("Brent: <= W/{} + T = {}", *processors, all.work / *processors + all.time);
        text += measureLine(fmt::format("T(n, {})", *processors), few.time, few.complete, brent);
        text += measureLine(fmt::format("C(n, {})", *processors), few.cost(), few.complete, "");
    }
    text += measureLine("one processor, sequential", sequential, true, "n - 1 additions");
    return text +
           wrapped(
               "An invocation takes a step per addition of data or per word it writes to global memory, whichever "
               "are more; where it does neither, a step per word it reads, or one for what it moves in shared "
               "memory. Atomics on one word of shared memory take turns. A sum over a subgroup counts as log2 32 "
               "additions.",
               0, lineColumns);
}

std::string conflictTable(const KernelConflicts& kernel, const std::vector<ConflictColumn>& shown)
{
    std::string text = fmt::format("bank conflicts of {}, first work-group\n", kernel.kernel);
    std::string banks = fmt::format("{:<10}", ""), titles = fmt::format("{:<10}", "phase");
    for (const ConflictColumn& column : shown) {
        banks += fmt::format("{:>14}", fmt::format("{} banks", column.banks));
        titles += fmt::format("{:>14}", column.title);
    }
    text += banks + "\n" + titles + "\n";
    for (std::size_t phase = 0; phase < kernel.phases(); ++phase) {
        text += fmt::format("{:<10}", phase);
        for (const auto& column : kernel.columns) {
            const auto worst = phase < column.size() ? column[phase] : std::optional<std::uint32_t>(0);
            text += fmt::format("{:>14}", !worst ? "not followed" : *worst == 0 ? "-" : fmt::format("{}-way", *worst));
        }
        text += "\n";
    }
    text += wrapped(
        "The most different words of one bank that as many invocations as there are banks ask for at once: "
        "they are served one after the other. 1-way: no conflict. -: no shared memory in this phase.",
        0, lineColumns);
    if (kernel.known() && !kernel.paddingMatters(shown)) text += "Padding changes nothing here.\n";
    return text;
}

std::string growthText(const Optimality& found)
{
    const std::string head =
        fmt::format("{:>10}{:>14}{:>10}{:>10}{:>14}{:>14}\n", "n", "wg x elem", "p", "T", "W / n", "C / n");
    std::string text;
    if (!found.longer.empty()) text += fmt::format("growth with ever more work-groups\n{}", head);
    for (const GrowthPoint& one : found.longer) text += pointRow(one);
    if (!found.wider.empty()) text += fmt::format("growth with one work-group for the whole array\n{}", head);
    for (const GrowthPoint& one : found.wider) text += pointRow(one);
    text += verdict("work-optimal", "W / n", found.work, found, [](const Measures& one) { return one.work; });
    text += verdict("cost-optimal", "C / n", found.cost, found, [](const Measures& one) { return one.cost(); });
    return text +
           wrapped(
               "Optimal: as many operations as the sequential algorithm's n - 1, up to a factor that does not grow "
               "with n. Of cost, idle processors count too.",
               0, lineColumns);
}

}  // namespace a2
