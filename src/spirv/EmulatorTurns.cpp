// The turns that an invocation takes of a loop: whether the loop has an end. And its pauses and its early end.

#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace a2::emulator {

namespace {

// When a walk ends early: how many loops are examined, and how many instructions this may take in all.
constexpr unsigned mostLooks = 8;
constexpr std::uint64_t mostOfLooks = std::uint64_t{1} << 26;

}  // namespace

void Walk::giveUp(Group& group, std::uint32_t invocation, std::uint32_t at)
{
    Invocation& self = group.invocations[invocation];
    self.status = Status::ended;
    self.at = at;
    self.gaveUp = true;
    unknown_ = true;
}

LoopOutlook Walk::outlook(const LoopQuestion& question)
{
    constexpr std::uint64_t instructionsPerStep = 24;  // that take as long: 0.21 us and 8.6 ns were measured
    LoopOutlook found = outlookOf(question);
    const std::uint64_t instructions = instructionsPerStep * found.steps;
    result_.effort += instructions;
    left_ -= std::min(left_, instructions);
    return found;
}

LoopOutlook Walk::outlook(const Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint32_t turns)
{
    LoopQuestion question{code_, resources_, dispatch_.push, group, invocation, frame_, loop, turns};
    if (turns > fewTurns) question.mostSteps *= 16;
    return outlook(question);
}

LoopOutlook Walk::outlook(const Group& group, const std::vector<std::uint32_t>& members, std::uint32_t loop,
                          std::uint32_t turns)
{
    constexpr std::size_t mostCells = std::size_t{1} << 22;  // cells that are kept, for all turns
    const std::size_t most = mostCells / (members.size() * frame_ + 1);
    if (most < fewTurns) return {};
    LoopQuestion question{code_, resources_, dispatch_.push, group, members.front(), frame_, loop, turns};
    question.turns = static_cast<std::uint32_t>(std::min<std::size_t>(turns, most));
    question.mostSteps = std::uint64_t{1} << 20;
    question.members = members;
    question.subgroupSize = subgroupSize_;
    return outlook(question);
}

void Walk::foundEndless(const Group& group, std::uint32_t invocation, std::uint32_t loop, const std::string& what)
{
    result_.endangers = true;
    KernelFinding* finding = findings_.add("endless-loop", code_.loops[loop].begin, none);
    if (!finding) return;
    finding->actor = describe(group, invocation);
    finding->what = called(finding->actor, nullptr) + what;
}

// Returns true if the loop was found to have no end.
bool Walk::judgeLoop(Group& group, std::uint32_t invocation, std::uint32_t loop, const LoopOutlook& outlook)
{
    using Kind = LoopOutlook::Kind;
    if (outlook.kind != Kind::endless && outlook.kind != Kind::away) return false;
    foundEndless(group, invocation, loop,
                 outlook.kind == Kind::endless
                     ? " is in a loop whose condition is the same again and again, without an end"
                     : " is in a loop whose counter moves away from where it would end");
    giveUp(group, invocation, group.invocations[invocation].at);
    return true;
}

// Always returns true.
bool Walk::foundTooMany(Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint64_t turns)
{
    foundEndless(group, invocation, loop,
                 fmt::format(" takes more than {} turns of a loop, for so few elements", turns));
    giveUp(group, invocation, group.invocations[invocation].at);
    stop_ = true;
    return true;
}

// Tries the turns on this invocation alone where all of its work-group would have to take as many first: in a loop with
// barriers, or in one that reads what others may write. In the latter case nothing was written since the last look, and
// no invocation is left that could write.
bool Walk::takesTooMany(const Group& group, std::uint32_t invocation, std::uint32_t loop, bool own) const
{
    if (settings_.endlessTurns == UINT64_MAX) return false;
    const bool alone = live_.size() == 1 && startedGroups_ == groups_ && held_.empty() &&
                       group.invocations[invocation].memorySeen == memory_;
    if (own ? !code_.loops[loop].barriers : !code_.loops[loop].looks || !alone) return false;
    return takesTurns({code_, resources_, dispatch_.push, group, invocation, frame_, loop}, settings_.endlessTurns,
                      !own);
}

// Called at every 1024th turn of a loop. Returns true if the invocation must let others go on.
bool Walk::turn(Group& group, std::uint32_t invocation, std::uint32_t loop)
{
    Invocation& self = group.invocations[invocation];
    const std::uint32_t turns = group.turns[std::size_t{invocation} * code_.loops.size() + loop];
    result_.longestLoop = std::max(result_.longestLoop, turns);
    const std::uint64_t endless = code_.loops[loop].meets ? endlessTogether_ : settings_.endlessTurns;
    if (turns >= endless) return foundTooMany(group, invocation, loop, endless);
    if (turns >= settings_.mostTurns) {
        stop_ = result_.overBudget = true;
        return true;
    }
    const bool looks = code_.loops[loop].looks;
    const bool longer = turns >= 4 * turnsBetweenLooks && std::has_single_bit(turns);
    self.waitsFor.reset();
    self.turnsWaited += turnsBetweenLooks;
    if (looks || std::has_single_bit(turns)) {
        LoopOutlook found = outlook(group, invocation, loop, longer ? manyTurns : fewTurns);
        if (judgeLoop(group, invocation, loop, found)) return true;
        if (found.kind == LoopOutlook::Kind::waits) {
            result_.waited = true;
            self.status = found.touched.empty() ? Status::stuck : Status::paused;
            self.watchedLoop = loop;
            self.waitsFor = std::make_shared<const LoopOutlook>(std::move(found));
            return true;
        }
        if (turns == 4 * turnsBetweenLooks && takesTooMany(group, invocation, loop, found.own))
            return foundTooMany(group, invocation, loop, settings_.endlessTurns);
        self.memorySeen = memory_;
        if (found.own) return false;
        if (code_.loops[loop].meets || code_.loops[loop].barriers) {
            self.status = Status::atTurn;
            self.watchedLoop = loop;
            return true;
        }
    }
    if (!looks) return false;
    result_.waited = true;
    self.status = Status::paused;
    return true;
}

// The loops around it, from the innermost on, including those of the functions that have called this one.
std::vector<std::uint32_t> Walk::loopsRound(const Group& group, std::uint32_t invocation) const
{
    std::vector<std::uint32_t> all;
    std::uint32_t at = group.invocations[invocation].at;
    while (true) {
        for (std::uint32_t loop = code_.loopOf[at]; loop != none; loop = code_.loops[loop].outer) all.push_back(loop);
        const std::uint32_t function = code_.functionOf[at];
        if (function == 0) return all;
        const std::uint32_t cell = code_.functions[function].returnCell;
        at = static_cast<std::uint32_t>(group.cells[std::size_t{invocation} * frame_ + cell]) - 1;
    }
}

// The walk's instructions are used up: finds out in which loops the remaining invocations are, and whether these loops
// end. For each loop it asks those invocations that have taken the most turns of it.
void Walk::lookAtLoops()
{
    struct Look {
        std::uint32_t turns = 0;
        Group* group = nullptr;
        std::uint32_t invocation = 0, loop = 0;
    };
    std::vector<Look> looks;
    for (auto& group : live_)
        for (std::uint32_t i = 0; group && i < code_.invocations; ++i) {
            if (group->invocations[i].status == Status::ended) continue;
            for (const std::uint32_t loop : loopsRound(*group, i))
                looks.push_back({group->turns[std::size_t{i} * code_.loops.size() + loop], group.get(), i, loop});
        }
    std::stable_sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) { return a.turns > b.turns; });
    std::vector<unsigned> done(code_.loops.size());
    const std::uint64_t most = result_.effort + mostOfLooks;
    for (const auto& [turns, group, i, loop] : looks) {
        if (++done[loop] > mostLooks) continue;
        if (result_.effort > most) return;
        if (judgeLoop(*group, i, loop, outlook(*group, i, loop, fewTurns))) return;
        if (judgeLoop(*group, i, loop, outlook(*group, i, loop, manyTurns))) return;
        if (!code_.loops[loop].meets && !code_.loops[loop].barriers) continue;
        const std::vector<std::uint32_t> members = companions(*group, i, loop);
        if (!mayLookTogether(*group, members, code_.loops[loop].barriers)) continue;
        if (judgeLoop(*group, i, loop, outlook(*group, members, loop, fewTurns))) return;
    }
}

// The invocations that are in the same turn of the loop.
std::vector<std::uint32_t> Walk::companions(const Group& group, std::uint32_t invocation, std::uint32_t loop) const
{
    const auto turnsOf = [&](std::uint32_t one) { return group.turns[std::size_t{one} * code_.loops.size() + loop]; };
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < code_.invocations; ++i) {
        if (group.invocations[i].status == Status::ended || turnsOf(i) != turnsOf(invocation) ||
            (!code_.loops[loop].barriers && i / subgroupSize_ != invocation / subgroupSize_))
            continue;
        const std::vector<std::uint32_t> loops = loopsRound(group, i);
        if (std::find(loops.begin(), loops.end(), loop) != loops.end()) all.push_back(i);
    }
    return all;
}

// Whether the invocation pauses here.
bool Walk::holds(Group& group, std::uint32_t invocation, const Instruction& one, bool after)
{
    Invocation& self = group.invocations[invocation];
    for (std::uint32_t i = 0; i < settings_.pauses.size() && i < 8; ++i) {
        const EmulatorSettings::Pause& pause = settings_.pauses[i];
        if (pause.way != EmulatorSettings::Pause::Way::pauses || pause.atomic != one.count || pause.after != after)
            continue;
        if (pause.group && *pause.group != group.started) continue;
        const unsigned bit = 1U << i;
        if ((self.passed & bit) != 0) {
            if (pause.eachTime) self.passed = static_cast<std::uint8_t>(self.passed & ~bit);
            continue;
        }
        self.passed = static_cast<std::uint8_t>(self.passed | bit);
        self.status = Status::held;
        held_.push_back({group.number, invocation, i, round_ + 1});
        heldSince_ = result_.instructions;
        return true;
    }
    return false;
}

}  // namespace a2::emulator
