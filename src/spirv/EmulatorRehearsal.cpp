#include "spirv/EmulatorRehearsal.h"

#include "spirv/EmulatorState.h"
#include "spirv/EmulatorSubgroup.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

std::vector<std::uint32_t> membersOf(const LoopQuestion& question)
{
    return question.members.empty() ? std::vector{question.invocation} : question.members;
}

}  // namespace

Rehearsal::Rehearsal(const LoopQuestion& question)
    : state_(question, membersOf(question)), notes_(state_), steps_(state_, notes_)
{
    for (const std::uint32_t one : membersOf(question))
        lanes_.push_back({one, question.group.invocations[one].at, LaneState::running});
}

std::optional<Rehearsed> Rehearsal::run()
{
    for (Lane& lane : lanes_)
        if (lane.at == state_.loop.begin) lane.state = LaneState::atBoundary;
    while (tried_ < state_.asked.mostSteps && state_.made.boundaries.size() <= state_.asked.turns)
        if (!goOn()) {
            if (tried_ < state_.asked.mostSteps) return {};
            break;
        }
    state_.made.cells = static_cast<std::uint32_t>(state_.cells.size());
    return std::move(state_.made);
}

bool Rehearsal::takes(std::uint64_t turns, bool trusts)
{
    state_.follows = true;
    state_.trusts = trusts;
    state_.at = lanes_[0].at;
    const std::uint64_t last = turns * 64;
    for (std::uint64_t steps = 0; turns > 0 && steps < last; ++steps) {
        if (!steps_.step()) return false;
        if (state_.lane != LaneState::atBoundary) continue;
        state_.lane = LaneState::running;
        --turns;
    }
    return turns == 0;
}

bool Rehearsal::all(LaneState state) const
{
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.state == state; });
}

void Rehearsal::release()
{
    for (Lane& lane : lanes_) lane.state = LaneState::running;
}

bool Rehearsal::goOn()
{
    if (all(LaneState::atBoundary)) {
        notes_.boundary();
        release();
        return true;
    }
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
        turnTo(i);
        state_.at = lanes_[i].at;
        state_.lane = lanes_[i].state;
        for (; state_.lane == LaneState::running; ++tried_)
            if (tried_ >= state_.asked.mostSteps || !steps_.step()) return false;
        lanes_[i].at = state_.at;
        lanes_[i].state = state_.lane;
    }
    if (all(LaneState::atBoundary)) return true;
    bool met = false;
    for (std::uint32_t first = 0, end = 0; first < lanes_.size(); first = end) {
        const std::uint32_t number = lanes_[first].invocation / state_.asked.subgroupSize;
        while (end < lanes_.size() && lanes_[end].invocation / state_.asked.subgroupSize == number) ++end;
        met = meetIn(first, end) || met;
    }
    if (met) return true;
    if (!all(LaneState::atBarrier)) return false;
    const std::uint32_t barrier = lanes_[0].at;
    for (Lane& lane : lanes_) {
        if (lane.at != barrier) return false;
        ++lane.at;
    }
    release();
    return true;
}

std::vector<std::uint32_t> Rehearsal::wayOf(std::uint32_t lane) const
{
    return emulator::wayOf(state_.code, lanes_[lane].at, state_.turns.data() + lane * state_.code.loops.size(),
                           state_.cells.data() + std::size_t{lane} * state_.frame);
}

std::vector<std::uint32_t> Rehearsal::firstOnTheirWay(std::uint32_t first, std::uint32_t end) const
{
    std::vector<std::uint32_t> earliest, members;
    for (std::uint32_t i = first; i < end; ++i) {
        if (lanes_[i].state != LaneState::atSubgroup) continue;
        std::vector<std::uint32_t> way = wayOf(i);
        if (members.empty() || way < earliest) {
            earliest = std::move(way);
            members.assign(1, i);
        } else if (way == earliest) {
            members.push_back(i);
        }
    }
    return members;
}

bool Rehearsal::meetIn(std::uint32_t first, std::uint32_t end)
{
    const std::vector<std::uint32_t> members = firstOnTheirWay(first, end);
    if (members.empty()) return false;
    const Instruction& one = state_.code.instructions[lanes_[members[0]].at];
    if (one.op != spv::OpControlBarrier) calculateIn(members, one);
    for (const std::uint32_t i : members) {
        ++lanes_[i].at;
        lanes_[i].state = LaneState::running;
    }
    tried_ += members.size();
    return true;
}

void Rehearsal::calculateIn(const std::vector<std::uint32_t>& members, const Instruction& one)
{
    const SubgroupCells cells = cellsOf(one);
    std::vector<Flow>& flows = state_.made.flows;
    const auto gather = [&](const std::pair<std::uint32_t, std::uint32_t>& what, std::uint32_t to) {
        notes_.begin();
        for (const std::uint32_t i : members) {
            turnTo(i);
            if (what.second > 0) notes_.read(what.first, what.second);
        }
        notes_.flowed(to, 1).lowBits = cells.keepsLowBits;
    };
    gather(cells.values, state_.scratch);
    gather(cells.choice, state_.scratch + 1);
    flows.back().lowBits = false;
    std::vector<SubgroupLane> all;
    for (const std::uint32_t i : members) {
        turnTo(i);
        notes_.begin();
        notes_.read(state_.scratch + 1, 1);
        notes_.flowed(one.result, cells.written).partly = true;
        notes_.begin();
        notes_.read(state_.scratch, 1);
        notes_.flowed(one.result, cells.written).lowBits = cells.keepsLowBits;
        std::swap(flows[flows.size() - 1], flows[flows.size() - 2]);
        all.push_back({lanes_[i].invocation % state_.asked.subgroupSize, state_.cells.data() + state_.base,
                       state_.marks.data() + state_.base, nullptr});
    }
    calculateTogether(one, all, state_.asked.subgroupSize, nullptr);
}

}  // namespace a2::emulator
