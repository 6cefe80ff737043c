#include "spirv/EmulatorInvocation.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorAtomics.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorMemory.h"
#include "spirv/EmulatorPauses.h"
#include "spirv/EmulatorPrint.h"
#include "spirv/EmulatorStops.h"
#include "spirv/EmulatorTurns.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

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

// As of a device that has run for a while: a kernel that reads the clock must not do other things here than there.
std::uint64_t someTime()
{
    static const std::uint64_t before = std::uint64_t{std::random_device()()} << 14;
    return before + static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

InvocationWalk::InvocationWalk(WalkState& state, Faults& faults, Memory& memory, Atomics& atomics, Delays& delays,
                               Pauses& pauses, Turns& turns)
    : state_(state),
      faults_(faults),
      memory_(memory),
      atomics_(atomics),
      delays_(delays),
      pauses_(pauses),
      turns_(turns),
      clock_(someTime()),
      knownPush_(state.dispatch.push.size())
{
    if (const auto& pushed = state.dispatch.pushed; !pushed.empty())
        knownPush_ = std::min<std::uint64_t>(
            knownPush_, static_cast<std::uint64_t>(std::find(pushed.begin(), pushed.end(), false) - pushed.begin()));
}

void InvocationWalk::followEdge(const Edge& edge, Cell* cells, Mark* marks)
{
    const Move* first = state_.code.moves.data() + edge.firstMove;
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

void InvocationWalk::run(Group& group, std::uint32_t invocation)
{
    Invocation& self = group.invocations[invocation];
    Cell* const cells = state_.cellsOf(group, invocation);
    Mark* const marks = group.marks.data() + std::size_t{invocation} * state_.frame;
    std::uint32_t* const turns = group.turns.data() + std::size_t{invocation} * state_.code.loops.size();
    const Instruction* const code = state_.code.instructions.data();
    const Edge* const edges = state_.code.edges.data();
    const Step* const indices = state_.code.steps.data();
    const Chain* const chains = state_.code.chains.data();
    Origin* const origins = state_.tracer ? group.origins.data() + std::size_t{invocation} * state_.frame : nullptr;
    Actor actor{group, invocation, cells, marks, origins, 0};
    const bool counts = state_.settings.counts, pauses = !state_.settings.pauses.empty();
    std::uint32_t at = self.at;
    std::uint64_t steps = 0, backs = 0;  // backs: to the beginning of a loop

    while (true) {
        const Instruction& one = code[at];
        ++steps;
        if (origins) state_.tracer->follow(one, cells, origins);
        // A case goes on to the next instruction, onward along `way`, or breaks with `made`, the result of a
        // calculation with one number. Those that an unset number might not affect, or whose result is undefined, are
        // left to calculate().
        Cell made = 0;
        std::uint32_t way = 0;  // an edge
        const auto areSet = [&] { return ((marks[one.a] | marks[one.b]) & mark::unset) == 0; };
        switch (one.handler) {
            case Handler::loadOwn:
                if ((marks[one.c] & mark::unset) != 0 || origins) {
                    actor.at = at;
                    memory_.load(one, actor);
                } else {
                    cells[one.result] = cells[one.c];
                    marks[one.result] = marks[one.c];
                }
                ++at;
                continue;
            case Handler::storeOwn:
                cells[one.c] = cells[one.result];
                marks[one.c] = marks[one.result];
                if (origins) origins[one.c] = origins[one.result];
                ++at;
                continue;
            case Handler::loadPushed:
                if (std::uint64_t{one.c} + sizeof(std::uint32_t) <= knownPush_) {
                    std::uint32_t word = 0;
                    std::memcpy(&word, state_.dispatch.push.data() + one.c, sizeof word);
                    cells[one.result] = word;
                    marks[one.result] = 0;
                } else {
                    actor.at = at;
                    memory_.load(one, actor);
                }
                ++at;
                continue;
            case Handler::copy:
                cells[one.result] = cells[one.a];
                marks[one.result] = marks[one.a];
                ++at;
                continue;
            case Handler::add:
                if (counts) group.counts.of(invocation).additions += additionsOf(one, cells, marks);
                made = (cells[one.a] + cells[one.b]) & lowBits(one.width);
                break;
            case Handler::subtract:
                if (counts) group.counts.of(invocation).additions += additionsOf(one, cells, marks);
                made = (cells[one.a] - cells[one.b]) & lowBits(one.width);
                break;
            case Handler::multiply:
                if (!areSet()) goto calculated;
                made = (cells[one.a] * cells[one.b]) & lowBits(one.width);
                break;
            case Handler::bitAnd:
                if (!areSet()) goto calculated;
                made = cells[one.a] & cells[one.b];
                break;
            case Handler::shiftLeft:
                if (cells[one.b] >= one.width) goto calculated;
                made = (cells[one.a] << cells[one.b]) & lowBits(one.width);
                break;
            case Handler::shiftRight:
                if (cells[one.b] >= one.width) goto calculated;
                made = cells[one.a] >> cells[one.b];
                break;
            case Handler::equal:
                made = cells[one.a] == cells[one.b];
                break;
            case Handler::notEqual:
                made = cells[one.a] != cells[one.b];
                break;
            case Handler::less:
                made = cells[one.a] < cells[one.b];
                break;
            case Handler::lessOrEqual:
                made = cells[one.a] <= cells[one.b];
                break;
            case Handler::greater:
                made = cells[one.a] > cells[one.b];
                break;
            case Handler::greaterOrEqual:
                made = cells[one.a] >= cells[one.b];
                break;
            case Handler::signedLess:
                made = signedOf(cells[one.a], one.width) < signedOf(cells[one.b], one.width);
                break;
            case Handler::load:
                actor.at = at;
                memory_.load(one, actor);
                ++at;
                continue;
            case Handler::store:
                actor.at = at;
                memory_.store(one, actor);
                ++at;
                continue;
            case Handler::index: {
                const Step& step = indices[one.c];
                const Cell index = cells[step.cell];
                const Cell offset = cells[one.a + 1] + chains[one.b].constant + index * step.stride;
                if (index >= step.limit || offset > limits::farthest || cells[one.a + 2] != 0) {
                    followChain(state_.code, one, cells, marks);
                    ++at;
                    continue;
                }
                cells[one.result] = cells[one.a];
                cells[one.result + 1] = offset;
                cells[one.result + 2] = 0;
                marks[one.result] = 0;
                marks[one.result + 1] = static_cast<Mark>(marks[one.a + 1] | marks[step.cell]);
                marks[one.result + 2] = 0;
                ++at;
                continue;
            }
            case Handler::chain:
                followChain(state_.code, one, cells, marks);
                ++at;
                continue;
            case Handler::arrayLength:
                actor.at = at;
                memory_.arrayLength(one, actor);
                ++at;
                continue;
            case Handler::atomic:
                if (pauses && pauses_.holds(group, invocation, one, false)) {
                    self.at = at;
                    goto parked;
                }
                actor.at = at;
                atomics_.run(one, actor);
                ++at;
                if (pauses && pauses_.holds(group, invocation, one, true)) {
                    self.at = at;
                    goto parked;
                }
                continue;
            case Handler::clock: {
                // The only guarantee is that the clock grows. Here it grows fast, so that an invocation that waits for
                // it does not wait longer than necessary, and never by the same time, which would tell the walk apart.
                clock_ += 1024 + (clock_ * 0x9E3779B97F4A7C15 >> 52);
                const Cell now = clock_ + state_.result.instructions + steps;
                for (std::uint32_t i = 0; i < one.count; ++i) {
                    cells[one.result + i] = one.count == 1 ? now : now >> (32 * i) & UINT32_MAX;
                    marks[one.result + i] = 0;
                }
                ++at;
                continue;
            }
            case Handler::branch:
                way = one.b;
                goto onward;
            case Handler::branchIf: {
                if (marks[one.a] & mark::unset) {
                    actor.at = at;
                    faults_.unset(actor, "decides a branch");
                }
                const bool yes = cells[one.a] != 0;
                if (counts) group.counts.branch(invocation, at, yes);
                way = yes ? one.b : one.c;
                goto onward;
            }
            case Handler::branchOn: {
                if (marks[one.a] & mark::unset) {
                    actor.at = at;
                    faults_.unset(actor, "decides a branch");
                }
                way = one.result;
                for (std::uint32_t i = 0; i < one.count; ++i)
                    if (state_.code.literals[one.b + i] == cells[one.a]) {
                        way = one.c + i;
                        break;
                    }
                steps += one.count / 8;
                if (counts) group.counts.branch(invocation, at, way);
                goto onward;
            }
            case Handler::enter:
                for (const auto& [first, count] : state_.code.functions[one.a].variables)
                    for (std::uint32_t i = 0; i < count; ++i) marks[first + i] = mark::unset | mark::own;
                ++at;
                continue;
            case Handler::call:
                cells[one.a] = at + 1;
                at = one.b;
                // Calls alone can make a walk long.
                if (steps >= state_.left && state_.usedUp(steps)) {
                    self.at = at;
                    goto parked;
                }
                continue;
            case Handler::leave: {
                const Function& function = state_.code.functions[one.a];
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
                continue;
            }
            case Handler::end:
                self.at = at;
                self.status = Status::ended;
                goto parked;
            case Handler::unknown:
                faults_.unknown(at, state_.code.unknown[one.a]);
                turns_.giveUp(group, invocation, at);
                goto parked;
            case Handler::groupBarrier:
                self.at = at;
                self.status = Status::atBarrier;
                goto parked;
            case Handler::subgroup:
                self.at = at;
                self.status = Status::atSubgroup;
                goto parked;
            case Handler::fence:
                if (state_.settings.checks) group.order.fence(invocation, semanticsOf(one.a, one.b));
                if (state_.delays) delays_.fence(group, invocation, semanticsOf(one.a, one.b));
                ++at;
                continue;
            case Handler::print:
                actor.at = at;
                print(state_, faults_, one, actor);
                ++at;
                continue;
            case Handler::line:
                stopAt(state_, group, invocation, at);
                ++at;
                continue;
            case Handler::calculate:
            calculated:
                if (counts &&
                    (one.op == spv::OpIAdd || one.op == spv::OpISub || one.op == spv::OpFAdd || one.op == spv::OpFSub))
                    group.counts.of(invocation).additions += additionsOf(one, cells, marks);
                if (const Undefined undefined = calculate(state_.code, one, cells, marks, state_.settings.freedom);
                    undefined != Undefined::nothing) {
                    actor.at = at;
                    faults_.undefined(actor, undefined);
                }
                ++at;
                continue;
        }
        cells[one.result] = made;
        marks[one.result] = mark::of(marks[one.a], marks[one.b]);
        ++at;
        continue;

    onward:
        const Edge& edge = edges[way];
        if (edge.moves != 0) followEdge(edge, cells, marks);
        if (origins) state_.tracer->follow(edge, origins);
        at = edge.target;
        if (edge.loop == none) continue;
        if (!edge.back) {
            turns[edge.loop] = 0;
            continue;
        }
        ++backs;
        if (steps >= state_.left && state_.usedUp(steps)) {
            self.at = at;
            break;
        }
        if ((++turns[edge.loop] & (turnsBetweenLooks - 1)) != 0) continue;
        self.at = at;
        if (turns_.turn(group, invocation, edge.loop)) break;
    }
parked:
    self.turns += backs;
    state_.result.mostTurns = std::max(state_.result.mostTurns, self.turns);
    state_.result.instructions += steps;
    state_.result.effort += steps;
    state_.use(steps);
    if (state_.left == 0) state_.usedUp(0);
}

}  // namespace a2::emulator
