#include "spirv/EmulatorWays.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

void WaysOfBranches::writes(std::uint32_t at, Ways& ways)
{
    const Instruction& one = code_.instructions[at];
    const std::uint32_t count = std::max<std::uint32_t>(1, one.count);
    const auto edge = [&](std::uint32_t number, std::uint32_t begin, std::uint32_t end) {
        const Edge& to = code_.edges[number];
        for (std::uint32_t i = to.firstMove; i < to.firstMove + to.moves; ++i)
            ways.written.push_back({code_.moves[i].to, code_.moves[i].count});
        ways.leaves = ways.leaves || to.target < begin || to.target > end;
    };
    const std::uint32_t begin = begin_, end = end_;
    switch (one.op) {
        case op::branch:
            return edge(one.b, begin, end);
        case op::branchIf:
            edge(one.b, begin, end);
            return edge(one.c, begin, end);
        case op::branchOn:
            edge(one.result, begin, end);
            for (std::uint32_t i = 0; i < one.count; ++i) edge(one.c + i, begin, end);
            return;
        case op::load:
            ways.written.push_back({one.result, count});
            return;
        case op::store: {
            const Access& access = code_.accesses[one.b];
            ways.shared = ways.shared || access.space == Space::shared;
            ways.buffers = ways.buffers || access.space == Space::buffer;
            if (access.space != Space::own) return;
            ways.leaves = ways.leaves || access.variable == none;
            if (ways.leaves) return;
            const Variable& variable = code_.variables[access.variable];  // it may be any part of it
            ways.written.push_back({variable.first, code_.types.at(variable.type).cells});
            return;
        }
        case op::chain:
            ways.written.push_back({one.result, pointerCells});
            return;
        case op::arrayLength:
            ways.written.push_back({one.result, 1});
            return;
        case op::enter:
        case op::groupBarrier:
        case spv::OpControlBarrier:
        case spv::OpMemoryBarrier:
            return;
        case op::call:
            ways.written.push_back({one.a, 1});
            return called(one.b, ways);
        case op::leave:
            ways.written.push_back({code_.functions[one.a].returned, one.count});
            ways.leaves = ways.leaves || begin_ != code_.functions[one.a].entry;  // else: it returns to its caller
            return;
        case op::end:
        case op::unknown:
            ways.leaves = true;
            return;
        default:
            break;
    }
    if (isAtomic(one.op)) {
        ways.shared = ways.buffers = true;
        if (one.op != spv::OpAtomicStore) ways.written.push_back({one.result, 1});
        return;
    }
    const bool exact =
        takesOne(one.op) || takesTwo(one.op) || one.op == op::copy || one.op == op::gather || one.op == spv::OpSelect;
    ways.written.push_back({one.result, exact ? count : std::max<std::uint32_t>(16, 2 * count)});
}

void WaysOfBranches::called(std::uint32_t entry, Ways& ways)
{
    constexpr unsigned mostCalls = 32;  // nested ones: no function of a shader is recursive
    if (calls_ == mostCalls || ways.leaves) {
        ways.leaves = true;
        return;
    }
    ++calls_;
    const std::uint32_t begin = std::exchange(begin_, entry), end = end_;
    end_ = entry;
    while (end_ < code_.functionOf.size() && code_.functionOf[end_] == code_.functionOf[entry]) ++end_;
    for (std::uint32_t at = entry; at < end_; ++at) writes(at, ways);
    begin_ = begin;
    end_ = end;
    --calls_;
}

const Ways& WaysOfBranches::of(std::uint32_t branch)
{
    const auto [found, isNew] = known_.try_emplace(branch);
    if (!isNew) return found->second;
    const auto meeting = code_.meetingOf.find(branch);
    if (meeting == code_.meetingOf.end() || meeting->second <= branch) {
        found->second.leaves = true;
        return found->second;
    }
    begin_ = branch;
    end_ = meeting->second;
    for (std::uint32_t at = branch; at < end_; ++at) writes(at, found->second);
    return found->second;
}

}  // namespace a2::emulator
