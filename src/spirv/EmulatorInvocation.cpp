// One invocation, from its present place to where it must wait for others, or to its end.

#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace a2::emulator {

namespace {

// When a walk ends early: how many loops are examined, and how many instructions this may take in all.
constexpr unsigned mostLooks = 8;
constexpr std::uint64_t mostOfLooks = std::uint64_t{1} << 26;

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
