#include "spirv/EmulatorLoops.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorWalk.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint8_t wholeCell = 64;  // bits that are needed of it
constexpr Mark fromOthers = 128;        // it may be made of what other invocations do

// What a step has made of what. The cells after the frame stand for words of memory.
struct Flow {
    std::uint32_t write = 0, writes = 0;  // cells
    std::uint32_t firstRead = 0, reads = 0;
    bool decides = false;           // a branch
    bool partly = false;            // what was in the cells may be there still
    bool each = false;              // cell by cell
    bool lowBits = false;           // the low bits of the result are made of the low bits of what is read
    std::uint8_t bits = wholeCell;  // that are needed of what is read, once the result is needed at all
    std::uint32_t compared = none;  // the instruction, of one that compares two numbers, or decides
    std::uint32_t base = 0;         // first cell of the lane
};
struct Range {
    std::uint32_t first = 0, count = 0;
};
struct Compared {
    std::uint32_t turn = 0;
    Cell a = 0, b = 0;
    bool result = false;
};

bool isBetween(std::uint16_t opcode, spv::Op first, spv::Op last) { return opcode >= first && opcode <= last; }

// From each number one.
bool takesOne(std::uint16_t opcode)
{
    return opcode == spv::OpNot || opcode == spv::OpLogicalNot || isBetween(opcode, spv::OpIsNan, spv::OpIsInf) ||
           isBetween(opcode, spv::OpSNegate, spv::OpFNegate) || isBetween(opcode, spv::OpConvertFToU, spv::OpFConvert);
}

// From each two numbers one.
bool takesTwo(std::uint16_t opcode)
{
    return isBetween(opcode, spv::OpIAdd, spv::OpFMod) || isBetween(opcode, spv::OpLogicalEqual, spv::OpLogicalAnd) ||
           isBetween(opcode, spv::OpIEqual, spv::OpFUnordGreaterThanEqual) ||
           isBetween(opcode, spv::OpShiftRightLogical, spv::OpBitwiseAnd);
}

bool isComparison(std::uint16_t opcode) { return isBetween(opcode, spv::OpIEqual, spv::OpSLessThanEqual); }

// Bit i of the result is made of the bits up to i of both operands.
bool keepsLowBits(std::uint16_t opcode)
{
    switch (opcode) {
        case op::copy:
        case spv::OpNot:
        case spv::OpSNegate:
        case spv::OpIAdd:
        case spv::OpISub:
        case spv::OpIMul:
        case spv::OpBitwiseAnd:
        case spv::OpBitwiseOr:
        case spv::OpBitwiseXor:
        case spv::OpAtomicExchange:
        case spv::OpAtomicStore:
        case spv::OpAtomicIAdd:
        case spv::OpAtomicISub:
        case spv::OpAtomicIIncrement:
        case spv::OpAtomicIDecrement:
        case spv::OpAtomicAnd:
        case spv::OpAtomicOr:
        case spv::OpAtomicXor:
            return true;
        default:
            return false;
    }
}

class Rehearsal {
public:
    explicit Rehearsal(const LoopQuestion& question)
        : code_(question.code),
          asked_(question),
          loop_(question.code.loops[question.loop]),
          frame_(question.frame),
          together_(!question.members.empty())
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
        behind_ = static_cast<std::uint32_t>(cells_.size());
        outside_ = behind_;
        scratch_ = behind_ + 1;
        std::size_t moved = 0;
        for (const Edge& edge : code_.edges) {
            std::size_t all = 0;
            for (std::uint32_t i = edge.firstMove; i < edge.firstMove + edge.moves; ++i) all += code_.moves[i].count;
            moved = std::max(moved, all);
        }
        moved = std::max<std::size_t>(moved, 2);
        cells_.resize(cells_.size() + 1 + moved);  // outside_, and those of scratch_
        firstWord_ = static_cast<std::uint32_t>(cells_.size());
        names_.resize(1 + moved);
        before_.resize(1 + moved);
    }

    LoopOutlook run()
    {
        for (Lane& lane : lanes_)
            if (lane.at == loop_.begin) lane.state = Lane::State::atBoundary;
        while (steps_ < asked_.mostSteps && boundaries_.size() <= asked_.turns)
            if (!goOn()) {
                if (steps_ < asked_.mostSteps) return {};
                break;
            }
        return judged();
    }

    std::uint64_t steps() const { return steps_; }  // that were tried

    // Whether it takes so many turns whatever others do, or, if trusted, as long as memory is as it is.
    bool takes(std::uint64_t turns, bool trusts)
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

private:
    // An invocation.
    struct Lane {
        enum class State : std::uint8_t { running, atBoundary, atSubgroup, atBarrier };
        std::uint32_t invocation = 0, at = 0;  // at: instruction
        State state = State::running;
    };

    bool all(Lane::State state) const
    {
        return std::all_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.state == state; });
    }
    void release()
    {
        for (Lane& lane : lanes_) lane.state = Lane::State::running;
    }

    // Each up to where it waits for others, and these on from there. False: nobody can tell what comes next.
    bool goOn()
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

    std::vector<std::uint32_t> wayOf(std::uint32_t lane) const
    {
        return emulator::wayOf(code_, lanes_[lane].at, turns_.data() + lane * code_.loops.size(),
                               cells_.data() + std::size_t{lane} * frame_);
    }

    // What those of a subgroup do as one that come first on their way.
    bool meetIn(std::uint32_t first, std::uint32_t end)
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
            flows_.back().lowBits = false;
            std::vector<SubgroupLane> all;
            for (const std::uint32_t i : members) {
                base_ = i * frame_;
                begin();
                read(scratch_ + 1, 1);
                flowed(one.result, cells.written).partly = true;
                begin();
                read(scratch_, 1);
                flowed(one.result, cells.written).lowBits = cells.keepsLowBits;
                std::swap(flows_[flows_.size() - 1], flows_[flows_.size() - 2]);
                all.push_back({lanes_[i].invocation % asked_.subgroupSize, cells_.data() + base_, marks_.data() + base_,
                               nullptr});
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

    std::uint32_t place(std::uint32_t cell) const { return cell < frame_ ? base_ + cell : cell; }
    Cell& cell(std::uint32_t number) { return cells_[place(number)]; }

    // False: it leaves the loop, or nobody can tell.
    bool step()
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
                meets_ = true;
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
        if (one.op >= spv::OpAtomicLoad && one.op <= spv::OpAtomicXor) {
            if (!atomic(one)) return false;
        } else if (isSubgroupOperation(one.op)) {
            if (together_) {
                state_ = Lane::State::atSubgroup;
                return true;
            }
            meets_ = true;
            begin();
            read(outside_, 1);
            flowed(one.result, std::max<std::uint32_t>(4, one.count)).partly = true;
            std::fill_n(marks_.begin() + place(one.result), cellsOf(one).written, fromOthers);
        } else if (!calculated(one)) {
            return false;
        }
        ++at_;
        return true;
    }

    bool go(std::uint32_t number)
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
        if (edge.parallel) {  // each reads what was there before: by way of cells that are no others'
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

    void boundary() { boundaries_.push_back({cells_, flows_.size()}); }

    void begin() { firstRead_ = static_cast<std::uint32_t>(ranges_.size()); }
    void read(std::uint32_t first, std::uint32_t count)
    {
        if (!follows_) ranges_.push_back({place(first), count});
    }
    Flow& flowed(std::uint32_t write, std::uint32_t writes)
    {
        if (follows_) return ignored_;
        Flow flow;
        flow.write = place(write);
        flow.base = base_;
        flow.writes = writes;
        flow.firstRead = firstRead_;
        flow.reads = static_cast<std::uint32_t>(ranges_.size()) - firstRead_;
        flows_.push_back(flow);
        return flows_.back();
    }
    void copied(std::uint32_t to, std::uint32_t from, std::uint32_t count)
    {
        begin();
        read(from, count);
        Flow& flow = flowed(to, count);
        flow.each = flow.lowBits = true;
    }
    void decide(std::uint32_t cell)
    {
        begin();
        read(cell, 1);
        Flow& flow = flowed(0, 0);
        flow.decides = true;
        flow.compared = at_;
    }

    // The cell that stands for a word of memory.
    std::uint32_t cellOfWord(const WordName& name, Cell now)
    {
        const auto [found, isNew] =
            cellOfWord_.try_emplace({name.buffer, name.word}, static_cast<std::uint32_t>(cells_.size()));
        // Nobody looks into one number by way of two.
        const auto next = cellOfWord_.find({name.buffer, name.word + 1});
        const auto last = cellOfWord_.find({name.buffer, name.word - 1});
        mixed_ = mixed_ || (!isNew && names_[found->second - behind_].wide != name.wide) ||
                 (name.wide && next != cellOfWord_.end()) ||
                 (last != cellOfWord_.end() && names_[last->second - behind_].wide);
        if (isNew) {
            cells_.push_back(now);
            names_.push_back(name);
            before_.push_back(now);
        }
        return found->second;
    }

    // Where a pointer into memory of others leads, number by number; false: nobody can tell.
    bool words(const Instruction& one, const Access& access, std::uint32_t count, std::vector<std::uint32_t>& found,
               bool& changes, std::uint32_t atomicBits = 0)
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
                found[i] =
                    cellOfWord({WordName::sharedMemory, from + i}, group.shared[static_cast<std::size_t>(from + i)]);
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
            if ((bits != 32 && !wide) || byte % 4 != 0 || offset + piece.offset + bits / 8 > resource.bytes)
                return false;
            const std::uint32_t* words = resource.state->words + byte / 4;
            found.push_back(cellOfWord({static_cast<std::uint32_t>(resource.state->number), byte / 4, wide},
                                       wide ? words[0] | Cell{words[1]} << 32 : words[0]));
        }
        return !mixed_;
    }

    bool move(const Instruction& one)
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
                    if (byte < asked_.push.size())
                        value |= Cell{asked_.push[static_cast<std::size_t>(byte)]} << (8 * k);
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

    bool isOthers(std::uint32_t number) const { return follows_ && (marks_[place(number)] & fromOthers) != 0; }

    // From a branch that others decide to where its ways meet. False: nobody can tell.
    bool skip()
    {
        const Ways& ways = waysOf(at_);
        if (ways.leaves) return false;
        for (const Range& range : ways.written)
            for (std::uint32_t cell = range.first; cell < std::min(range.first + range.count, frame_); ++cell)
                marks_[place(cell)] = static_cast<Mark>(marks_[place(cell)] | fromOthers);
        at_ = code_.meetingOf.at(at_);
        return true;
    }

    // What lies there depends on where the pointer leads, as well.
    void pointed(std::uint32_t pointer, std::uint32_t to, std::uint32_t count)
    {
        begin();
        read(pointer, pointerCells);
        flowed(to, count).partly = true;
    }

    bool atomic(const Instruction& one)
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

    bool calculated(const Instruction& one)
    {
        if (one.op == op::relaxed || one.op == op::print || one.op == op::line) return true;  // changes nothing here
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
            // Packed and unpacked numbers, and structures of two, are more or fewer than the operand's.
            const bool others = (one.flags >= 54 && one.flags <= 65) || one.flags == 36 || one.flags == 52;
            for (const std::uint32_t from : {one.a, one.b, one.c}) read(from, count);
            const std::uint32_t writes = others ? std::max<std::uint32_t>(4, 2 * count) : count;
            flowed(one.result, std::min(writes, frame_ - one.result)).partly = others || count > 1;
        } else {
            // Any of its operands, of which a matrix is the largest; it may write less.
            const std::uint32_t most = std::max<std::uint32_t>(16, 2 * one.count);
            for (const std::uint32_t from : {one.a, one.b, one.c})
                if (from < frame_) read(from, std::min(most, frame_ - from));
            flowed(one.result, std::min(most, frame_ - std::min(frame_, one.result))).partly = true;
        }
        calculate(code_, one, cells_.data() + base_, marks_.data() + base_);
        if (isComparison(one.op) && one.count == 1 && !follows_ && flows_.back().compared != none)
            comparisons_[{base_, at_}].push_back(
                {static_cast<std::uint32_t>(boundaries_.size()), cell(one.a), cell(one.b), cell(one.result) != 0});
        return true;
    }

    void compare(const Instruction& one)
    {
        const Cell a = cell(one.a), b = cell(one.b);
        begin();
        // Whatever is compared with 0 in this way, the answer is the same.
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
        // Not equal to 0, in other words.
        const bool zero = (belowZero && a == 0) || (aboveZero && b == 0);
        // Two numbers that differ in their lowest bits are not equal, whatever the others are.
        const bool equality = one.op == spv::OpIEqual || one.op == spv::OpINotEqual;
        if ((equality || zero) && a != b) flow.bits = static_cast<std::uint8_t>(std::countr_zero(a ^ b) + 1);
    }

    // Whether what it compares moves away from what would change its answer, turn by turn by as much.
    bool movesAway(std::uint32_t base, std::uint32_t at) const
    {
        constexpr std::size_t enough = 32;
        constexpr std::int64_t far = std::int64_t{1} << 28;  // turns
        const auto found = comparisons_.find({base, at});
        if (found == comparisons_.end() || found->second.size() < enough) return false;
        const Instruction& one = code_.instructions[at];
        const bool isSigned = one.op == spv::OpSLessThan || one.op == spv::OpSLessThanEqual ||
                              one.op == spv::OpSGreaterThan || one.op == spv::OpSGreaterThanEqual;
        if (one.op == spv::OpIEqual || one.op == spv::OpINotEqual || one.width > 32) return false;
        const auto number = [&](Cell cell) {
            return isSigned ? signedOf(cell, one.width) : static_cast<std::int64_t>(cell);
        };
        const std::int64_t low = isSigned ? -(std::int64_t{1} << (one.width - 1)) : 0;
        const std::int64_t high = low + (std::int64_t{1} << one.width) - 1;
        const auto& all = found->second;
        const std::int64_t stepA = number(all[1].a) - number(all[0].a), stepB = number(all[1].b) - number(all[0].b);
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].turn != all[i - 1].turn + 1 || all[i].result != all[0].result ||
                number(all[i].a) - number(all[i - 1].a) != stepA || number(all[i].b) - number(all[i - 1].b) != stepB)
                return false;
        const bool less = one.op == spv::OpULessThan || one.op == spv::OpSLessThan || one.op == spv::OpULessThanEqual ||
                          one.op == spv::OpSLessThanEqual;
        // It stays so where a - b does not grow, or does not shrink.
        const bool mayShrink = less == all[0].result;
        if (mayShrink ? stepA - stepB > 0 : stepA - stepB < 0) return false;
        if (stepA == 0 && stepB == 0) return false;  // the state says so
        const auto turnsLeft = [&](std::int64_t value, std::int64_t step) {
            return step > 0 ? (high - value) / step : step < 0 ? (value - low) / -step : far;
        };
        return turnsLeft(number(all.back().a), stepA) >= far && turnsLeft(number(all.back().b), stepB) >= far;
    }

    // What lies between a branch and where its ways meet again.
    struct Ways {
        std::vector<Range> written;
        bool leaves = false;                   // it does not always come there, or does what is not known
        bool shared = false, buffers = false;  // it writes there
    };

    void writes(std::uint32_t at, Ways& ways)
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
                const Variable& variable = code_.variables[access.variable];  // any part of it
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
                ways.leaves = ways.leaves || begin_ != code_.functions[one.a].entry;  // otherwise to who has called it
                return;
            case op::end:
            case op::unknown:
                ways.leaves = true;
                return;
            default:
                break;
        }
        if (one.op >= spv::OpAtomicLoad && one.op <= spv::OpAtomicXor) {
            ways.shared = ways.buffers = true;
            if (one.op != spv::OpAtomicStore) ways.written.push_back({one.result, 1});
            return;
        }
        const bool exact = takesOne(one.op) || takesTwo(one.op) || one.op == op::copy || one.op == op::gather ||
                           one.op == spv::OpSelect;
        ways.written.push_back({one.result, exact ? count : std::max<std::uint32_t>(16, 2 * count)});
    }

    // All of a function, from which everybody comes back to where it was called.
    void called(std::uint32_t entry, Ways& ways)
    {
        constexpr unsigned mostCalls = 32;  // one in another: no function of a shader calls itself
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

    const Ways& waysOf(std::uint32_t branch)
    {
        const auto [found, isNew] = ways_.try_emplace(branch);
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

    // Whether the ways from a branch on differ in what is needed, or do not meet again.
    bool matters(std::uint32_t base, std::uint32_t branch)
    {
        const Ways& ways = waysOf(branch);
        if (ways.leaves) return true;
        for (const Range& range : ways.written)
            for (std::uint32_t cell = range.first; cell < std::min(range.first + range.count, frame_); ++cell)
                if (ever_[base + cell] != 0) return true;
        return (ways.shared && needsShared_) || (ways.buffers && needsBuffers_);
    }

    // What the loop's ways out depend on, at each turn's begin: so many low bits of each cell.
    bool needs(std::vector<std::uint8_t>& all, bool& away)
    {
        constexpr unsigned mostRounds = 24;
        all.assign(cells_.size(), 0);
        ever_ = all;
        needsShared_ = needsBuffers_ = false;
        Moving moving;
        for (unsigned round = 0; round < mostRounds; ++round) {
            std::vector<std::uint8_t> need = all;
            const std::vector<std::uint8_t> before = all, everBefore = ever_;
            std::size_t next = boundaries_.size() - 1;
            for (std::size_t i = boundaries_.back().flows; i-- > boundaries_.front().flows;) {
                while (next > 0 && boundaries_[next].flows > i) --next;
                apply(flows_[i], need, moving, away);
                if (boundaries_[next].flows == i)
                    for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], need[k]);
            }
            if (all == before && ever_ == everBefore) return true;
        }
        return false;
    }

    using Moving = std::map<std::pair<std::uint32_t, std::uint32_t>, bool>;  // by lane and instruction

    void apply(const Flow& flow, std::vector<std::uint8_t>& need, Moving& moving, bool& away)
    {
        const auto raise = [&](std::uint32_t cell, std::uint8_t bits) {
            need[cell] = std::max(need[cell], bits);
            ever_[cell] = std::max(ever_[cell], bits);
            if (isWord(cell) && bits != 0)
                (names_[cell - behind_].buffer == WordName::sharedMemory ? needsShared_ : needsBuffers_) = true;
        };
        if (flow.decides) {
            if (matters(flow.base, flow.compared)) raise(ranges_[flow.firstRead].first, wholeCell);
            return;
        }
        if (flow.each) {
            for (std::uint32_t i = 0; i < flow.writes; ++i) {
                const std::uint8_t bits = std::exchange(need[flow.write + i], std::uint8_t{0});
                if (bits == 0) continue;
                for (std::uint32_t r = 0; r < flow.reads; ++r)
                    pending_.emplace_back(ranges_[flow.firstRead + r].first + i, flow.lowBits ? bits : wholeCell);
            }
            for (const auto& [cell, bits] : pending_) raise(cell, bits);
            pending_.clear();
            return;
        }
        std::uint8_t most = 0;
        for (std::uint32_t i = 0; i < flow.writes; ++i) {
            most = std::max(most, need[flow.write + i]);
            if (!flow.partly) need[flow.write + i] = 0;
        }
        if (most == 0) return;
        if (flow.compared != none && asked_.turns >= manyTurns) {
            const auto [found, isNew] = moving.try_emplace({flow.base, flow.compared}, false);
            if (isNew) found->second = movesAway(flow.base, flow.compared);
            if (found->second) {
                away = true;
                return;
            }
        }
        for (std::uint32_t r = 0; r < flow.reads; ++r) {
            const Range& range = ranges_[flow.firstRead + r];
            for (std::uint32_t i = 0; i < range.count; ++i) raise(range.first + i, flow.lowBits ? most : flow.bits);
        }
    }

    LoopOutlook judged()
    {
        LoopOutlook made;
        if (boundaries_.size() < 2) return made;
        std::vector<std::uint8_t> need;
        bool away = false;
        if (!needs(need, away) || need[outside_] != 0) return made;
        const auto valueAt = [&](std::size_t turn, std::size_t cell) {
            const auto& cells = boundaries_[turn].cells;
            return cell < cells.size() ? cells[cell] : before_[cell - behind_];
        };
        std::vector<std::uint32_t> needed;
        for (std::uint32_t cell = 0; cell < need.size(); ++cell)
            if (need[cell] != 0) needed.push_back(cell);
        made.own = std::none_of(needed.begin(), needed.end(), [&](std::uint32_t cell) { return cell >= behind_; });
        const std::size_t last = boundaries_.size() - 1;
        bool repeats = false;
        for (std::size_t turn = 0; turn < last && !repeats; ++turn)
            repeats = std::all_of(needed.begin(), needed.end(), [&](std::uint32_t cell) {
                return ((valueAt(turn, cell) ^ valueAt(last, cell)) & lowBits(need[cell])) == 0;
            });
        if (!repeats) return made;
        for (const std::uint32_t cell : needed)
            if (isWord(cell))
                made.watched.push_back({names_[cell - behind_], before_[cell - behind_], lowBits(need[cell])});
        for (std::uint32_t cell = firstWord_; cell < cells_.size(); ++cell) {
            Cell changed = 0;
            for (const Boundary& one : boundaries_)
                if (cell < one.cells.size()) changed |= one.cells[cell] ^ before_[cell - behind_];
            // What is added up changes higher bits later.
            if (changed != 0)
                made.touched.push_back(
                    {names_[cell - behind_], ~lowBits(static_cast<unsigned>(std::countr_zero(changed)))});
        }
        if (made.watched.empty())
            made.kind = away ? LoopOutlook::Kind::away : LoopOutlook::Kind::endless;
        else if (!meets_)
            made.kind = LoopOutlook::Kind::waits;
        return made;
    }

    bool isWord(std::uint32_t cell) const { return cell >= firstWord_; }

    struct Boundary {
        std::vector<Cell> cells;
        std::size_t flows = 0;
    };

    const Code& code_;
    const LoopQuestion& asked_;
    const Loop& loop_;
    std::uint32_t frame_;
    bool together_;  // what invocations do in turn, and as one; otherwise nothing is known of what others do
    std::vector<Lane> lanes_;
    // behind_: the first cell after their frames. outside_: a cell that stands for what other invocations do.
    // scratch_: the first of those that moves go by. firstWord_: the first of those that stand for words of memory.
    std::uint32_t behind_ = 0, outside_ = 0, scratch_ = 0, firstWord_ = 0;
    std::vector<std::uint32_t> turns_;  // of each loop, lane by lane
    // Of the lane that goes on:
    std::uint32_t base_ = 0;  // its first cell
    Lane::State state_ = Lane::State::running;
    std::uint64_t steps_ = 0;  // of all
    std::vector<Cell> cells_;
    std::vector<Mark> marks_;
    std::vector<WordName> names_;  // of the cells after the frame
    std::vector<Cell> before_;     // what they held at first
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> cellOfWord_;
    std::vector<Flow> flows_;
    std::vector<Range> ranges_;
    std::vector<Boundary> boundaries_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Compared>> comparisons_;  // by lane and instruction
    std::map<std::uint32_t, Ways> ways_;                                                    // by branch
    std::uint32_t begin_ = 0, end_ = 0;                // of the ways that are looked at
    unsigned calls_ = 0;                               // that these lie in
    std::vector<std::uint8_t> ever_;                   // what was needed anywhere
    bool needsShared_ = false, needsBuffers_ = false;  // some word there, anywhere
    std::vector<Cell> moved_;
    std::vector<Mark> movedMarks_;
    bool follows_ = false;  // only goes on, and keeps no flows
    bool trusts_ = false;   // memory stays as it is
    Flow ignored_;
    std::vector<std::uint32_t> words_;
    std::vector<std::pair<std::uint32_t, std::uint8_t>> pending_;
    std::uint32_t at_ = 0, firstRead_ = 0;
    bool mixed_ = false;  // a word is used as one, and as a part of a number
    bool meets_ = false;  // it meets others at a barrier, or does something with its subgroup
};

}  // namespace

LoopOutlook outlookOf(const LoopQuestion& question)
{
    Rehearsal rehearsal(question);
    LoopOutlook outlook = rehearsal.run();
    outlook.steps = rehearsal.steps();
    return outlook;
}

bool takesTurns(const LoopQuestion& question, std::uint64_t turns, bool trusts)
{
    return Rehearsal(question).takes(turns, trusts);
}

}  // namespace a2::emulator
