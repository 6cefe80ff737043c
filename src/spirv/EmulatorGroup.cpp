#include "spirv/EmulatorGroup.h"

#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorInvocation.h"
#include "spirv/EmulatorPlaces.h"
#include "spirv/EmulatorSubgroup.h"
#include "spirv/EmulatorTurns.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <utility>

namespace a2::emulator {

GroupWalk::GroupWalk(WalkState& state, Faults& faults, Delays& delays, Turns& turns, InvocationWalk& invocations)
    : state_(state),
      faults_(faults),
      delays_(delays),
      turns_(turns),
      invocations_(invocations),
      lastFirst_(state.settings.order == EmulatorSettings::Order::backwards)
{
}

// Runs until all of the subgroup's invocations wait for others, or have ended; false if some only let others go on.
bool GroupWalk::runSubgroup(Group& group, std::uint32_t first)
{
    const std::uint32_t end = std::min(first + state_.subgroupSize, state_.code.invocations);
    while (!state_.stop) {
        bool open = false, meets = false, turns = false;
        for (std::uint32_t k = first; k < end && !state_.stop; ++k) {
            const std::uint32_t i = lastFirst_ ? first + end - 1 - k : k;
            Invocation& one = group.invocations[i];
            if (one.status == Status::ready) invocations_.run(group, i);
            open = open || one.status == Status::paused || one.status == Status::stuck || one.status == Status::held;
            meets = meets || one.status == Status::atSubgroup;
            turns = turns || one.status == Status::atTurn;
        }
        if (state_.stop || open) return false;
        if (!meets) return !turns;
        std::uint32_t earliest = none;
        bool alike = !turns;
        for (std::uint32_t i = first; i < end; ++i) {
            const Status status = group.invocations[i].status;
            if (status != Status::atSubgroup && status != Status::atTurn) continue;
            if (earliest == none) {
                earliest = i;
            } else if (!areTogether(state_, group, earliest, i)) {
                alike = false;
                if (isEarlier(state_, group, i, earliest)) earliest = i;
            }
        }
        if (group.invocations[earliest].status == Status::atTurn) return false;
        members_.clear();
        for (std::uint32_t i = first; i < end; ++i)
            if (group.invocations[i].status == Status::atSubgroup && (alike || areTogether(state_, group, earliest, i)))
                members_.push_back(i);
        together(group, first, members_);
    }
    return false;
}

void GroupWalk::together(Group& group, std::uint32_t first, const std::vector<std::uint32_t>& members)
{
    const std::uint32_t at = group.invocations[members.front()].at;
    const Instruction& one = state_.code.instructions[at];
    if (one.op == spv::OpControlBarrier) {
        if (state_.settings.checks) {
            std::bitset<128> participants;
            for (const std::uint32_t i : members) participants[i - first] = true;
            group.order.subgroupBarrier(first, participants, semanticsOf(one.a, one.b));
        }
        if (state_.delays) delays_.meet(group, members, semanticsOf(one.a, one.b));
    } else {
        std::vector<SubgroupLane> lanes;
        lanes.reserve(members.size());
        for (const std::uint32_t i : members)
            lanes.push_back({i - first, state_.cellsOf(group, i), group.marks.data() + std::size_t{i} * state_.frame,
                             state_.tracer ? group.origins.data() + std::size_t{i} * state_.frame : nullptr});
        if (state_.settings.counts && (one.op == spv::OpGroupNonUniformIAdd || one.op == spv::OpGroupNonUniformFAdd)) {
            const std::uint32_t width = std::min(state_.subgroupSize, state_.code.invocations - first);
            for (const std::uint32_t i : members)
                for (std::uint32_t k = 0; k < one.count; ++k)
                    if (group.marks[std::size_t{i} * state_.frame + one.a + k] & mark::data)
                        group.counts.of(i).additions += static_cast<std::uint64_t>(std::bit_width(width - 1));
        }
        calculateTogether(one, lanes, state_.subgroupSize, state_.tracer.get());
        if (isShuffle(one.op) || one.flags == spv::GroupOperationClusteredReduce)
            for (const std::uint32_t i : members)
                if (group.marks[std::size_t{i} * state_.frame + one.result] == undefinedMark)
                    group.invocations[i].unset = {at, true, none, 0};
    }
    for (const std::uint32_t i : members) {
        Invocation& self = group.invocations[i];
        self.status = Status::ready;
        self.turnsWaited = 0;
        ++self.at;
    }
    state_.result.instructions += members.size();
    state_.use(members.size());
    if (state_.left == 0) state_.usedUp(0);
}

Cell GroupWalk::wordOf(const Group& group, const WordName& name) const
{
    if (name.buffer == WordName::sharedMemory) return group.shared[static_cast<std::size_t>(name.word)];
    const std::uint32_t* words = state_.buffers[name.buffer].words + name.word;
    return name.wide ? words[0] | Cell{words[1]} << 32 : words[0];
}

// A word that it waits for and that has changed; null: there is none.
const WatchedWord* GroupWalk::changedFor(const Group& group, const Invocation& one) const
{
    if (!one.waitsFor) return nullptr;
    const auto& all = one.waitsFor->watched;
    const auto found = std::find_if(all.begin(), all.end(), [&](const WatchedWord& word) {
        return ((wordOf(group, word.name) ^ word.value) & word.bits) != 0;
    });
    return found == all.end() ? nullptr : &*found;
}

bool GroupWalk::waitsStill(const Group& group, const Invocation& one) const
{
    return one.waitsFor && !changedFor(group, one);
}

// Wakes invocations whose waiting has ended. byOwn: invocations of their own work-group ended it.
void GroupWalk::wake(Group& group, bool byOwn)
{
    for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
        Invocation& one = group.invocations[i];
        const WatchedWord* changed = changedFor(group, one);
        if (!changed || one.status == Status::ended) continue;
        const auto& touched = one.waitsFor->touched;
        if (byOwn && std::none_of(touched.begin(), touched.end(),
                                  [&](const TouchedWord& word) { return word.name == changed->name; }))
            faults_.awaited(group, i, changed->name);
        if (one.status == Status::stuck) one.status = Status::ready;
        one.waitsFor.reset();
    }
}

void GroupWalk::lookTogether(Group& group)
{
    for (std::uint32_t i = 0; i < state_.code.invocations && !state_.stop; ++i)
        // An invocation that does not depend on others goes on alone: then it is known sooner whether it ends.
        while (!state_.stop && group.invocations[i].status == Status::atTurn) {
            turns_.lookTogether(group, i);
            if (group.invocations[i].status != Status::ready ||
                state_.code.loops[group.invocations[i].watchedLoop].barriers)
                break;
            runSubgroup(group, i / state_.subgroupSize * state_.subgroupSize);
        }
}

Progress GroupWalk::advance(Group& group)
{
    const std::uint32_t subgroups = (state_.code.invocations + state_.subgroupSize - 1) / state_.subgroupSize;
    state_.result.effort += state_.code.invocations;
    wake(group, false);
    for (Invocation& one : group.invocations)
        if (one.status == Status::paused) one.status = Status::ready;
    do {  // a later subgroup may have done what an earlier one waits for
        for (std::uint32_t k = 0; k < subgroups && !state_.stop; ++k)
            runSubgroup(group, (lastFirst_ ? subgroups - 1 - k : k) * state_.subgroupSize);
        wake(group, true);
        lookTogether(group);
    } while (!state_.stop && std::any_of(group.invocations.begin(), group.invocations.end(),
                                         [](const Invocation& one) { return one.status == Status::ready; }));
    if (state_.stop) return Progress::done;
    std::uint32_t atBarrier = 0, waiting = 0, stuck = 0, held = 0;
    for (const Invocation& one : group.invocations) {
        atBarrier += one.status == Status::atBarrier;
        waiting += one.status == Status::paused;
        stuck += one.status == Status::stuck;
        held += one.status == Status::held;
    }
    if (waiting > 0) return Progress::paused;
    group.isHeld = stuck == 0 && held > 0;
    if (stuck > 0 || held > 0) return Progress::stuck;
    if (atBarrier == 0) return Progress::done;

    divergence(group);
    const auto here = std::find_if(group.invocations.begin(), group.invocations.end(),
                                   [](const Invocation& one) { return one.status == Status::atBarrier; });
    const Instruction& barrier = state_.code.instructions[here->at];
    if (state_.settings.checks) group.order.groupBarrier(semanticsOf(barrier.a, barrier.b));
    if (state_.delays) {
        members_.clear();
        for (std::uint32_t i = 0; i < state_.code.invocations; ++i) members_.push_back(i);
        delays_.meet(group, members_, semanticsOf(barrier.a, barrier.b));
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
void GroupWalk::divergence(const Group& group)
{
    const auto first = std::find_if(group.invocations.begin(), group.invocations.end(),
                                    [](const Invocation& one) { return one.status == Status::atBarrier; });
    const auto one = static_cast<std::uint32_t>(first - group.invocations.begin());
    for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
        const Invocation& other = group.invocations[i];
        const bool meets = other.status == Status::atBarrier && (i == one || areTogether(state_, group, one, i));
        if (!other.gaveUp && !meets) return faults_.divergence(group, one, i);
    }
}

void GroupWalk::endPhase(Group& group, std::uint32_t barrier)
{
    if (state_.settings.counts) group.counts.endPhase(group.phase, group.isWatched, state_.result);
    if (group.isWatched && state_.settings.seen) showPhase(group, barrier);
    if (barrier != none) ++group.phase;
}

void GroupWalk::showPhase(Group& group, std::uint32_t barrier) const
{
    EmulatorSettings::SeenPhase phase;
    phase.group = group.number;
    phase.number = group.phase;
    if (barrier != none) phase.barrier = state_.findings.lineOf(barrier);
    for (Invocation& one : group.invocations) phase.active += std::exchange(one.usedMemory, false);
    for (const Variable& variable : state_.code.variables) {
        if (variable.space != Space::shared) continue;
        EmulatorSettings::SharedVariable one;
        one.name = variable.name;
        one.bank = variable.first % std::max<std::uint32_t>(1, state_.settings.banks);
        const Type& type = state_.code.types.at(variable.type);
        if (const auto scalar = state_.code.types.find(type.scalar); scalar != state_.code.types.end()) {
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
    state_.settings.seen(phase);
}

}  // namespace a2::emulator
