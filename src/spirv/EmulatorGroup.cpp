// A work-group: its invocations take turns, each until it must wait; its subgroups; its barriers.

#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace a2::emulator {

// Whether both are at the same instruction, in the same turns of the loops around it, and the same for each call that
// led there.
bool Walk::samePlace(const Group& group, std::uint32_t a, std::uint32_t b) const
{
    const std::size_t loops = code_.loops.size();
    const std::uint32_t* turnsA = group.turns.data() + a * loops;
    const std::uint32_t* turnsB = group.turns.data() + b * loops;
    std::uint32_t atA = group.invocations[a].at, atB = group.invocations[b].at;
    while (true) {
        if (atA != atB) return false;
        for (std::uint32_t loop = code_.loopOf[atA]; loop != none; loop = code_.loops[loop].outer)
            if (turnsA[loop] != turnsB[loop]) return false;
        const std::uint32_t function = code_.functionOf[atA];
        if (function == 0) return true;
        const std::uint32_t cell = code_.functions[function].returnCell;
        atA = static_cast<std::uint32_t>(group.cells[std::size_t{a} * frame_ + cell]) - 1;
        atB = static_cast<std::uint32_t>(group.cells[std::size_t{b} * frame_ + cell]) - 1;
    }
}

std::vector<std::uint32_t> wayOf(const Code& code, std::uint32_t at, const std::uint32_t* turns, const Cell* cells)
{
    std::vector<std::uint32_t> way;  // in reverse order
    while (true) {
        way.push_back(at);
        for (std::uint32_t loop = code.loopOf[at]; loop != none; loop = code.loops[loop].outer) {
            way.push_back(turns[loop]);
            way.push_back(code.loops[loop].begin);
        }
        const std::uint32_t function = code.functionOf[at];
        if (function == 0) break;
        at = static_cast<std::uint32_t>(cells[code.functions[function].returnCell]) - 1;
    }
    std::reverse(way.begin(), way.end());
    return way;
}

std::vector<std::uint32_t> Walk::wayOf(const Group& group, std::uint32_t invocation) const
{
    return emulator::wayOf(code_, group.invocations[invocation].at,
                           group.turns.data() + invocation * code_.loops.size(),
                           group.cells.data() + std::size_t{invocation} * frame_);
}

bool Walk::earlier(const Group& group, std::uint32_t a, std::uint32_t b) const
{
    return wayOf(group, a) < wayOf(group, b);
}

// Runs until all of the subgroup's invocations wait for others, or have ended; false if some only let others go on.
bool Walk::runSubgroup(Group& group, std::uint32_t first)
{
    const std::uint32_t end = std::min(first + subgroupSize_, code_.invocations);
    while (!stop_) {
        bool open = false, together = false, turns = false;
        for (std::uint32_t k = first; k < end && !stop_; ++k) {
            const std::uint32_t i = lastFirst_ ? first + end - 1 - k : k;
            Invocation& one = group.invocations[i];
            if (one.status == Status::ready) run(group, i);
            open = open || one.status == Status::paused || one.status == Status::stuck || one.status == Status::held;
            together = together || one.status == Status::atSubgroup;
            turns = turns || one.status == Status::atTurn;
        }
        if (stop_ || open) return false;
        if (!together) return !turns;
        std::uint32_t earliest = none;
        bool alike = !turns;
        for (std::uint32_t i = first; i < end; ++i) {
            const Status status = group.invocations[i].status;
            if (status != Status::atSubgroup && status != Status::atTurn) continue;
            if (earliest == none) {
                earliest = i;
            } else if (!samePlace(group, earliest, i)) {
                alike = false;
                if (earlier(group, i, earliest)) earliest = i;
            }
        }
        if (group.invocations[earliest].status == Status::atTurn) return false;
        members_.clear();
        for (std::uint32_t i = first; i < end; ++i)
            if (group.invocations[i].status == Status::atSubgroup && (alike || samePlace(group, earliest, i)))
                members_.push_back(i);
        this->together(group, first, members_);
    }
    return false;
}

Cell Walk::wordOf(const Group& group, const WordName& name) const
{
    if (name.buffer == WordName::sharedMemory) return group.shared[static_cast<std::size_t>(name.word)];
    const std::uint32_t* words = buffers_[name.buffer].words + name.word;
    return name.wide ? words[0] | Cell{words[1]} << 32 : words[0];
}

// A word that it waits for and that has changed; null: there is none.
const WatchedWord* Walk::changedFor(const Group& group, const Invocation& one) const
{
    if (!one.waitsFor) return nullptr;
    const auto& all = one.waitsFor->watched;
    const auto found = std::find_if(all.begin(), all.end(), [&](const WatchedWord& word) {
        return ((wordOf(group, word.name) ^ word.value) & word.bits) != 0;
    });
    return found == all.end() ? nullptr : &*found;
}

bool Walk::waitsStill(const Group& group, const Invocation& one) const
{
    return one.waitsFor && !changedFor(group, one);
}

// Wakes invocations whose waiting has ended. byOwn: invocations of their own work-group ended it.
void Walk::wake(Group& group, bool byOwn)
{
    for (std::uint32_t i = 0; i < code_.invocations; ++i) {
        Invocation& one = group.invocations[i];
        const WatchedWord* changed = changedFor(group, one);
        if (!changed || one.status == Status::ended) continue;
        const auto& touched = one.waitsFor->touched;
        if (byOwn && std::none_of(touched.begin(), touched.end(),
                                  [&](const TouchedWord& word) { return word.name == changed->name; }))
            noteAwaited(group, i, changed->name);
        if (one.status == Status::stuck) one.status = Status::ready;
        one.waitsFor.reset();
    }
}

// Whether the members alone decide what happens in their loop: the others of their subgroup, or of their work-group,
// have ended or wait for them.
bool Walk::mayLookTogether(const Group& group, const std::vector<std::uint32_t>& members, bool barriers) const
{
    const std::uint32_t first = barriers ? 0 : members.front() / subgroupSize_ * subgroupSize_;
    const std::uint32_t end = barriers ? code_.invocations : std::min(first + subgroupSize_, code_.invocations);
    auto member = members.begin();
    for (std::uint32_t i = first; i < end; ++i) {
        if (member != members.end() && *member == i) {
            ++member;
            continue;
        }
        const Status status = group.invocations[i].status;
        const bool waits = status == Status::atSubgroup || status == Status::atBarrier;
        if (status != Status::ended && (barriers || !waits)) return false;
    }
    return true;
}

// For all invocations that have reached the beginning of this turn of a loop: finds out whether it ends for them.
void Walk::lookTogether(Group& group, std::uint32_t invocation)
{
    const std::uint32_t number = group.invocations[invocation].watchedLoop;
    const Loop& loop = code_.loops[number];
    const std::uint32_t turns = group.turns[std::size_t{invocation} * code_.loops.size() + number];
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < code_.invocations; ++i)
        if (group.invocations[i].status == Status::atTurn && samePlace(group, invocation, i) &&
            (loop.barriers || i / subgroupSize_ == invocation / subgroupSize_))
            members.push_back(i);
    LoopOutlook found;
    if (mayLookTogether(group, members, loop.barriers)) {
        found = outlook(group, members, number, fewTurns);
        if (found.kind == LoopOutlook::Kind::unknown && turns >= 4 * turnsBetweenLooks && std::has_single_bit(turns))
            found = outlook(group, members, number, manyTurns);
    }
    const Status then = loop.looks && !found.own ? Status::paused : Status::ready;
    for (const std::uint32_t i : members) group.invocations[i].status = then;
    if (judgeLoop(group, invocation, number, found)) {
        for (const std::uint32_t i : members) giveUp(group, i, group.invocations[i].at);
        return;
    }
    const bool waits = found.kind == LoopOutlook::Kind::waits;
    result_.waited = result_.waited || waits || then == Status::paused;
    if (!waits) return;
    const auto waitsFor = std::make_shared<const LoopOutlook>(std::move(found));
    for (const std::uint32_t i : members) {
        group.invocations[i].status = waitsFor->touched.empty() ? Status::stuck : Status::paused;
        group.invocations[i].waitsFor = waitsFor;
    }
}

void Walk::lookTogether(Group& group)
{
    for (std::uint32_t i = 0; i < code_.invocations && !stop_; ++i)
        // An invocation that does not depend on others goes on alone: then it is known sooner whether it ends.
        while (!stop_ && group.invocations[i].status == Status::atTurn) {
            lookTogether(group, i);
            if (group.invocations[i].status != Status::ready || code_.loops[group.invocations[i].watchedLoop].barriers)
                break;
            runSubgroup(group, i / subgroupSize_ * subgroupSize_);
        }
}

Progress Walk::advance(Group& group)
{
    const std::uint32_t subgroups = (code_.invocations + subgroupSize_ - 1) / subgroupSize_;
    wake(group, false);
    for (Invocation& one : group.invocations)
        if (one.status == Status::paused) one.status = Status::ready;
    do {  // a later subgroup may have done what an earlier one waits for
        for (std::uint32_t k = 0; k < subgroups && !stop_; ++k)
            runSubgroup(group, (lastFirst_ ? subgroups - 1 - k : k) * subgroupSize_);
        wake(group, true);
        lookTogether(group);
    } while (!stop_ && std::any_of(group.invocations.begin(), group.invocations.end(),
                                   [](const Invocation& one) { return one.status == Status::ready; }));
    if (stop_) return Progress::done;
    std::uint32_t atBarrier = 0, waiting = 0, stuck = 0;  // stuck: includes held
    for (const Invocation& one : group.invocations) {
        atBarrier += one.status == Status::atBarrier;
        waiting += one.status == Status::paused;
        stuck += one.status == Status::stuck || one.status == Status::held;
    }
    if (waiting > 0) return Progress::paused;
    if (stuck > 0) return Progress::stuck;
    if (atBarrier == 0) return Progress::done;

    divergence(group);
    const auto here = std::find_if(group.invocations.begin(), group.invocations.end(),
                                   [](const Invocation& one) { return one.status == Status::atBarrier; });
    const Instruction& barrier = code_.instructions[here->at];
    if (settings_.checks) group.order.groupBarrier(semanticsOf(barrier.a, barrier.b));
    if (delays_) {
        members_.clear();
        for (std::uint32_t i = 0; i < code_.invocations; ++i) members_.push_back(i);
        meetForDelays(group, members_, semanticsOf(barrier.a, barrier.b));
    }
    endPhase(group, here->at);
    for (Invocation& one : group.invocations)
        if (one.status == Status::atBarrier) {
            one.status = Status::ready;
            one.turnsWaited = 0;
            ++one.at;
        }
    return Progress::barrier;
}

// Checks whether all of the work-group have reached this barrier.
void Walk::divergence(Group& group)
{
    const auto first = std::find_if(group.invocations.begin(), group.invocations.end(),
                                    [](const Invocation& one) { return one.status == Status::atBarrier; });
    const auto one = static_cast<std::uint32_t>(first - group.invocations.begin());
    for (std::uint32_t i = 0; i < code_.invocations; ++i) {
        const Invocation& other = group.invocations[i];
        if (other.gaveUp || (other.status == Status::atBarrier && (i == one || samePlace(group, one, i)))) continue;
        const bool ended = other.status == Status::ended;
        result_.endangers = true;
        KernelFinding* finding = findings_.add("barrier-divergence", first->at, other.at);
        if (!finding) return;
        finding->actor = describe(group, one);
        finding->otherActor = describe(group, i);
        const bool samebarrier = other.at == first->at;
        finding->what = fmt::format("{} comes to a barrier(), and {} {}", called(finding->actor, nullptr),
                                    called(finding->otherActor, &finding->actor),
                                    ended         ? "has ended without it"
                                    : samebarrier ? "to the same one in another turn of a loop, or by another call"
                                                  : "to another one");
        return;
    }
}

// barrier: the instruction that ended the phase; none: the work-group's end.
void Walk::endPhase(Group& group, std::uint32_t barrier)
{
    if (settings_.counts) group.counts.endPhase(group.phase, group.isWatched, result_);
    if (group.isWatched && settings_.seen) showPhase(group, barrier);
    if (barrier != none) ++group.phase;
}

void Walk::showPhase(Group& group, std::uint32_t barrier) const
{
    EmulatorSettings::SeenPhase phase;
    phase.group = group.number;
    phase.number = group.phase;
    if (barrier != none) phase.barrier = findings_.lineOf(barrier);
    for (Invocation& one : group.invocations) phase.active += std::exchange(one.usedMemory, false);
    for (const Variable& variable : code_.variables) {
        if (variable.space != Space::shared) continue;
        EmulatorSettings::SharedVariable one;
        one.name = variable.name;
        one.bank = variable.first % std::max<std::uint32_t>(1, settings_.banks);
        const Type& type = code_.types.at(variable.type);
        if (const auto scalar = code_.types.find(type.scalar); scalar != code_.types.end()) {
            one.bits = scalar->second.bits;
            one.isReal = scalar->second.form == Form::real;
            one.isSigned = scalar->second.isSigned;
        }
        for (std::uint32_t i = variable.first; i < variable.first + type.cells; ++i) {
            one.numbers.push_back(group.shared[i]);
            one.set.push_back((group.sharedMarks[i] & mark::unset) == 0);
        }
        phase.shared.push_back(std::move(one));
    }
    settings_.seen(phase);
}

}  // namespace a2::emulator
