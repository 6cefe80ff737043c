#include "spirv/EmulatorTurns.h"

#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorPauses.h"
#include "spirv/EmulatorPlaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace a2::emulator {

namespace {

// When a walk ends early: how many loops are examined, and how many instructions this may take in all.
constexpr unsigned mostLooks = 8;
constexpr std::uint64_t mostOfLooks = std::uint64_t{1} << 26;

}  // namespace

Turns::Turns(WalkState& state, Faults& faults, const Pauses& pauses) : state_(state), faults_(faults), pauses_(pauses)
{
    // All invocations of a subgroup take these turns, and as many of them for the same amount of work.
    constexpr std::uint64_t fewTogether = std::uint64_t{1} << 16;
    endlessTogether_ = std::min(state.settings.endlessTurns, std::max(fewTogether, 8 * state.boundWords()));
}

void Turns::giveUp(Group& group, std::uint32_t invocation, std::uint32_t at)
{
    Invocation& self = group.invocations[invocation];
    self.status = Status::ended;
    self.at = at;
    self.gaveUp = true;
    state_.unknown = true;
}

LoopOutlook Turns::outlook(const LoopQuestion& question)
{
    constexpr std::uint64_t instructionsPerStep = 24;  // that take as long: 0.21 us and 8.6 ns were measured
    LoopOutlook found = outlookOf(question);
    const std::uint64_t instructions = instructionsPerStep * found.steps;
    state_.result.effort += instructions;
    state_.use(instructions);
    return found;
}

LoopOutlook Turns::outlook(const Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint32_t turns)
{
    LoopQuestion question{state_.code, state_.resources, state_.dispatch.push, group, invocation, state_.frame, loop,
                          turns};
    if (turns > fewTurns) question.mostSteps *= 16;
    return outlook(question);
}

LoopOutlook Turns::outlook(const Group& group, const std::vector<std::uint32_t>& members, std::uint32_t loop,
                           std::uint32_t turns)
{
    constexpr std::size_t mostCells = std::size_t{1} << 22;  // cells that are kept, for all turns
    const std::size_t most = mostCells / (members.size() * state_.frame + 1);
    if (most < fewTurns) return {};
    LoopQuestion question{
        state_.code, state_.resources, state_.dispatch.push, group, members.front(), state_.frame, loop, turns};
    question.turns = static_cast<std::uint32_t>(std::min<std::size_t>(turns, most));
    question.mostSteps = std::uint64_t{1} << 20;
    question.members = members;
    question.subgroupSize = state_.subgroupSize;
    return outlook(question);
}

// Returns true if the loop was found to have no end.
bool Turns::judge(Group& group, std::uint32_t invocation, std::uint32_t loop, const LoopOutlook& outlook)
{
    using Kind = LoopOutlook::Kind;
    if (outlook.kind != Kind::endless && outlook.kind != Kind::away) return false;
    faults_.endless(group, invocation, loop,
                    outlook.kind == Kind::endless
                        ? " is in a loop whose condition is the same again and again, without an end"
                        : " is in a loop whose counter moves away from where it would end");
    giveUp(group, invocation, group.invocations[invocation].at);
    return true;
}

// Always returns true.
bool Turns::tooMany(Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint64_t turns)
{
    faults_.endless(group, invocation, loop,
                    fmt::format(" takes more than {} turns of a loop, for so few elements", turns));
    giveUp(group, invocation, group.invocations[invocation].at);
    state_.stop = true;
    return true;
}

// Tries the turns on this invocation alone where all of its work-group would have to take as many first: in a loop with
// barriers, or in one that reads what others may write. In the latter case nothing was written since the last look, and
// no invocation is left that could write.
bool Turns::takesTooMany(const Group& group, std::uint32_t invocation, std::uint32_t loop, bool own) const
{
    if (state_.settings.endlessTurns == UINT64_MAX) return false;
    const bool alone = state_.live.size() == 1 && state_.startedGroups == state_.groups && pauses_.none() &&
                       group.invocations[invocation].memorySeen == state_.memory;
    if (own ? !state_.code.loops[loop].barriers : !state_.code.loops[loop].looks || !alone) return false;
    return takesTurns({state_.code, state_.resources, state_.dispatch.push, group, invocation, state_.frame, loop},
                      state_.settings.endlessTurns, !own);
}

bool Turns::turn(Group& group, std::uint32_t invocation, std::uint32_t loop)
{
    Invocation& self = group.invocations[invocation];
    const std::uint32_t turns = state_.turnsOf(group, invocation, loop);
    const std::uint64_t endless = state_.code.loops[loop].meets ? endlessTogether_ : state_.settings.endlessTurns;
    if (turns >= endless) return tooMany(group, invocation, loop, endless);
    if (turns >= state_.settings.mostTurns) {
        state_.stop = state_.result.overBudget = true;
        return true;
    }
    const bool looks = state_.code.loops[loop].looks;
    const bool longer = turns >= 4 * turnsBetweenLooks && std::has_single_bit(turns);
    self.waitsFor.reset();
    self.turnsWaited += turnsBetweenLooks;
    if (looks || std::has_single_bit(turns)) {
        LoopOutlook found = outlook(group, invocation, loop, longer ? manyTurns : fewTurns);
        if (judge(group, invocation, loop, found)) return true;
        if (found.kind == LoopOutlook::Kind::waits) {
            state_.result.waited = true;
            self.status = found.touched.empty() ? Status::stuck : Status::paused;
            self.watchedLoop = loop;
            self.waitsFor = std::make_shared<const LoopOutlook>(std::move(found));
            return true;
        }
        if (turns == 4 * turnsBetweenLooks && takesTooMany(group, invocation, loop, found.own))
            return tooMany(group, invocation, loop, state_.settings.endlessTurns);
        self.memorySeen = state_.memory;
        if (found.own) {
            self.turnsWaited = 0;
            return false;
        }
        if (state_.code.loops[loop].meets || state_.code.loops[loop].barriers) {
            self.status = Status::atTurn;
            self.watchedLoop = loop;
            return true;
        }
    }
    if (!looks) return false;
    state_.result.waited = true;
    self.status = Status::paused;
    return true;
}

// Whether the members alone decide what happens in their loop: the others of their subgroup, or of their work-group,
// have ended or wait for them.
bool Turns::mayLookTogether(const Group& group, const std::vector<std::uint32_t>& members, bool barriers) const
{
    const std::uint32_t first = barriers ? 0 : members.front() / state_.subgroupSize * state_.subgroupSize;
    const std::uint32_t end =
        barriers ? state_.code.invocations : std::min(first + state_.subgroupSize, state_.code.invocations);
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

void Turns::lookTogether(Group& group, std::uint32_t invocation)
{
    const std::uint32_t number = group.invocations[invocation].watchedLoop;
    const Loop& loop = state_.code.loops[number];
    const std::uint32_t turns = state_.turnsOf(group, invocation, number);
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < state_.code.invocations; ++i)
        if (group.invocations[i].status == Status::atTurn && areTogether(state_, group, invocation, i) &&
            (loop.barriers || i / state_.subgroupSize == invocation / state_.subgroupSize))
            members.push_back(i);
    LoopOutlook found;
    if (mayLookTogether(group, members, loop.barriers)) {
        found = outlook(group, members, number, fewTurns);
        if (found.kind == LoopOutlook::Kind::unknown && turns >= 4 * turnsBetweenLooks && std::has_single_bit(turns))
            found = outlook(group, members, number, manyTurns);
    }
    const Status then = loop.looks && !found.own ? Status::paused : Status::ready;
    for (const std::uint32_t i : members) group.invocations[i].status = then;
    if (judge(group, invocation, number, found)) {
        for (const std::uint32_t i : members) giveUp(group, i, group.invocations[i].at);
        return;
    }
    const bool waits = found.kind == LoopOutlook::Kind::waits;
    state_.result.waited = state_.result.waited || waits || then == Status::paused;
    if (!waits) return;
    const auto waitsFor = std::make_shared<const LoopOutlook>(std::move(found));
    for (const std::uint32_t i : members) {
        group.invocations[i].status = waitsFor->touched.empty() ? Status::stuck : Status::paused;
        group.invocations[i].waitsFor = waitsFor;
    }
}

// The invocations that are in the same turn of the loop.
std::vector<std::uint32_t> Turns::companions(const Group& group, std::uint32_t invocation, std::uint32_t loop) const
{
    const auto turnsOf = [&](std::uint32_t one) { return state_.turnsOf(group, one, loop); };
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
        if (group.invocations[i].status == Status::ended || turnsOf(i) != turnsOf(invocation) ||
            (!state_.code.loops[loop].barriers && i / state_.subgroupSize != invocation / state_.subgroupSize))
            continue;
        const std::vector<std::uint32_t> loops = loopsRound(state_, group, i);
        if (std::find(loops.begin(), loops.end(), loop) != loops.end()) all.push_back(i);
    }
    return all;
}

// For each loop it asks those invocations that have taken the most turns of it.
void Turns::lookAtAll()
{
    struct Look {
        std::uint32_t turns = 0;
        Group* group = nullptr;
        std::uint32_t invocation = 0, loop = 0;
    };
    std::vector<Look> looks;
    for (auto& group : state_.live)
        for (std::uint32_t i = 0; group && i < state_.code.invocations; ++i) {
            if (group->invocations[i].status == Status::ended) continue;
            for (const std::uint32_t loop : loopsRound(state_, *group, i))
                looks.push_back({state_.turnsOf(*group, i, loop), group.get(), i, loop});
        }
    std::stable_sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) { return a.turns > b.turns; });
    std::vector<unsigned> done(state_.code.loops.size());
    const std::uint64_t most = state_.result.effort + mostOfLooks;
    for (const auto& [turns, group, i, loop] : looks) {
        if (++done[loop] > mostLooks) continue;
        if (state_.result.effort > most) return;
        if (judge(*group, i, loop, outlook(*group, i, loop, fewTurns))) return;
        if (judge(*group, i, loop, outlook(*group, i, loop, manyTurns))) return;
        if (!state_.code.loops[loop].meets && !state_.code.loops[loop].barriers) continue;
        const std::vector<std::uint32_t> members = companions(*group, i, loop);
        if (!mayLookTogether(*group, members, state_.code.loops[loop].barriers)) continue;
        if (judge(*group, i, loop, outlook(*group, members, loop, fewTurns))) return;
    }
}

}  // namespace a2::emulator
