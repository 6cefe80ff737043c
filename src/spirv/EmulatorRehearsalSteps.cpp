#include "spirv/EmulatorRehearsalSteps.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorAtomics.h"
#include "spirv/EmulatorMemory.h"
#include "spirv/EmulatorPlaces.h"
#include "spirv/EmulatorState.h"
#include "spirv/EmulatorSubgroup.h"

#include <algorithm>
#include <bit>

namespace a2::emulator {

bool RehearsalSteps::step()
{
    const Instruction& one = state_.code.instructions[state_.at];
    switch (one.op) {
        case op::load:
        case op::store:
            if (!move(one)) return false;
            ++state_.at;
            return true;
        case op::chain:
            notes_.begin();
            notes_.read(one.a, pointerCells);
            for (std::uint32_t i = 0; i < state_.code.chains[one.b].steps; ++i)
                notes_.read(state_.code.steps[state_.code.chains[one.b].firstStep + i].cell, 1);
            notes_.flowed(one.result, pointerCells);
            followChain(state_.code, one, state_.cells.data() + state_.base, state_.marks.data() + state_.base);
            ++state_.at;
            return true;
        case op::arrayLength:
            notes_.begin();
            notes_.read(one.a, pointerCells);
            notes_.flowed(one.result, 1);
            state_.cell(one.result) = 0;
            if (const std::uint64_t root = state_.cell(one.a) - 1; root < state_.asked.resources.size()) {
                const std::uint64_t bytes = state_.asked.resources[static_cast<std::size_t>(root)].bytes;
                if (bytes > one.c) state_.cell(one.result) = (bytes - one.c) / one.b & UINT32_MAX;
            }
            ++state_.at;
            return true;
        case op::branch:
            return go(one.b);
        case op::branchIf:
            if (state_.isOthers(one.a)) return skip();
            notes_.decide(one.a);
            return go(state_.cell(one.a) != 0 ? one.b : one.c);
        case op::branchOn: {
            if (state_.isOthers(one.a)) return skip();
            notes_.decide(one.a);
            std::uint32_t edge = one.result;
            for (std::uint32_t i = 0; i < one.count; ++i)
                if (state_.code.literals[one.b + i] == state_.cell(one.a)) {
                    edge = one.c + i;
                    break;
                }
            return go(edge);
        }
        case op::enter:
            ++state_.at;
            return true;
        case op::call:
            notes_.begin();
            notes_.flowed(one.a, 1);
            state_.cell(one.a) = state_.at + 1;
            state_.at = one.b;
            return true;
        case op::leave: {
            if (one.a == state_.loop.function) return false;
            const Function& function = state_.code.functions[one.a];
            copy(function.returned, one.b, one.count);
            state_.at = static_cast<std::uint32_t>(state_.cell(function.returnCell));
            return true;
        }
        case op::groupBarrier:
        case spv::OpControlBarrier:
            if (state_.together) {
                state_.lane = one.op == op::groupBarrier ? LaneState::atBarrier : LaneState::atSubgroup;
                return true;
            }
            state_.made.meets = true;
            ++state_.at;
            return true;
        case spv::OpMemoryBarrier:
            ++state_.at;
            return true;
        case op::end:
        case op::unknown:
        case spv::OpReadClockKHR:
            return false;
        default:
            break;
    }
    if (isAtomic(one.op)) {
        if (!atomic(one)) return false;
    } else if (isSubgroupOperation(one.op)) {
        if (state_.together) {
            state_.lane = LaneState::atSubgroup;
            return true;
        }
        state_.made.meets = true;
        notes_.begin();
        notes_.read(state_.made.outside, 1);
        notes_.flowed(one.result, std::max<std::uint32_t>(4, one.count)).partly = true;
        depends(one.result, cellsOf(one).written);
    } else if (!calculated(one)) {
        return false;
    }
    ++state_.at;
    return true;
}

bool RehearsalSteps::go(std::uint32_t number)
{
    const Edge& edge = state_.code.edges[number];
    const Move* first = state_.code.moves.data() + edge.firstMove;
    moved_.clear();
    movedMarks_.clear();
    for (const Move* move = first; move != first + edge.moves; ++move) {
        const auto from = state_.cells.begin() + std::ptrdiff_t{state_.base} + std::ptrdiff_t{move->from};
        moved_.insert(moved_.end(), from, from + move->count);
        const auto marks = state_.marks.begin() + std::ptrdiff_t{state_.base} + std::ptrdiff_t{move->from};
        movedMarks_.insert(movedMarks_.end(), marks, marks + move->count);
    }
    std::size_t at = 0;
    if (edge.parallel) {  // each reads the old values: so they move through the cells of scratch
        for (const Move* move = first; move != first + edge.moves; ++move) {
            notes_.copied(state_.scratch + static_cast<std::uint32_t>(at), move->from, move->count);
            at += move->count;
        }
        at = 0;
    }
    for (const Move* move = first; move != first + edge.moves; ++move) {
        notes_.copied(move->to, edge.parallel ? state_.scratch + static_cast<std::uint32_t>(at) : move->from,
                      move->count);
        for (std::uint32_t i = 0; i < move->count; ++i, ++at) {
            state_.cell(move->to + i) = moved_[at];
            state_.mark(move->to + i) = movedMarks_[at];
        }
    }
    const std::uint32_t from = state_.at;
    state_.at = edge.target;
    if (state_.code.functionOf[from] == state_.loop.function &&
        (state_.at < state_.loop.begin || state_.at >= state_.loop.end))
        return false;
    if (edge.loop == none) return true;
    std::uint32_t& turns = state_.turns[state_.base / state_.frame * state_.code.loops.size() + edge.loop];
    turns = edge.back ? turns + 1 : 0;
    if (edge.loop == state_.asked.loop && edge.back) state_.lane = LaneState::atBoundary;
    return true;
}

bool RehearsalSteps::skip()
{
    const Ways& ways = ways_.of(state_.at);
    if (ways.leaves) return false;
    for (const Range& range : ways.written)
        for (std::uint32_t cell = range.first; cell < std::min(range.first + range.count, state_.frame); ++cell)
            state_.mark(cell) = static_cast<Mark>(state_.mark(cell) | fromOthers);
    state_.at = state_.code.meetingOf.at(state_.at);
    return true;
}

void RehearsalSteps::copy(std::uint32_t to, std::uint32_t from, std::uint32_t count)
{
    notes_.copied(to, from, count);
    for (std::uint32_t i = 0; i < count; ++i) {
        state_.cell(to + i) = state_.cell(from + i);
        state_.mark(to + i) = state_.mark(from + i);
    }
}

void RehearsalSteps::depends(std::uint32_t first, std::uint32_t count)
{
    std::fill_n(state_.marks.begin() + state_.place(first), count, fromOthers);
}

bool RehearsalSteps::move(const Instruction& one)
{
    const Access& access = state_.code.accesses[one.b];
    if (access.space == Space::own) return moveOwn(one);
    if (access.space == Space::push) return loadPush(one, access);
    const bool loads = one.op == op::load;
    if (!words_.find(one, access, one.count)) return false;
    const bool changes = words_.change();
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const std::uint32_t word = words_.found()[i], own = one.result + i;
        const std::uint32_t to = loads ? own : word, from = loads ? word : own;
        notes_.begin();
        if (!loads || changes) notes_.read(from, 1);
        Flow& flow = notes_.flowed(to, 1);
        flow.each = flow.lowBits = true;
        state_.cell(to) = state_.cell(from);
        if (loads) state_.mark(to) = (changes && !state_.trusts) || state_.isOthers(one.a + 1) ? fromOthers : Mark{0};
    }
    for (std::uint32_t i = 0; i < one.count; ++i) notes_.pointed(one.a, loads ? one.result + i : words_.found()[i], 1);
    return true;
}

bool RehearsalSteps::moveOwn(const Instruction& one)
{
    const bool loads = one.op == op::load;
    const std::uint64_t at = state_.cell(one.a + 1);
    if (state_.cell(one.a) == 0 || state_.cell(one.a + 2) != 0 || at + one.count > state_.frame) return false;
    const auto own = static_cast<std::uint32_t>(at);
    const std::uint32_t to = loads ? one.result : own;
    copy(to, loads ? own : one.result, one.count);
    if (state_.isOthers(one.a + 1)) {
        if (!loads) return false;
        depends(to, one.count);
    }
    notes_.pointed(one.a, to, one.count);
    return true;
}

bool RehearsalSteps::loadPush(const Instruction& one, const Access& access)
{
    if (one.op != op::load) return false;
    notes_.begin();
    notes_.read(one.a, pointerCells);
    notes_.flowed(one.result, one.count);
    const auto& push = state_.asked.push;
    const std::uint64_t at = state_.cell(one.a + 1);
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = state_.code.pieces[access.first + i];
        Cell value = 0;
        for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
            const std::uint64_t byte = at + piece.offset + k;
            if (byte < push.size()) value |= Cell{push[static_cast<std::size_t>(byte)]} << (8 * k);
        }
        state_.cell(one.result + i) = value;
        state_.mark(one.result + i) = state_.isOthers(one.a + 1) ? fromOthers : Mark{0};
    }
    return true;
}

bool RehearsalSteps::atomic(const Instruction& one)
{
    const Atomic& about = state_.code.atomics[one.count];
    const Access& access = state_.code.accesses[about.access];
    if (!words_.find(one, access, 1, one.width)) return false;
    const std::uint32_t word = words_.found()[0];
    const bool changes = words_.change();
    const bool compares = one.op == spv::OpAtomicCompareExchange || one.op == spv::OpAtomicCompareExchangeWeak;
    const bool operand =
        one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicIIncrement && one.op != spv::OpAtomicIDecrement;
    const Cell old = state_.cell(word);
    const bool equal = !compares || old == state_.cell(about.comparator);
    const Cell now = changedBy(one, old, operand ? state_.cell(one.b) : 0, equal);
    if (one.op != spv::OpAtomicStore) {
        notes_.begin();
        if (changes) notes_.read(word, 1);
        notes_.flowed(one.result, 1).lowBits = true;
    }
    if (one.op != spv::OpAtomicLoad) {
        notes_.begin();
        if (one.op != spv::OpAtomicStore && one.op != spv::OpAtomicExchange) notes_.read(word, 1);
        if (operand) notes_.read(one.b, 1);
        if (compares) notes_.read(about.comparator, 1);
        notes_.flowed(word, 1).lowBits = keepsLowBits(one.op);
    }
    if (one.op != spv::OpAtomicStore) {
        state_.cell(one.result) = old;
        state_.mark(one.result) = changes && !state_.trusts ? fromOthers : Mark{0};
    }
    state_.cell(word) = now;
    notes_.pointed(one.a, word, 1);
    return true;
}

bool RehearsalSteps::calculated(const Instruction& one)
{
    if (one.op == op::relaxed || one.op == op::print || one.op == op::line) return true;  // no effect here
    const std::uint32_t count = std::max<std::uint32_t>(1, one.count);
    notes_.begin();
    if (one.op == op::copy) {
        notes_.copied(one.result, one.a, one.count);
    } else if (one.op == op::gather) {
        for (std::uint32_t i = 0; i < one.count; ++i) notes_.copied(one.result + i, state_.code.lists[one.a + i], 1);
    } else if (isComparison(one.op) && one.count == 1) {
        compare(one);
    } else if (one.op >= 10000 && one.op != op::glsl && one.op != op::bits && one.op != op::extractAt &&
               one.op != op::insertAt) {
        return false;
    } else if (takesOne(one.op) || takesTwo(one.op)) {
        notes_.read(one.a, count);
        if (takesTwo(one.op)) notes_.read(one.b, count);
        Flow& flow = notes_.flowed(one.result, count);
        flow.each = true;
        flow.lowBits = keepsLowBits(one.op);
    } else if (one.op == spv::OpSelect && one.count == 1) {
        notes_.read(one.c, 1);
        notes_.read(state_.cell(one.c) != 0 ? one.a : one.b, 1);
        notes_.flowed(one.result, 1);
    } else if (one.op == op::glsl) {
        // Packed and unpacked numbers, and structures of two, have more or fewer components than the operand.
        const bool others = (one.flags >= 54 && one.flags <= 65) || one.flags == 36 || one.flags == 52;
        for (const std::uint32_t from : {one.a, one.b, one.c}) notes_.read(from, count);
        const std::uint32_t writes = others ? std::max<std::uint32_t>(4, 2 * count) : count;
        notes_.flowed(one.result, std::min(writes, state_.frame - one.result)).partly = others || count > 1;
    } else {
        // It may read any of its operands, of which a matrix is the largest; it may write fewer cells.
        const std::uint32_t most = std::max<std::uint32_t>(16, 2 * one.count);
        for (const std::uint32_t from : {one.a, one.b, one.c})
            if (from < state_.frame) notes_.read(from, std::min(most, state_.frame - from));
        notes_.flowed(one.result, std::min(most, state_.frame - std::min(state_.frame, one.result))).partly = true;
    }
    calculate(state_.code, one, state_.cells.data() + state_.base, state_.marks.data() + state_.base);
    if (isComparison(one.op) && one.count == 1 && !state_.follows && state_.made.flows.back().compared != none)
        state_.made.comparisons[{state_.base, state_.at}].push_back(
            {static_cast<std::uint32_t>(state_.made.boundaries.size()), state_.cell(one.a), state_.cell(one.b),
             state_.cell(one.result) != 0});
    return true;
}

void RehearsalSteps::compare(const Instruction& one)
{
    const Cell a = state_.cell(one.a), b = state_.cell(one.b);
    notes_.begin();
    // This comparison with 0 always has the same answer.
    const bool belowZero = one.op == spv::OpULessThan || one.op == spv::OpUGreaterThanEqual;
    const bool aboveZero = one.op == spv::OpUGreaterThan || one.op == spv::OpULessThanEqual;
    if (belowZero && b == 0) {
        notes_.read(one.b, 1);
        notes_.flowed(one.result, 1);
        return;
    }
    if (aboveZero && a == 0) {
        notes_.read(one.a, 1);
        notes_.flowed(one.result, 1);
        return;
    }
    notes_.read(one.a, 1);
    notes_.read(one.b, 1);
    Flow& flow = notes_.flowed(one.result, 1);
    flow.compared = state_.at;
    // This means: not equal to 0.
    const bool zero = (belowZero && a == 0) || (aboveZero && b == 0);
    // Two numbers with different lowest bits are not equal, whatever their other bits are.
    const bool equality = one.op == spv::OpIEqual || one.op == spv::OpINotEqual;
    if ((equality || zero) && a != b) flow.bits = static_cast<std::uint8_t>(std::countr_zero(a ^ b) + 1);
}

}  // namespace a2::emulator
