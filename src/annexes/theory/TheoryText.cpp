#include "annexes/theory/TheoryText.h"

#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::size_t nameWidth = 22;

// A longer name has a line of its own.
std::string nameCell(const std::string& name)
{
    return name.size() < nameWidth ? fmt::format("{:<{}}", name, nameWidth)
                                   : fmt::format("{}\n{:<{}}", name, "", nameWidth);
}

double ratio(std::uint64_t measure, std::uint64_t n) { return static_cast<double>(measure) / static_cast<double>(n); }

std::string row(const std::string& name, const Measures& one)
{
    return fmt::format("{}{:>6}{:>10}{:>11}{:>11}{:>10}{:>10}\n", nameCell(name), one.shortest, one.processors,
                       one.work, one.additions, one.reads, one.writes);
}

Measures ofPhase(const PhaseCounts& phase)
{
    CountedDispatch alone;
    alone.phases = {phase};
    return measures({alone});
}

std::string dispatchRows(std::size_t number, const CountedDispatch& one)
{
    std::string text = row(fmt::format("{} {}", number, one.label), measures({one}));
    for (std::size_t i = 0; i < one.phases.size(); ++i)
        if (one.phases.size() > 1 && !one.phases[i].active.empty())
            text += row(fmt::format("  phase {}", i), ofPhase(one.phases[i]));
    return text;
}

std::string requestRow(const std::string& name, const CountedDispatch& one)
{
    const std::string each = one.requests > 0 ? fmt::format("{:.2f}", ratio(one.sectors, one.requests)) : "-";
    return fmt::format("{}{:>10}{:>10}{:>7}{:>10}{:>11}{:>10}\n", nameCell(name), one.requests, one.sectors, each,
                       one.transactions, one.branches, one.divergentBranches);
}

// One line of a table of measures.
std::string measureLine(const std::string& what, std::uint64_t number, const std::string& beside)
{
    std::string line = fmt::format("{:<34}{:>14}  {}", what, number, beside);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string formulaText(const std::optional<Formula>& formula)
{
    return formula ? fmt::format("{} = {}", formula->text, formula->value) : "";
}

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
        return wrapped(fmt::format("{}: not known: it could be counted at too few lengths", name), 0, lineColumns);
    // The series that decides: the one that grows, or the one of longer arrays.
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

std::string requestTable(const std::vector<CountedDispatch>& dispatches)
{
    std::string text = fmt::format("{:<{}}{:>10}{:>10}{:>7}{:>10}{:>11}{:>10}\n", "memory and branches", nameWidth,
                                   "requests", "sectors", "each", "transact.", "branches", "divergent");
    CountedDispatch all;
    for (std::size_t i = 0; i < dispatches.size(); ++i) {
        const CountedDispatch& one = dispatches[i];
        text += requestRow(fmt::format("{} {}", i, one.label), one);
        all.requests += one.requests;
        all.sectors += one.sectors;
        all.transactions += one.transactions;
        all.branches += one.branches;
        all.divergentBranches += one.divergentBranches;
    }
    if (dispatches.size() > 1) text += requestRow("all", all);
    return text +
           wrapped(
               "A request: what 32 invocations (a subgroup, a warp) read from or write to global memory by one "
               "instruction. It touches sectors of 32 bytes, and takes transactions of 128: 32 words side by side "
               "are 4 sectors in 1 transaction, 32 words far apart 32 in 32. branches: of subgroups, loops' too; "
               "divergent: its invocations leave both ways, which it then goes one after the other.",
               0, lineColumns);
}

std::string measuresText(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors,
                         const Textbook& textbook, const Formula& sequential)
{
    const Measures all = measures(dispatches);
    std::string text = fmt::format("{:<34}{:>14}  {}\n", "", "counted", "textbook");
    text += measureLine("additions", all.additions, formulaText(textbook.additions));
    text += measureLine("p, processors", all.processors, "");
    text += measureLine("T(n, p), parallel time in steps", all.time, formulaText(textbook.time));
    text += measureLine("W(n), parallel work", all.work, "");
    text += measureLine("C(n, p) = p T(n, p), parallel cost", all.cost(), "");
    if (processors) {
        const Measures few = measures(dispatches, processors);
        const std::string brent =
            fmt::format("Brent: <= W/{} + T = {}", *processors, all.work / *processors + all.time);
        text += measureLine(fmt::format("T(n, {})", *processors), few.time, brent);
        text += measureLine(fmt::format("C(n, {})", *processors), few.cost(), "");
    }
    text += measureLine("one processor, sequential", sequential.value, sequential.text + " additions");
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
            const std::uint32_t worst = phase < column.worst.size() ? column.worst[phase] : 0;
            text += fmt::format("{:>14}", worst == 0 ? "-" : fmt::format("{}-way", worst));
        }
        text += "\n";
    }
    text += fmt::format("{:<10}", "turns");
    for (const ConflictCount& column : kernel.columns)
        text += fmt::format("{:>14}", fmt::format("{}/{}", column.turns, column.requests));
    text += "\n";
    text += wrapped(
        "The most different words of one bank that as many invocations as there are banks ask for at once: "
        "they are served one after the other. 1-way: no conflict. -: no shared memory in this phase. turns: that "
        "the banks take for so many requests.",
        0, lineColumns);
    if (!kernel.paddingMatters(shown)) text += "Padding changes nothing here.\n";
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
               "Optimal: as many operations as the sequential algorithm, up to a factor that does not grow with n. Of "
               "cost, idle processors count too.",
               0, lineColumns);
}

std::string rateText(const std::optional<WalkRate>& rate)
{
    const std::string text = rate ? fmt::format("{} instructions, {:.0f} million a second on one core, {:.0f} on all",
                                                rate->instructions, rate->onOneCore / 1e6, rate->onAll / 1e6)
                                  : "not measured, for it has findings or is too long";
    return wrapped("walk on the host, as a run is judged: " + text, 0, lineColumns);
}

}  // namespace a2
