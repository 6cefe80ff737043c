#include "spirv/KernelCounts.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t mostBusy = 1 << 20;        // steps of an invocation; values of more words are not followed
constexpr std::uint64_t mostRemembered = 1 << 24;  // numbers, of work-groups

void addSteps(const std::vector<std::uint64_t>& active, std::uint64_t times, std::vector<std::uint64_t>& sum)
{
    if (sum.size() < active.size()) sum.resize(active.size());
    for (std::size_t step = 0; step < active.size(); ++step) sum[step] += active[step] * times;
}

// One more that is busy for so many steps, from the first on.
void addBusy(std::uint64_t steps, std::vector<std::uint64_t>& active)
{
    addSteps(std::vector<std::uint64_t>(steps, 1), 1, active);
}

PhaseCounts& phaseAt(Phases& phases, std::uint64_t barriers)
{
    if (phases.size() <= barriers) phases.resize(barriers + 1);
    return phases[barriers];
}

}  // namespace

void addPhases(const Phases& one, std::uint64_t times, Phases& sum)
{
    if (sum.size() < one.size()) sum.resize(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        addSteps(one[i].active, times, sum[i].active);
        sum[i].additions += one[i].additions * times;
        sum[i].reads += one[i].reads * times;
        sum[i].writes += one[i].writes * times;
        sum[i].lost += one[i].lost * times;
    }
}

KernelCounts::KernelCounts(const WorkGroupCheck& kernel, const Groups& groups, const Push& push, std::uint64_t& budget)
    : kernel_(kernel), groups_(groups), push_(push), budget_(budget)
{
}

std::uint64_t KernelCounts::groupCount() const { return std::uint64_t{groups_[0]} * groups_[1] * groups_[2]; }

// Of all invocations of a work-group, in their order.
KernelCounts::Traces KernelCounts::traces(std::uint64_t number)
{
    const Groups group = {static_cast<std::uint32_t>(number % groups_[0]),
                          static_cast<std::uint32_t>(number / groups_[0] % groups_[1]),
                          static_cast<std::uint32_t>(number / groups_[0] / groups_[1])};
    const auto size = kernel_.declarations_.localSize();
    Traces all;
    std::uint64_t steps = 0, kept = 0;
    if (kernel_.main_ == 0) budget_ = 0;  // it is not followed
    for (std::uint32_t first = 0; budget_ > 0 && first < kernel_.invocations(); first += WorkGroupCheck::subgroupSize) {
        const std::uint32_t end = std::min(first + WorkGroupCheck::subgroupSize, kernel_.invocations());
        Traces subgroup;
        for (std::uint32_t i = first; i < end; ++i) {
            subgroup.push_back(
                kernel_.trace({group, groups_, {i % size[0], i / size[0] % size[1], i / size[0] / size[1]}, &push_},
                              std::min(WorkGroupCheck::mostSteps, budget_)));
            budget_ -= std::min(budget_, subgroup.back().steps);
            steps += subgroup.back().steps;
            kept += subgroup.back().size();
        }
        if (steps > WorkGroupCheck::mostInGroup || kept > WorkGroupCheck::mostKept) budget_ = 0;
        if (budget_ == 0) return {};
        WorkGroupCheck::keepCertain(subgroup);
        std::move(subgroup.begin(), subgroup.end(), std::back_inserter(all));
    }
    return all;
}

void KernelCounts::addInvocation(const WorkGroupCheck::Trace& trace, Phases& phases)
{
    std::map<std::uint64_t, KernelWork> work;  // by phase, here and below
    for (const auto& stretch : trace.stretches) {
        KernelWork& sum = work[stretch.barriers];
        sum.additions += stretch.work.additions;
        sum.atomicAdditions += stretch.work.atomicAdditions;
        sum.reads += stretch.work.reads;
        sum.writes += stretch.work.writes;
    }
    std::map<std::uint64_t, std::uint64_t> steps;
    for (const auto& [barriers, sum] : work) {
        PhaseCounts& into = phaseAt(phases, barriers);
        into.additions += sum.additions + sum.atomicAdditions;
        into.reads += sum.reads;
        into.writes += sum.writes;
        const std::uint64_t results = std::max(sum.additions, sum.writes);
        steps[barriers] = results > 0 ? results : sum.reads;
    }
    for (const auto& access : trace.accesses)
        if (access.kind != WorkGroupCheck::Access::Kind::atomic)
            steps[access.barriers] = std::max<std::uint64_t>(steps[access.barriers], 1);
    for (const auto& [barriers, count] : steps) {
        PhaseCounts& into = phaseAt(phases, barriers);
        if (count <= mostBusy)
            addBusy(count, into.active);
        else
            ++into.lost;
    }
    if (!trace.complete) ++phaseAt(phases, trace.barriers).lost;
}

// Atomics on one word of shared memory take turns, behind what else their phase does; different words do so side by
// side.
void KernelCounts::addTurns(const Traces& all, Phases& phases)
{
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::uint64_t> atomics;  // by Access::place()
    for (const auto& trace : all)
        for (const auto& access : trace.accesses)
            if (access.kind == WorkGroupCheck::Access::Kind::atomic) ++atomics[access.place()];
    std::map<std::uint64_t, std::vector<std::uint64_t>> turns;  // by phase
    for (const auto& [place, count] : atomics) addBusy(count, turns[std::get<0>(place)]);
    for (const auto& [barriers, active] : turns) {
        auto& into = phaseAt(phases, barriers).active;
        into.insert(into.end(), active.begin(), active.end());
    }
}

const Phases& KernelCounts::ofGroup(std::uint64_t number)
{
    const auto before = known_.find(number);
    if (before != known_.end()) return before->second;
    Phases phases;
    const Traces all = traces(number);
    for (const auto& trace : all) {
        addInvocation(trace, phases);
        scattered_ = scattered_ || trace.scattered;
    }
    addTurns(all, phases);
    for (const PhaseCounts& one : phases) remembered_ += 8 + one.active.size();
    if (remembered_ > mostRemembered) budget_ = 0;
    return known_[number] = std::move(phases);
}

void KernelCounts::addBetween(std::uint64_t first, std::uint64_t last, Phases& sum)
{
    if (last - first < 2 || budget_ == 0) return;
    if (ofGroup(first) == ofGroup(last) && !scattered_) return addPhases(ofGroup(first), last - first - 1, sum);
    const std::uint64_t middle = first + (last - first) / 2;
    addPhases(ofGroup(middle), 1, sum);
    addBetween(first, middle, sum);
    addBetween(middle, last, sum);
}

std::optional<Phases> KernelCounts::ofSome(std::set<std::uint64_t> looked)
{
    Phases sum;
    for (auto one = looked.begin(); one != looked.end() && budget_ > 0; ++one) {
        addPhases(ofGroup(*one), 1, sum);
        if (const auto next = std::next(one); next != looked.end()) addBetween(*one, *next, sum);
    }
    return budget_ > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<Phases> KernelCounts::ofAll()
{
    const std::uint64_t count = groupCount();
    if (count == 0) return Phases();
    const std::uint64_t last = count - 1, one = std::min<std::uint64_t>(1, last);
    const bool known = scattered_;
    auto sum = ofSome({0, one, count / 2, last - one, last});
    // Found out on the way: what was taken for equal before must be followed, too.
    return scattered_ && !known ? ofAll() : sum;
}

std::optional<Phases> KernelCounts::ofEach()
{
    scattered_ = true;
    return ofAll();
}

// One access of neighbouring invocations.
struct KernelCounts::Request {
    const std::uint32_t* instruction;
    std::uint64_t barriers, time;  // time: how often the invocation has come to the instruction before, in this phase
    auto operator<=>(const Request&) const = default;
};

// Notes one invocation's words; the phases in which some are not known.
void KernelCounts::addWords(const WorkGroupCheck::Trace& trace, std::uint32_t banks, Words& words,
                            std::set<std::uint64_t>& unknown) const
{
    const SpirvDeclarations& declarations = kernel_.declarations_;
    std::map<Request, std::uint64_t> times;
    for (const auto& access : trace.accesses) {
        const std::uint32_t type = kernel_.variables_[access.variable].type;
        if (declarations.size(type) != declarations.length(type).value_or(1) * sizeof(std::uint32_t))
            unknown.insert(access.barriers);
        const std::uint64_t time = times[{access.instruction, access.barriers, 0}]++;
        words[{access.instruction, access.barriers, time}][access.element % banks].insert(access.element);
    }
    for (const auto& stretch : trace.stretches)
        if (stretch.work.unknownPlaces > 0) unknown.insert(stretch.barriers);
    if (!trace.complete) unknown.insert(trace.barriers);
}

KernelCounts::Conflicts KernelCounts::conflicts(std::uint64_t group, std::uint32_t banks, std::uint32_t together)
{
    Conflicts worst;
    const auto at = [&](std::uint64_t barriers) -> std::optional<std::uint32_t>& {
        if (worst.size() <= barriers) worst.resize(barriers + 1, 0);
        return worst[barriers];
    };
    std::set<std::uint64_t> unknown;
    const Traces all = traces(group);
    if (budget_ == 0) return {std::nullopt};
    for (std::size_t first = 0; first < all.size(); first += together) {
        Words words;
        for (std::size_t i = first; i < std::min(first + together, all.size()); ++i) {
            at(all[i].barriers);
            addWords(all[i], banks, words, unknown);
        }
        for (const auto& [request, ofBank] : words)
            for (const auto& [bank, different] : ofBank)
                at(request.barriers) = std::max(*at(request.barriers), static_cast<std::uint32_t>(different.size()));
    }
    for (const std::uint64_t barriers : unknown) at(barriers) = std::nullopt;
    return worst;
}

}  // namespace a2
