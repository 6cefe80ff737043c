// One invocation, from its present place to where it must wait for others, or to its end.

#include "spirv/EmulatorWalk.h"

#include <algorithm>

namespace a2::emulator {

namespace {

// How many additions of data: those with an operand from memory and without a known 0.
std::uint64_t additionsOf(const Instruction& one, const Cell* cells, const Mark* marks)
{
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const bool x = (marks[one.a + i] & mark::data) != 0, y = (marks[one.b + i] & mark::data) != 0;
        all += (x || y) && (x || cells[one.a + i] != 0) && (y || cells[one.b + i] != 0);
    }
    return all;
}

}  // namespace

void Walk::followEdge(const Edge& edge, Cell* cells, Mark* marks)
{
    const Move* first = code_.moves.data() + edge.firstMove;
    const Move* last = first + edge.moves;
    if (!edge.parallel) {
        for (const Move* move = first; move != last; ++move)
            for (std::uint32_t i = 0; i < move->count; ++i) {
                cells[move->to + i] = cells[move->from + i];
                marks[move->to + i] = marks[move->from + i];
            }
        return;
    }
    moved_.clear();
    movedMarks_.clear();
    for (const Move* move = first; move != last; ++move) {
        moved_.insert(moved_.end(), cells + move->from, cells + move->from + move->count);
        movedMarks_.insert(movedMarks_.end(), marks + move->from, marks + move->from + move->count);
    }
    std::size_t at = 0;
    for (const Move* move = first; move != last; ++move)
        for (std::uint32_t i = 0; i < move->count; ++i, ++at) {
            cells[move->to + i] = moved_[at];
            marks[move->to + i] = movedMarks_[at];
        }
}

void Walk::run(Group& group, std::uint32_t invocation)
{
    Invocation& self = group.invocations[invocation];
    Cell* const cells = group.cells.data() + std::size_t{invocation} * frame_;
    Mark* const marks = group.marks.data() + std::size_t{invocation} * frame_;
    std::uint32_t* const turns = group.turns.data() + std::size_t{invocation} * code_.loops.size();
    const Instruction* const code = code_.instructions.data();
    Origin* const origins = tracer_ ? group.origins.data() + std::size_t{invocation} * frame_ : nullptr;
    Actor actor{group, invocation, cells, marks, origins, 0};
    const bool counts = settings_.counts, pauses = !settings_.pauses.empty();
    std::uint32_t at = self.at;
    std::uint64_t steps = 0;

    // Goes on to another block; true if others must go on first.
    const auto go = [&](std::uint32_t number) {
        const Edge& edge = code_.edges[number];
        followEdge(edge, cells, marks);
        if (origins) tracer_->follow(edge, origins);
        at = edge.target;
        if (edge.loop == none) return false;
        if (!edge.back) {
            turns[edge.loop] = 0;
            return false;
        }
        if (steps >= left_ && usedUp(steps)) {
            self.at = at;
            return true;
        }
        if ((++turns[edge.loop] & (turnsBetweenLooks - 1)) != 0) return false;
        self.at = at;
        return turn(group, invocation, edge.loop);
    };

    while (true) {
        const Instruction& one = code[at];
        ++steps;
        if (origins) tracer_->follow(one, cells, origins);
        switch (one.op) {
            case op::load:
                actor.at = at;
                load(one, actor);
                ++at;
                break;
            case op::store:
                actor.at = at;
                store(one, actor);
                ++at;
                break;
            case op::chain:
                followChain(code_, one, cells, marks);
                ++at;
                break;
            case op::arrayLength:
                actor.at = at;
                arrayLength(one, actor);
                ++at;
                break;
            case spv::OpAtomicLoad:
            case spv::OpAtomicStore:
            case spv::OpAtomicExchange:
            case spv::OpAtomicCompareExchange:
            case spv::OpAtomicCompareExchangeWeak:
            case spv::OpAtomicIIncrement:
            case spv::OpAtomicIDecrement:
            case spv::OpAtomicIAdd:
            case spv::OpAtomicISub:
            case spv::OpAtomicSMin:
            case spv::OpAtomicUMin:
            case spv::OpAtomicSMax:
            case spv::OpAtomicUMax:
            case spv::OpAtomicAnd:
            case spv::OpAtomicOr:
            case spv::OpAtomicXor:
            case spv::OpAtomicFAddEXT:
            case spv::OpAtomicFMinEXT:
            case spv::OpAtomicFMaxEXT:
                if (pauses && holds(group, invocation, one, false)) {
                    self.at = at;
                    goto parked;
                }
                actor.at = at;
                atomic(one, actor);
                ++at;
                if (pauses && holds(group, invocation, one, true)) {
                    self.at = at;
                    goto parked;
                }
                break;
            case spv::OpReadClockKHR: {
                // The only guarantee is that the clock grows. Here it grows fast, so that an invocation that waits for
                // it does not wait longer than necessary.
                clock_ += 4096;
                const Cell now = clock_ + result_.instructions + steps;
                for (std::uint32_t i = 0; i < one.count; ++i) {
                    cells[one.result + i] = one.count == 1 ? now : now >> (32 * i) & UINT32_MAX;
                    marks[one.result + i] = 0;
                }
                ++at;
                break;
            }
            case op::branch:
                if (go(one.b)) goto parked;
                break;
            case op::branchIf: {
                if (marks[one.a] & mark::unset) {
                    actor.at = at;
                    foundUnset(actor, "decides a branch");
                }
                const bool yes = cells[one.a] != 0;
                if (counts) group.counts.branch(invocation, at, yes);
                if (go(yes ? one.b : one.c)) goto parked;
                break;
            }
            case op::branchOn: {
                if (marks[one.a] & mark::unset) {
                    actor.at = at;
                    foundUnset(actor, "decides a branch");
                }
                std::uint32_t edge = one.result;
                for (std::uint32_t i = 0; i < one.count; ++i)
                    if (code_.literals[one.b + i] == cells[one.a]) {
                        edge = one.c + i;
                        break;
                    }
                steps += one.count / 8;
                if (counts) group.counts.branch(invocation, at, edge);
                if (go(edge)) goto parked;
                break;
            }
            case op::enter:
                for (const auto& [first, count] : code_.functions[one.a].variables)
                    std::fill_n(marks + first, count, Mark{mark::unset | mark::own});
                ++at;
                break;
            case op::call:
                cells[one.a] = at + 1;
                at = one.b;
                // Calls alone can make a walk long.
                if (steps >= left_ && usedUp(steps)) {
                    self.at = at;
                    goto parked;
                }
                break;
            case op::leave: {
                const Function& function = code_.functions[one.a];
                for (std::uint32_t i = 0; i < one.count; ++i) {
                    cells[function.returned + i] = cells[one.b + i];
                    marks[function.returned + i] = marks[one.b + i];
                }
                if (one.a == 0) {
                    self.at = at;
                    self.status = Status::ended;
                    goto parked;
                }
                at = static_cast<std::uint32_t>(cells[function.returnCell]);
                break;
            }
            case op::end:
                self.at = at;
                self.status = Status::ended;
                goto parked;
            case op::unknown:
                noteUnknown(at, code_.unknown[one.a]);
                giveUp(group, invocation, at);
                goto parked;
            case op::groupBarrier:
                self.at = at;
                self.status = Status::atBarrier;
                goto parked;
            case spv::OpControlBarrier:
                self.at = at;
                self.status = Status::atSubgroup;
                goto parked;
            case spv::OpMemoryBarrier:
                if (settings_.checks) group.order.fence(invocation, semanticsOf(one.a, one.b));
                if (delays_) fenceForDelays(group, invocation, semanticsOf(one.a, one.b));
                ++at;
                break;
            case op::print:
                actor.at = at;
                print(one, actor);
                ++at;
                break;
            case op::line:
                stopAt(group, invocation, at);
                ++at;
                break;
            case spv::OpIAdd:
                if (counts) group.counts.of(invocation).additions += additionsOf(one, cells, marks);
                if (one.count == 1) {
                    cells[one.result] = (cells[one.a] + cells[one.b]) & lowBits(one.width);
                    marks[one.result] = mark::of(marks[one.a], marks[one.b]);
                    ++at;
                    break;
                }
                calculate(code_, one, cells, marks);
                ++at;
                break;
            case op::copy:
                if (one.count == 1) {
                    cells[one.result] = cells[one.a];
                    marks[one.result] = marks[one.a];
                    ++at;
                    break;
                }
                calculate(code_, one, cells, marks);
                ++at;
                break;
            default:
                if (isSubgroupOperation(one.op)) {
                    self.at = at;
                    self.status = Status::atSubgroup;
                    goto parked;
                }
                if (counts && (one.op == spv::OpISub || one.op == spv::OpFAdd || one.op == spv::OpFSub))
                    group.counts.of(invocation).additions += additionsOf(one, cells, marks);
                if (const Undefined undefined = calculate(code_, one, cells, marks, settings_.freedom);
                    undefined != Undefined::nothing) {
                    actor.at = at;
                    foundUndefined(actor, undefined);
                }
                ++at;
        }
    }
parked:
    result_.instructions += steps;
    result_.effort += steps;
    left_ -= std::min(left_, steps);
    if (left_ == 0) usedUp(0);
}

}  // namespace a2::emulator
