#include "spirv/EmulatorRehearsal.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorAtomics.h"
#include "spirv/EmulatorMemory.h"
#include "spirv/EmulatorPlaces.h"
#include "spirv/EmulatorState.h"
#include "spirv/EmulatorSubgroup.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace a2::emulator {

Rehearsal::Rehearsal(const LoopQuestion& question)
    : code_(question.code),
      asked_(question),
      loop_(question.code.loops[question.loop]),
      frame_(question.frame),
      together_(!question.members.empty()),
      ways_(question.code)
{
    std::vector<std::uint32_t> members = question.members;
    if (!together_) members.push_back(question.invocation);
    const Group& group = question.group;
    for (const std::uint32_t one : members) {
        const auto begin = std::ptrdiff_t{one} * std::ptrdiff_t{frame_};
        cells_.insert(cells_.end(), group.cells.begin() + begin, group.cells.begin() + begin + frame_);
        marks_.insert(marks_.end(), group.marks.begin() + begin, group.marks.begin() + begin + frame_);
        const auto turns = group.turns.begin() + std::ptrdiff_t{one} * std::ptrdiff_t(code_.loops.size());
        turns_.insert(turns_.end(), turns, turns + std::ptrdiff_t(code_.loops.size()));
        lanes_.push_back({one, group.invocations[one].at, Lane::State::running});
    }
    made_.behind = static_cast<std::uint32_t>(cells_.size());
    made_.outside = made_.behind;
    scratch_ = made_.behind + 1;
    std::size_t moved = 0;
    for (const Edge& edge : code_.edges) {
        std::size_t all = 0;
        for (std::uint32_t i = edge.firstMove; i < edge.firstMove + edge.moves; ++i) all += code_.moves[i].count;
        moved = std::max(moved, all);
    }
    moved = std::max<std::size_t>(moved, 2);
    cells_.resize(cells_.size() + 1 + moved);  // made_.outside, and those of scratch_
    made_.firstWord = static_cast<std::uint32_t>(cells_.size());
    made_.names.resize(1 + moved);
    made_.before.resize(1 + moved);
}

std::optional<Rehearsed> Rehearsal::run()
{
    for (Lane& lane : lanes_)
        if (lane.at == loop_.begin) lane.state = Lane::State::atBoundary;
    while (steps_ < asked_.mostSteps && made_.boundaries.size() <= asked_.turns)
        if (!goOn()) {
            if (steps_ < asked_.mostSteps) return {};
            break;
        }
    made_.cells = static_cast<std::uint32_t>(cells_.size());
    return std::move(made_);
}

bool Rehearsal::takes(std::uint64_t turns, bool trusts)
{
    follows_ = true;
    trusts_ = trusts;
    at_ = lanes_[0].at;
    const std::uint64_t last = turns * 64;
    for (std::uint64_t steps = 0; turns > 0 && steps < last; ++steps) {
        if (!step()) return false;
        if (state_ != Lane::State::atBoundary) continue;
        state_ = Lane::State::running;
        --turns;
    }
    return turns == 0;
}

bool Rehearsal::all(Lane::State state) const
{
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.state == state; });
}

void Rehearsal::release()
{
    for (Lane& lane : lanes_) lane.state = Lane::State::running;
}

bool Rehearsal::goOn()
{
    if (all(Lane::State::atBoundary)) {
        boundary();
        release();
        return true;
    }
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
        base_ = i * frame_;
        at_ = lanes_[i].at;
        state_ = lanes_[i].state;
        for (; state_ == Lane::State::running; ++steps_)
            if (steps_ >= asked_.mostSteps || !step()) return false;
        lanes_[i].at = at_;
        lanes_[i].state = state_;
    }
    if (all(Lane::State::atBoundary)) return true;
    bool met = false;
    for (std::uint32_t first = 0, end = 0; first < lanes_.size(); first = end) {
        const std::uint32_t number = lanes_[first].invocation / asked_.subgroupSize;
        while (end < lanes_.size() && lanes_[end].invocation / asked_.subgroupSize == number) ++end;
        met = meetIn(first, end) || met;
    }
    if (met) return true;
    if (!all(Lane::State::atBarrier)) return false;
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
    return emulator::wayOf(code_, lanes_[lane].at, turns_.data() + lane * code_.loops.size(),
                           cells_.data() + std::size_t{lane} * frame_);
}

bool Rehearsal::meetIn(std::uint32_t first, std::uint32_t end)
{
    std::vector<std::uint32_t> earliest, members;
    for (std::uint32_t i = first; i < end; ++i) {
        if (lanes_[i].state != Lane::State::atSubgroup) continue;
        std::vector<std::uint32_t> way = wayOf(i);
        if (members.empty() || way < earliest) {
            earliest = std::move(way);
            members.assign(1, i);
        } else if (way == earliest) {
            members.push_back(i);
        }
    }
    if (members.empty()) return false;
    const Instruction& one = code_.instructions[lanes_[members[0]].at];
    if (one.op != spv::OpControlBarrier) {
        const SubgroupCells cells = cellsOf(one);
        const auto gather = [&](const std::pair<std::uint32_t, std::uint32_t>& what, std::uint32_t to) {
            begin();
            for (const std::uint32_t i : members) {
                base_ = i * frame_;
                if (what.second > 0) read(what.first, what.second);
            }
            flowed(to, 1).lowBits = cells.keepsLowBits;
        };
        gather(cells.values, scratch_);
        gather(cells.choice, scratch_ + 1);
        made_.flows.back().lowBits = false;
        std::vector<SubgroupLane> all;
        for (const std::uint32_t i : members) {
            base_ = i * frame_;
            begin();
            read(scratch_ + 1, 1);
            flowed(one.result, cells.written).partly = true;
            begin();
            read(scratch_, 1);
            flowed(one.result, cells.written).lowBits = cells.keepsLowBits;
            std::swap(made_.flows[made_.flows.size() - 1], made_.flows[made_.flows.size() - 2]);
            all.push_back(
                {lanes_[i].invocation % asked_.subgroupSize, cells_.data() + base_, marks_.data() + base_, nullptr});
        }
        calculateTogether(one, all, asked_.subgroupSize, nullptr);
    }
    for (const std::uint32_t i : members) {
        ++lanes_[i].at;
        lanes_[i].state = Lane::State::running;
    }
    steps_ += members.size();
    return true;
}

bool Rehearsal::step()
{
    const Instruction& one = code_.instructions[at_];
    switch (one.op) {
        case op::load:
        case op::store:
            if (!move(one)) return false;
            ++at_;
            return true;
        case op::chain:
            begin();
            read(one.a, pointerCells);
            for (std::uint32_t i = 0; i < code_.chains[one.b].steps; ++i)
                read(code_.steps[code_.chains[one.b].firstStep + i].cell, 1);
            flowed(one.result, pointerCells);
            followChain(code_, one, cells_.data() + base_, marks_.data() + base_);
            ++at_;
            return true;
        case op::arrayLength:
            begin();
            read(one.a, pointerCells);
            flowed(one.result, 1);
            cell(one.result) = 0;
            if (const std::uint64_t root = cell(one.a) - 1; root < asked_.resources.size()) {
                const std::uint64_t bytes = asked_.resources[static_cast<std::size_t>(root)].bytes;
                if (bytes > one.c) cell(one.result) = (bytes - one.c) / one.b & UINT32_MAX;
            }
            ++at_;
            return true;
        case op::branch:
            return go(one.b);
        case op::branchIf:
            if (isOthers(one.a)) return skip();
            decide(one.a);
            return go(cell(one.a) != 0 ? one.b : one.c);
        case op::branchOn: {
            if (isOthers(one.a)) return skip();
            decide(one.a);
            std::uint32_t edge = one.result;
            for (std::uint32_t i = 0; i < one.count; ++i)
                if (code_.literals[one.b + i] == cell(one.a)) {
                    edge = one.c + i;
                    break;
                }
            return go(edge);
        }
        case op::enter:
            ++at_;
            return true;
        case op::call:
            begin();
            flowed(one.a, 1);
            cell(one.a) = at_ + 1;
            at_ = one.b;
            return true;
        case op::leave: {
            const Function& function = code_.functions[one.a];
            if (one.a == loop_.function) return false;
            copied(function.returned, one.b, one.count);
            for (std::uint32_t i = 0; i < one.count; ++i) {
                cell(function.returned + i) = cell(one.b + i);
                marks_[place(function.returned) + i] = marks_[place(one.b) + i];
            }
            at_ = static_cast<std::uint32_t>(cell(function.returnCell));
            return true;
        }
        case op::groupBarrier:
        case spv::OpControlBarrier:
            if (together_) {
                state_ = one.op == op::groupBarrier ? Lane::State::atBarrier : Lane::State::atSubgroup;
                return true;
            }
            made_.meets = true;
            ++at_;
            return true;
        case spv::OpMemoryBarrier:
            ++at_;
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
        if (together_) {
            state_ = Lane::State::atSubgroup;
            return true;
        }
        made_.meets = true;
        begin();
        read(made_.outside, 1);
        flowed(one.result, std::max<std::uint32_t>(4, one.count)).partly = true;
        std::fill_n(marks_.begin() + place(one.result), cellsOf(one).written, fromOthers);
    } else if (!calculated(one)) {
        return false;
    }
    ++at_;
    return true;
}

bool Rehearsal::go(std::uint32_t number)
{
    const Edge& edge = code_.edges[number];
    const Move* first = code_.moves.data() + edge.firstMove;
    moved_.clear();
    movedMarks_.clear();
    for (const Move* move = first; move != first + edge.moves; ++move) {
        const auto from = cells_.begin() + std::ptrdiff_t{base_} + std::ptrdiff_t{move->from};
        moved_.insert(moved_.end(), from, from + move->count);
        const auto marks = marks_.begin() + std::ptrdiff_t{base_} + std::ptrdiff_t{move->from};
        movedMarks_.insert(movedMarks_.end(), marks, marks + move->count);
    }
    std::size_t at = 0;
    if (edge.parallel) {  // each reads the old values: so they move through the cells of scratch_
        for (const Move* move = first; move != first + edge.moves; ++move) {
            copied(scratch_ + static_cast<std::uint32_t>(at), move->from, move->count);
            at += move->count;
        }
        at = 0;
    }
    for (const Move* move = first; move != first + edge.moves; ++move) {
        copied(move->to, edge.parallel ? scratch_ + static_cast<std::uint32_t>(at) : move->from, move->count);
        for (std::uint32_t i = 0; i < move->count; ++i, ++at) {
            cell(move->to + i) = moved_[at];
            marks_[place(move->to) + i] = movedMarks_[at];
        }
    }
    const std::uint32_t from = at_;
    at_ = edge.target;
    if (code_.functionOf[from] == loop_.function && (at_ < loop_.begin || at_ >= loop_.end)) return false;
    if (edge.loop == none) return true;
    std::uint32_t& turns = turns_[base_ / frame_ * code_.loops.size() + edge.loop];
    turns = edge.back ? turns + 1 : 0;
    if (edge.loop == asked_.loop && edge.back) state_ = Lane::State::atBoundary;
    return true;
}

Flow& Rehearsal::flowed(std::uint32_t write, std::uint32_t writes)
{
    if (follows_) return ignored_;
    Flow flow;
    flow.write = place(write);
    flow.base = base_;
    flow.writes = writes;
    flow.firstRead = firstRead_;
    flow.reads = static_cast<std::uint32_t>(made_.ranges.size()) - firstRead_;
    made_.flows.push_back(flow);
    return made_.flows.back();
}

void Rehearsal::copied(std::uint32_t to, std::uint32_t from, std::uint32_t count)
{
    begin();
    read(from, count);
    Flow& flow = flowed(to, count);
    flow.each = flow.lowBits = true;
}

void Rehearsal::decide(std::uint32_t cell)
{
    begin();
    read(cell, 1);
    Flow& flow = flowed(0, 0);
    flow.decides = true;
    flow.compared = at_;
}

std::uint32_t Rehearsal::cellOfWord(const WordName& name, Cell now)
{
    const auto [found, isNew] =
        cellOfWord_.try_emplace({name.buffer, name.word}, static_cast<std::uint32_t>(cells_.size()));
    // A loop that uses a wide number and also one of its words alone is not followed.
    const auto next = cellOfWord_.find({name.buffer, name.word + 1});
    const auto last = cellOfWord_.find({name.buffer, name.word - 1});
    mixed_ = mixed_ || (!isNew && made_.names[found->second - made_.behind].wide != name.wide) ||
             (name.wide && next != cellOfWord_.end()) ||
             (last != cellOfWord_.end() && made_.names[last->second - made_.behind].wide);
    if (isNew) {
        cells_.push_back(now);
        made_.names.push_back(name);
        made_.before.push_back(now);
    }
    return found->second;
}

bool Rehearsal::words(const Instruction& one, const Access& access, std::uint32_t count,
                      std::vector<std::uint32_t>& found, bool& changes, std::uint32_t atomicBits)
{
    found.clear();
    const Cell* pointer = cells_.data() + base_ + one.a;
    if (pointer[0] == 0 || pointer[2] != 0) return false;
    if (access.space == Space::shared) {
        changes = true;
        const Group& group = asked_.group;
        for (std::uint64_t cell = pointer[1]; cell < pointer[1] + count; ++cell) {
            if (cell >= group.shared.size()) return false;
            found.push_back(0);
        }
        const std::uint64_t from = pointer[1];
        for (std::uint32_t i = 0; i < count; ++i)
            found[i] = cellOfWord({WordName::sharedMemory, from + i}, group.shared[static_cast<std::size_t>(from + i)]);
        return true;
    }
    const std::uint64_t root = pointer[0] - 1, offset = pointer[1];
    if (root >= asked_.resources.size()) return false;
    const Resource& resource = asked_.resources[static_cast<std::size_t>(root)];
    if (!resource.state || offset > resource.bytes) return false;
    changes = resource.state->isWritten;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Piece piece = access.pieces > 0 ? code_.pieces[access.first + i] : Piece{};
        const std::uint64_t byte = resource.offset + offset + piece.offset;
        const std::uint32_t bits = atomicBits > 0 ? atomicBits : piece.width;
        const bool wide = bits == 64;
        if ((bits != 32 && !wide) || byte % 4 != 0 || offset + piece.offset + bits / 8 > resource.bytes) return false;
        const std::uint32_t* words = resource.state->words + byte / 4;
        found.push_back(cellOfWord({static_cast<std::uint32_t>(resource.state->number), byte / 4, wide},
                                   wide ? words[0] | Cell{words[1]} << 32 : words[0]));
    }
    return !mixed_;
}

bool Rehearsal::move(const Instruction& one)
{
    const Access& access = code_.accesses[one.b];
    const bool loads = one.op == op::load;
    const std::uint64_t at = cell(one.a + 1);
    if (access.space == Space::own) {
        if (cell(one.a) == 0 || cell(one.a + 2) != 0 || at + one.count > frame_) return false;
        const auto own = static_cast<std::uint32_t>(at);
        const std::uint32_t to = loads ? one.result : own, from = loads ? own : one.result;
        copied(to, from, one.count);
        for (std::uint32_t i = 0; i < one.count; ++i) {
            cell(to + i) = cell(from + i);
            marks_[place(to) + i] = marks_[place(from) + i];
        }
        if (isOthers(one.a + 1)) {
            if (!loads) return false;
            std::fill_n(marks_.begin() + place(to), one.count, fromOthers);
        }
        pointed(one.a, to, one.count);
        return true;
    }
    if (access.space == Space::push) {
        if (!loads) return false;
        begin();
        read(one.a, pointerCells);
        flowed(one.result, one.count);
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const Piece& piece = code_.pieces[access.first + i];
            Cell value = 0;
            for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
                const std::uint64_t byte = at + piece.offset + k;
                if (byte < asked_.push.size()) value |= Cell{asked_.push[static_cast<std::size_t>(byte)]} << (8 * k);
            }
            cell(one.result + i) = value;
            marks_[place(one.result) + i] = isOthers(one.a + 1) ? fromOthers : Mark{0};
        }
        return true;
    }
    bool changes = false;
    if (!words(one, access, one.count, words_, changes)) return false;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const std::uint32_t to = loads ? one.result + i : words_[i], from = loads ? words_[i] : one.result + i;
        begin();
        if (!loads || changes) read(from, 1);
        Flow& flow = flowed(to, 1);
        flow.each = flow.lowBits = true;
        cell(to) = cell(from);
        if (loads) marks_[place(to)] = (changes && !trusts_) || isOthers(one.a + 1) ? fromOthers : Mark{0};
    }
    for (std::uint32_t i = 0; i < one.count; ++i) pointed(one.a, loads ? one.result + i : words_[i], 1);
    return true;
}

bool Rehearsal::skip()
{
    const Ways& ways = ways_.of(at_);
    if (ways.leaves) return false;
    for (const Range& range : ways.written)
        for (std::uint32_t cell = range.first; cell < std::min(range.first + range.count, frame_); ++cell)
            marks_[place(cell)] = static_cast<Mark>(marks_[place(cell)] | fromOthers);
    at_ = code_.meetingOf.at(at_);
    return true;
}

void Rehearsal::pointed(std::uint32_t pointer, std::uint32_t to, std::uint32_t count)
{
    begin();
    read(pointer, pointerCells);
    flowed(to, count).partly = true;
}

bool Rehearsal::atomic(const Instruction& one)
{
    const Atomic& about = code_.atomics[one.count];
    const Access& access = code_.accesses[about.access];
    bool changes = false;
    if (!words(one, access, 1, words_, changes, one.width)) return false;
    const std::uint32_t word = words_[0];
    const bool compares = one.op == spv::OpAtomicCompareExchange || one.op == spv::OpAtomicCompareExchangeWeak;
    const bool operand =
        one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicIIncrement && one.op != spv::OpAtomicIDecrement;
    const Cell old = cell(word);
    const bool equal = !compares || old == cell(about.comparator);
    const Cell now = changedBy(one, old, operand ? cell(one.b) : 0, equal);
    if (one.op != spv::OpAtomicStore) {
        begin();
        if (changes) read(word, 1);
        flowed(one.result, 1).lowBits = true;
    }
    if (one.op != spv::OpAtomicLoad) {
        begin();
        if (one.op != spv::OpAtomicStore && one.op != spv::OpAtomicExchange) read(word, 1);
        if (operand) read(one.b, 1);
        if (compares) read(about.comparator, 1);
        flowed(word, 1).lowBits = keepsLowBits(one.op);
    }
    if (one.op != spv::OpAtomicStore) {
        cell(one.result) = old;
        marks_[place(one.result)] = changes && !trusts_ ? fromOthers : Mark{0};
    }
    cell(word) = now;
    pointed(one.a, word, 1);
    return true;
}

bool Rehearsal::calculated(const Instruction& one)
{
    if (one.op == op::relaxed || one.op == op::print || one.op == op::line) return true;  // no effect here
    const std::uint32_t count = std::max<std::uint32_t>(1, one.count);
    begin();
    if (one.op == op::copy) {
        copied(one.result, one.a, one.count);
    } else if (one.op == op::gather) {
        for (std::uint32_t i = 0; i < one.count; ++i) copied(one.result + i, code_.lists[one.a + i], 1);
    } else if (isComparison(one.op) && one.count == 1) {
        compare(one);
    } else if (one.op >= 10000 && one.op != op::glsl && one.op != op::bits && one.op != op::extractAt &&
               one.op != op::insertAt) {
        return false;
    } else if (takesOne(one.op) || takesTwo(one.op)) {
        read(one.a, count);
        if (takesTwo(one.op)) read(one.b, count);
        Flow& flow = flowed(one.result, count);
        flow.each = true;
        flow.lowBits = keepsLowBits(one.op);
    } else if (one.op == spv::OpSelect && one.count == 1) {
        read(one.c, 1);
        read(cell(one.c) != 0 ? one.a : one.b, 1);
        flowed(one.result, 1);
    } else if (one.op == op::glsl) {
        // Packed and unpacked numbers, and structures of two, have more or fewer components than the operand.
        const bool others = (one.flags >= 54 && one.flags <= 65) || one.flags == 36 || one.flags == 52;
        for (const std::uint32_t from : {one.a, one.b, one.c}) read(from, count);
        const std::uint32_t writes = others ? std::max<std::uint32_t>(4, 2 * count) : count;
        flowed(one.result, std::min(writes, frame_ - one.result)).partly = others || count > 1;
    } else {
        // It may read any of its operands, of which a matrix is the largest; it may write fewer cells.
        const std::uint32_t most = std::max<std::uint32_t>(16, 2 * one.count);
        for (const std::uint32_t from : {one.a, one.b, one.c})
            if (from < frame_) read(from, std::min(most, frame_ - from));
        flowed(one.result, std::min(most, frame_ - std::min(frame_, one.result))).partly = true;
    }
    calculate(code_, one, cells_.data() + base_, marks_.data() + base_);
    if (isComparison(one.op) && one.count == 1 && !follows_ && made_.flows.back().compared != none)
        made_.comparisons[{base_, at_}].push_back(
            {static_cast<std::uint32_t>(made_.boundaries.size()), cell(one.a), cell(one.b), cell(one.result) != 0});
    return true;
}

void Rehearsal::compare(const Instruction& one)
{
    const Cell a = cell(one.a), b = cell(one.b);
    begin();
    // This comparison with 0 always has the same answer.
    const bool belowZero = one.op == spv::OpULessThan || one.op == spv::OpUGreaterThanEqual;
    const bool aboveZero = one.op == spv::OpUGreaterThan || one.op == spv::OpULessThanEqual;
    if (belowZero && b == 0) {
        read(one.b, 1);
        flowed(one.result, 1);
        return;
    }
    if (aboveZero && a == 0) {
        read(one.a, 1);
        flowed(one.result, 1);
        return;
    }
    read(one.a, 1);
    read(one.b, 1);
    Flow& flow = flowed(one.result, 1);
    flow.compared = at_;
    // This means: not equal to 0.
    const bool zero = (belowZero && a == 0) || (aboveZero && b == 0);
    // Two numbers with different lowest bits are not equal, whatever their other bits are.
    const bool equality = one.op == spv::OpIEqual || one.op == spv::OpINotEqual;
    if ((equality || zero) && a != b) flow.bits = static_cast<std::uint8_t>(std::countr_zero(a ^ b) + 1);
}

}  // namespace a2::emulator
