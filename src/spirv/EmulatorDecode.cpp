#include "spirv/EmulatorDecode.h"

#include "a2/Error.h"
#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorOrder.h"
#include "spirv/EmulatorPrint.h"
#include "spirv/EmulatorTypes.h"
#include "spirv/SpirvGrammar.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

namespace a2::emulator {

namespace {

struct Raw {
    SpirvWords words;
    Place place;
};

struct Block {
    std::uint32_t label = 0;
    std::size_t first = 0, end = 0;                    // of the body's instructions, after the label
    std::uint32_t merge = 0, next = 0;                 // next: where a loop goes on
    std::uint32_t begin = none, last = none;           // instructions; none: nobody comes here
    std::map<std::uint32_t, std::vector<Move>> moves;  // by the block that is come from
};

struct Body {
    std::uint32_t id = 0, returned = 0;
    std::vector<std::uint32_t> parameters;
    std::vector<Raw> code;
    std::vector<Block> blocks;
    std::unordered_map<std::uint32_t, std::size_t> byLabel;
};

bool isGroupOperation(spv::Op opcode)
{
    return opcode >= spv::OpGroupNonUniformElect && opcode <= spv::OpGroupNonUniformQuadSwap;
}

// The same in extensions that are older than SPIR-V 1.3, without a scope; OpNop: it is none.
spv::Op laterName(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpSubgroupBallotKHR:
            return spv::OpGroupNonUniformBallot;
        case spv::OpSubgroupFirstInvocationKHR:
            return spv::OpGroupNonUniformBroadcastFirst;
        case spv::OpSubgroupAllKHR:
            return spv::OpGroupNonUniformAll;
        case spv::OpSubgroupAnyKHR:
            return spv::OpGroupNonUniformAny;
        case spv::OpSubgroupAllEqualKHR:
            return spv::OpGroupNonUniformAllEqual;
        case spv::OpSubgroupReadInvocationKHR:
            return spv::OpGroupNonUniformShuffle;
        default:
            return spv::OpNop;
    }
}

// Of an instruction in a function: it is a part of a statement, and no mere frame of one.
bool doesSomething(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpNop:
        case spv::OpVariable:
        case spv::OpPhi:
        case spv::OpLoopMerge:
        case spv::OpSelectionMerge:
        case spv::OpBranch:
        case spv::OpUndef:
        case spv::OpReturn:
        case spv::OpUnreachable:
            return false;
        default:
            return true;
    }
}

class Decoder {
public:
    Decoder(const SpirvModule& module, const Specialisation& given, const Observed& observed)
        : declarations_(module, given, code_), observed_(observed)
    {
        readAll(module);
    }

    Code run()
    {
        declarations_.finish();
        functionOf(declarations_.mainFunction());
        for (std::size_t i = 0; i < code_.functions.size(); ++i) function(static_cast<std::uint32_t>(i));
        for (auto& instruction : calls_) {
            const Function& called = code_.functions[code_.instructions[instruction].c];
            code_.instructions[instruction].b = called.entry;
        }
        loops();
        if (observed_.lines) noteUses();
        const std::uint64_t all = std::uint64_t{code_.frame.size()} * code_.invocations;
        if (all > limits::groupCells)
            throw KernelError(
                fmt::format("this SPIR-V cannot be emulated: a work-group's invocations have {} numbers", all));
        return std::move(code_);
    }

private:
    void readAll(const SpirvModule& module)
    {
        Body* body = nullptr;
        Place place, first;  // first: of the function
        forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
            if (opcode == spv::OpFunction) place = first = {};
            if (opcode == spv::OpLine && words.size() > 2) {
                // glslang says where a type was declared in the middle of the statement that uses it first. Lines hold
                // over the end of a block, too, for not all blocks have some.
                const Place here = {words[1], words[2]};
                if (body && first.line == 0) first = here;
                if (!body || (here.file == first.file && here.line >= first.line)) place = here;
            }
            if (opcode == spv::OpLine || opcode == spv::OpNoLine) return;
            if (opcode == spv::OpFunction) {
                body = &bodies_[words[2]];
                body->id = words[2];
                body->returned = words[1];
                declarations_.meaning(words[2]).kind = Meaning::Kind::function;
            } else if (opcode == spv::OpFunctionEnd) {
                body = nullptr;
            } else if (body) {
                inBody(*body, opcode, words, place);
            } else {
                declarations_.read(opcode, words);
            }
        });
    }

    void inBody(Body& body, spv::Op opcode, SpirvWords words, const Place& place)
    {
        noteUsed(words);
        if (opcode == spv::OpFunctionParameter) {
            body.parameters.push_back(words[2]);
            parameterTypes_[words[2]] = words[1];
        } else if (opcode == spv::OpLabel) {
            body.byLabel[words[1]] = body.blocks.size();
            body.blocks.push_back({words[1], body.code.size(), body.code.size(), 0, 0, none, none, {}});
        } else if (!body.blocks.empty()) {
            body.code.push_back({words, place});
            Block& block = body.blocks.back();
            block.end = body.code.size();
            if (opcode == spv::OpLoopMerge || opcode == spv::OpSelectionMerge) block.merge = words[1];
            if (opcode == spv::OpLoopMerge) block.next = words[2];
        }
    }

    std::uint32_t functionOf(std::uint32_t id)
    {
        const auto [found, isNew] = functions_.try_emplace(id, static_cast<std::uint32_t>(code_.functions.size()));
        if (!isNew) return found->second;
        const auto body = bodies_.find(id);
        if (body == bodies_.end()) throw KernelError("this SPIR-V cannot be emulated: a function has no body");
        Function made;
        made.id = id;
        made.name = declarations_.name(id);
        made.returnCell = declarations_.allocate(1);
        for (const std::uint32_t parameter : body->second.parameters) {
            made.parameters.push_back(define(parameter, parameterTypes_[parameter]));
            made.parameterCells.push_back(declarations_.typeOf(parameter).cells);
            made.parameterNames.push_back(
                {declarations_.name(parameter), parameterTypes_[parameter], made.parameters.back()});
            PointerFacts& facts = declarations_.facts(parameter);
            facts.path = declarations_.name(parameter);
        }
        made.returnedCells = declarations_.type(body->second.returned).cells;
        made.returned = declarations_.allocate(made.returnedCells);
        code_.functions.push_back(std::move(made));
        return found->second;
    }

    std::uint32_t define(std::uint32_t id, std::uint32_t type)
    {
        Meaning& meaning = declarations_.meaning(id);
        meaning.kind = Meaning::Kind::value;
        meaning.type = type;
        meaning.cell = declarations_.allocate(declarations_.type(type).cells);
        return meaning.cell;
    }

    // Blocks in the order in which they are gone through: all of a construct before where it ends.
    static std::vector<std::size_t> structuredOrder(const Body& body)
    {
        struct Open {
            std::size_t block;
            std::vector<std::uint32_t> next;
        };
        std::vector<bool> seen(body.blocks.size());
        std::vector<std::size_t> order;
        std::vector<Open> way;
        const auto open = [&](std::size_t at) {
            seen[at] = true;
            const Block& block = body.blocks[at];
            std::vector<std::uint32_t> next;
            if (block.first < block.end) {
                const SpirvWords last = body.code[block.end - 1].words;
                if (last.opcode() == spv::OpBranch) next = {last[1]};
                if (last.opcode() == spv::OpBranchConditional) next = {last[3], last[2]};
                if (last.opcode() == spv::OpSwitch)
                    for (std::size_t i = last.size(); i-- > 2;)
                        if (body.byLabel.count(last[i])) next.push_back(last[i]);
            }
            std::reverse(next.begin(), next.end());  // taken from the back
            if (block.next != 0) next.push_back(block.next);
            if (block.merge != 0) next.push_back(block.merge);
            way.push_back({at, std::move(next)});
        };
        open(0);
        while (!way.empty()) {
            Open& top = way.back();
            if (top.next.empty()) {
                order.push_back(top.block);
                way.pop_back();
                continue;
            }
            const std::uint32_t label = top.next.back();
            top.next.pop_back();
            const auto found = body.byLabel.find(label);
            if (found != body.byLabel.end() && !seen[found->second]) open(found->second);
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    void function(std::uint32_t number)
    {
        Body& body = bodies_.at(code_.functions[number].id);
        if (body.blocks.empty()) throw KernelError("this SPIR-V cannot be emulated: a function has no block");
        current_ = number;
        const auto order = structuredOrder(body);
        for (const std::size_t at : order)
            for (std::size_t i = body.blocks[at].first; i < body.blocks[at].end; ++i) declare(body.code[i].words);
        for (const std::size_t at : order) phis(body, body.blocks[at]);

        code_.functions[number].entry = static_cast<std::uint32_t>(code_.instructions.size());
        place_ =
            body.blocks[order[0]].first < body.code.size() ? body.code[body.blocks[order[0]].first].place : Place();
        Instruction enter;
        enter.op = op::enter;
        enter.a = number;
        push(enter);
        pending_.clear();
        std::unordered_set<std::uint32_t> nextTurns;
        if (observed_.lines) nextTurns = turnsOf(body);
        for (const std::size_t at : order) {
            Block& block = body.blocks[at];
            block.begin = static_cast<std::uint32_t>(code_.instructions.size());
            block_ = block.label;
            bool ended = false;
            std::uint32_t line = 0;  // of the block's last instruction that does something
            for (std::size_t i = block.first; i < block.end && !ended; ++i) {
                place_ = body.code[i].place;
                if (observed_.lines && place_.line != line && doesSomething(body.code[i].words.opcode())) {
                    line = place_.line;
                    pushLine(nextTurns.count(block.label) > 0 ? lineOfTurn : lineOnce);
                }
                ended = instruction(body, body.code[i].words);
                if (!ended) relax(body.code[i].words);
            }
            if (!ended) unknown("a block without an end");
            block.last = static_cast<std::uint32_t>(code_.instructions.size() - 1);
        }
        resolve(body, order);
    }

    // Of each loop the block that a turn begins with: where it goes on, or where it asks whether to, if nothing is done
    // there.
    static std::unordered_set<std::uint32_t> turnsOf(const Body& body)
    {
        std::unordered_set<std::uint32_t> all;
        for (const Block& header : body.blocks) {
            const auto next = body.byLabel.find(header.next);
            if (header.next == 0 || next == body.byLabel.end()) continue;
            const Block& goesOn = body.blocks[next->second];
            bool acts = false;
            for (std::size_t i = goesOn.first; i < goesOn.end; ++i)
                acts = acts || doesSomething(body.code[i].words.opcode());
            const SpirvWords last = body.code[header.end - 1].words;
            if (acts)
                all.insert(header.next);
            else if (last.opcode() == spv::OpBranch)
                all.insert(last[1]);
        }
        return all;
    }

    // Cells of what an instruction makes.
    void declare(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        if (made.id == 0 || made.type == 0) return;
        if (words.opcode() == spv::OpVariable) {
            const Type& pointer = declarations_.type(made.type);
            const std::uint32_t cell = define(made.id, made.type);
            if (pointer.form != Form::pointer) return;
            const Type& what = declarations_.type(pointer.element);
            const std::uint32_t first = declarations_.allocate(what.cells);
            code_.frame[cell] = 1;
            code_.frame[cell + 1] = first;
            Variable variable;
            variable.id = made.id;
            variable.type = pointer.element;
            variable.name = declarations_.name(made.id);
            variable.first = first;
            variable.pointer = cell;
            PointerFacts& facts = declarations_.facts(made.id);
            facts.variable = static_cast<std::uint32_t>(code_.variables.size());
            facts.path = variable.name;
            code_.variableOf[made.id] = facts.variable;
            code_.variables.push_back(std::move(variable));
            code_.functions[current_].variables.emplace_back(first, what.cells);
            return;
        }
        const std::uint32_t cell = define(made.id, made.type);
        if (words.opcode() == spv::OpUndef)
            std::fill_n(code_.marks.begin() + cell, declarations_.type(made.type).cells, Mark{mark::unset | mark::own});
    }

    void phis(const Body& body, Block& block)
    {
        for (std::size_t i = block.first; i < block.end; ++i) {
            const SpirvWords words = body.code[i].words;
            if (words.opcode() != spv::OpPhi) continue;
            const Meaning& made = declarations_.of(words[2]);
            const std::uint32_t cells = declarations_.type(made.type).cells;
            for (std::size_t k = 3; k + 1 < words.size(); k += 2) {
                const Meaning& from = declarations_.meaning(words[k]);
                if (from.kind != Meaning::Kind::value) continue;  // of a block that nobody comes from
                if (from.type != made.type)
                    throw KernelError("this SPIR-V cannot be emulated: an OpPhi has values of other types");
                if (cells > 0) block.moves[words[k + 1]].push_back({made.cell, from.cell, cells});
            }
        }
    }

    void push(const Instruction& one)
    {
        code_.instructions.push_back(one);
        code_.places.push_back(place_);
        code_.functionOf.push_back(current_);
    }

    // what: with the instruction's name, as the end of a sentence.
    void unknown(const std::string& what)
    {
        Instruction one;
        one.op = op::unknown;
        one.a = static_cast<std::uint32_t>(code_.unknown.size());
        code_.unknown.push_back(what);
        push(one);
    }
    void unknown(SpirvWords words, const char* what = "")
    {
        const std::string place = place_.line == 0 ? fmt::format(" at word {}", words.at()) : "";
        unknown(fmt::format("{}{}{}, which the emulator does not know", opcodeName(words.opcode()), place, what));
    }

    // An edge to a block, whose instruction is known later.
    std::uint32_t edgeTo(std::uint32_t label)
    {
        pending_.push_back({static_cast<std::uint32_t>(code_.edges.size()), label, block_,
                            static_cast<std::uint32_t>(code_.instructions.size())});
        code_.edges.emplace_back();
        return pending_.back().edge;
    }

    void resolve(Body& body, const std::vector<std::size_t>& order)
    {
        std::unordered_map<std::uint32_t, std::uint32_t> headers;  // first instruction -> loop
        const auto end = static_cast<std::uint32_t>(code_.instructions.size());
        for (const std::size_t at : order) {
            const Block& block = body.blocks[at];
            const auto merge = body.byLabel.find(block.merge);
            if (block.next == 0 && merge != body.byLabel.end() && body.blocks[merge->second].begin != none)
                code_.meetingOf[block.last] = body.blocks[merge->second].begin;
            if (block.next == 0) continue;
            std::uint32_t stop = merge == body.byLabel.end() ? none : body.blocks[merge->second].begin;
            if (stop == none || stop <= block.begin) stop = end;
            headers[block.begin] = addLoop(block.begin, stop);
        }
        for (const Pending& one : pending_) {
            Edge& edge = code_.edges[one.edge];
            const auto found = body.byLabel.find(one.label);
            if (found == body.byLabel.end() || body.blocks[found->second].begin == none)
                throw KernelError("this SPIR-V cannot be emulated: a branch leads out of its function");
            const Block& target = body.blocks[found->second];
            edge.target = target.begin;
            edge.back = target.begin <= one.from;
            if (edge.back && !headers.count(target.begin)) headers[target.begin] = addLoop(target.begin, one.from + 1);
            edge.firstMove = static_cast<std::uint32_t>(code_.moves.size());
            const auto moves = target.moves.find(one.block);
            if (moves == target.moves.end()) continue;
            edge.moves = static_cast<std::uint32_t>(moves->second.size());
            if (code_.moves.size() + edge.moves > limits::pieces)
                throw KernelError("this SPIR-V cannot be emulated: its branches carry too many values");
            code_.moves.insert(code_.moves.end(), moves->second.begin(), moves->second.end());
            edge.parallel = edge.moves > 1;
        }
        for (const Pending& one : pending_) {
            Edge& edge = code_.edges[one.edge];
            if (const auto loop = headers.find(edge.target); loop != headers.end()) edge.loop = loop->second;
        }
    }

    std::uint32_t addLoop(std::uint32_t begin, std::uint32_t end)
    {
        Loop loop;
        loop.begin = begin;
        loop.end = end;
        loop.function = current_;
        code_.loops.push_back(loop);
        return static_cast<std::uint32_t>(code_.loops.size() - 1);
    }

    // Which loop each instruction is in.
    void loops()
    {
        std::vector<std::uint32_t> sorted(code_.loops.size());
        for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
        std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
            const Loop &x = code_.loops[a], &y = code_.loops[b];
            return std::pair(x.begin, y.end) < std::pair(y.begin, x.end);
        });
        code_.loopOf.assign(code_.instructions.size(), none);
        bool calledMeets = false, calledBarriers = false;
        for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
            if (code_.functionOf[at] == 0) continue;
            calledMeets = calledMeets || isOfSubgroup(code_.instructions[at].op);
            calledBarriers = calledBarriers || code_.instructions[at].op == op::groupBarrier;
        }
        std::vector<std::uint32_t> open;
        std::size_t next = 0;
        for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
            while (!open.empty() && code_.loops[open.back()].end <= at) open.pop_back();
            for (; next < sorted.size() && code_.loops[sorted[next]].begin == at; ++next) {
                code_.loops[sorted[next]].outer = open.empty() ? none : open.back();
                open.push_back(sorted[next]);
            }
            if (open.empty()) continue;
            code_.loopOf[at] = open.back();
            const Instruction& one = code_.instructions[at];
            const bool memory = (one.op == op::load && one.flags != static_cast<std::uint8_t>(Space::own)) ||
                                isAtomic(one.op) || one.op == spv::OpReadClockKHR || one.op == op::call;
            for (std::uint32_t loop = open.back(); memory && loop != none && !code_.loops[loop].looks;
                 loop = code_.loops[loop].outer)
                code_.loops[loop].looks = true;
            const bool calls = one.op == op::call;
            const bool meets = isOfSubgroup(one.op) || (calls && calledMeets);
            const bool barriers = one.op == op::groupBarrier || (calls && calledBarriers);
            for (std::uint32_t loop = open.back(); (meets || barriers) && loop != none;
                 loop = code_.loops[loop].outer) {
                code_.loops[loop].meets = code_.loops[loop].meets || meets;
                code_.loops[loop].barriers = code_.loops[loop].barriers || barriers;
            }
        }
    }

    static bool isOfSubgroup(std::uint16_t opcode)
    {
        return isSubgroupOperation(opcode) || opcode == spv::OpControlBarrier;
    }

    // True at the end of a block.
    bool instruction(const Body& body, SpirvWords words)
    {
        const spv::Op opcode = words.opcode();
        Instruction one;
        switch (opcode) {
            case spv::OpPhi:
            case spv::OpNop:
            case spv::OpUndef:
            case spv::OpSelectionMerge:
            case spv::OpLoopMerge:
                return false;
            case spv::OpVariable:
                if (words.size() > 4) {
                    const Meaning& from = declarations_.of(words[4]);
                    const Variable& variable = code_.variables[code_.variableOf.at(words[2])];
                    if (declarations_.type(from.type).cells != declarations_.type(variable.type).cells)
                        throw KernelError("this SPIR-V cannot be emulated: a variable begins with another type");
                    one.op = op::copy;
                    one.result = variable.first;
                    one.a = from.cell;
                    one.count = declarations_.type(from.type).cells;
                    push(one);
                }
                return false;
            case spv::OpBranch:
                one.op = op::branch;
                one.b = edgeTo(words[1]);
                push(one);
                return true;
            case spv::OpBranchConditional:
                one.op = op::branchIf;
                one.a = scalar(words[1]);
                one.b = edgeTo(words[2]);
                one.c = edgeTo(words[3]);
                push(one);
                return true;
            case spv::OpSwitch:
                branchOn(words);
                return true;
            case spv::OpReturn:
            case spv::OpReturnValue:
                one.op = op::leave;
                one.a = current_;
                if (opcode == spv::OpReturnValue) {
                    const Meaning& from = declarations_.of(words[1]);
                    if (from.type != body.returned)
                        throw KernelError("this SPIR-V cannot be emulated: a function returns another type");
                    one.b = from.cell;
                    one.count = declarations_.type(from.type).cells;
                }
                push(one);
                return true;
            case spv::OpKill:
            case spv::OpTerminateInvocation:
            case spv::OpUnreachable:
                one.op = op::end;
                push(one);
                return true;
            case spv::OpFunctionCall:
                call(words);
                return false;
            case spv::OpControlBarrier:
            case spv::OpMemoryBarrier:
                barrier(words);
                return false;
            case spv::OpExtInst:
                extended(words);
                return false;
            default:
                if (!memory(words) && !together(words)) calculate(words);
                return false;
        }
    }

    std::uint32_t scalar(std::uint32_t id)
    {
        const Meaning& meaning = declarations_.of(id);
        if (declarations_.type(meaning.type).cells != 1)
            throw KernelError(fmt::format("this SPIR-V cannot be emulated: id {} is no single number", id));
        return meaning.cell;
    }

    void branchOn(SpirvWords words)
    {
        Instruction one;
        one.op = op::branchOn;
        one.a = scalar(words[1]);
        const unsigned width = declarations_.typeOf(words[1]).bits;
        const std::size_t wide = width > 32 ? 2 : 1;
        one.result = edgeTo(words[2]);
        one.b = static_cast<std::uint32_t>(code_.literals.size());
        one.c = static_cast<std::uint32_t>(code_.edges.size());
        for (std::size_t i = 3; i + wide < words.size(); i += wide + 1) {
            const std::uint64_t literal = words[i] | (wide > 1 ? std::uint64_t{words[i + 1]} << 32 : 0);
            code_.literals.push_back(literal & lowBits(width));
            edgeTo(words[i + wide]);
            ++one.count;
        }
        push(one);
    }

    void call(SpirvWords words)
    {
        const std::uint32_t called = functionOf(words[3]);
        const Function function = code_.functions[called];
        const SpirvWords given = words.from(4);
        Instruction one;
        for (std::size_t i = 0; i < given.size() && i < function.parameters.size(); ++i) {
            const Meaning& from = declarations_.of(given[i]);
            one = {};
            one.op = op::copy;
            one.result = function.parameters[i];
            one.a = from.cell;
            one.count = function.parameterCells[i];
            if (declarations_.type(from.type).cells != one.count)
                throw KernelError("this SPIR-V cannot be emulated: a call passes another type");
            if (one.count > 0) push(one);
        }
        one = {};
        one.op = op::call;
        one.a = function.returnCell;
        one.c = called;
        calls_.push_back(static_cast<std::uint32_t>(code_.instructions.size()));
        push(one);
        if (function.returnedCells == 0) {
            if (observed_.lines) pushLine(lineAgain);
            return;
        }
        one = {};
        one.op = op::copy;
        one.result = declarations_.of(words[2]).cell;
        one.a = function.returned;
        one.count = function.returnedCells;
        push(one);
        if (observed_.lines) pushLine(lineAgain);
    }

    // Names may mean several variables of a function, each in a block of its own.
    void noteUses()
    {
        std::unordered_map<std::uint32_t, Variable*> byPointer;
        for (Variable& one : code_.variables)
            if (one.pointer != none) byPointer[one.pointer] = &one;
        for (std::uint32_t at = 0; at < code_.instructions.size(); ++at) {
            const Instruction& one = code_.instructions[at];
            const bool uses = one.op == op::load || one.op == op::store || one.op == op::chain || one.op == op::copy;
            const auto found = uses ? byPointer.find(one.a) : byPointer.end();
            if (found == byPointer.end()) continue;
            found->second->firstUse = std::min(found->second->firstUse, at);
            found->second->lastUse = std::max(found->second->lastUse, at);
        }
    }

    void pushLine(std::uint8_t kind)
    {
        Instruction one;
        one.op = op::line;
        one.flags = kind;
        push(one);
    }

    void barrier(SpirvWords words)
    {
        const bool control = words.opcode() == spv::OpControlBarrier;
        const auto execution = declarations_.constant(words[1]);
        const auto scope = declarations_.constant(words[control ? 2 : 1]);
        const auto semantics = declarations_.constant(words[control ? 3 : 2]);
        const bool known = execution && scope && semantics &&
                           (!control || execution == spv::ScopeWorkgroup || execution == spv::ScopeSubgroup);
        if (!known) return unknown(words, " of a scope");
        Instruction one;
        one.a = static_cast<std::uint32_t>(*scope);
        one.b = static_cast<std::uint32_t>(*semantics);
        one.op = static_cast<std::uint16_t>(words.opcode());
        const Semantics orders = semanticsOf(one.a, one.b);
        if (control && execution == spv::ScopeWorkgroup) {
            one.op = op::groupBarrier;
            code_.groupBarriers = true;
            const KeptMask both = orders.releases & orders.acquires;
            if (orders.reach < Reach::group || !(both & maskOf(Kept::shared))) code_.weakBarriers = true;
        }
        if (!control) code_.synchronises = true;
        if (one.op != op::groupBarrier || orders.reach < Reach::group || orders.releases != orders.acquires ||
            orders.releases == 0)
            code_.finelyOrdered = allKept;
        push(one);
    }

    void extended(SpirvWords words)
    {
        if (declarations_.isSilent(words[3])) {
            if (observed_.prints && declarations_.isPrint(words)) print(words);
            return;
        }
        if (!declarations_.isGlsl(words[3]))
            return unknown(fmt::format("instruction {} of the set {}, which the emulator does not know", words[4],
                                       declarations_.name(words[3])));
        if (!knowsGlsl(words[4]))
            return unknown(fmt::format("{} of GLSL.std.450, which the emulator does not know", glslName(words[4])));
        const bool splits = words[4] == GLSLstd450Modf || words[4] == GLSLstd450Frexp;
        if (splits) return split(words);
        const Meaning& made = declarations_.of(words[2]);
        const Type& type = declarations_.type(made.type);
        const SpirvWords operands = words.from(5);
        Instruction one;
        one.op = op::glsl;
        one.flags = static_cast<std::uint8_t>(words[4]);
        one.result = made.cell;
        const Meaning& first = declarations_.of(operands[0]);
        const Type& given = declarations_.type(first.type);
        one.count = given.cells;
        one.width = static_cast<std::uint8_t>(declarations_.type(given.scalar).bits);
        if (one.width == 0) throw KernelError("this SPIR-V cannot be emulated: a function of GLSL takes no numbers");
        one.a = first.cell;
        one.b = operands.size() > 1 ? declarations_.of(operands[1]).cell : one.a;
        one.c = operands.size() > 2 ? declarations_.of(operands[2]).cell : one.a;
        const std::uint32_t cells = glslOperands(words[4], type, given);
        bool fits = cells > 0 && operands.size() >= cells && operands.size() <= 3;
        for (std::size_t i = 1; i < operands.size() && fits; ++i) {
            const Type& other = declarations_.typeOf(operands[i]);
            const bool eta = words[4] == GLSLstd450Refract && i == 2;
            fits =
                other.cells == (eta ? 1 : given.cells) && (!eta || declarations_.type(other.scalar).bits == one.width);
        }
        if (!fits) throw KernelError(placeOf(words) + " cannot be emulated: it takes other numbers");
        push(one);
    }

    // Its values are not checked beforehand: they may be anything.
    void print(SpirvWords words)
    {
        std::vector<PrintArgument> arguments;
        for (const std::uint32_t id : words.from(6)) {
            const Meaning& meaning = declarations_.of(id);
            const Type& type = declarations_.type(meaning.type);
            const Type& number = type.form == Form::vector ? declarations_.type(type.element) : type;
            arguments.push_back({meaning.cell, type.cells, number.form, number.bits, number.isSigned});
        }
        Instruction one;
        one.op = op::print;
        one.a = static_cast<std::uint32_t>(code_.prints.size());
        code_.prints.push_back(std::make_shared<Print>(printOf(declarations_.text(words[5]), arguments)));
        push(one);
    }

    // modf() and frexp() of old: one part of the result goes where a pointer leads.
    void split(SpirvWords words)
    {
        const Meaning made = declarations_.of(words[2]), given = declarations_.of(words[5]);
        const Type& type = declarations_.type(given.type);
        const auto access = accessOf(words[6], false);
        if (!access || code_.accesses[*access].cells != type.cells) return unknown(words, " of a type");
        if (declarations_.type(made.type).cells != type.cells || declarations_.type(type.scalar).form != Form::real)
            throw KernelError(placeOf(words) + " cannot be emulated: it takes other numbers");
        Instruction one;
        one.op = op::glsl;
        one.flags = words[4] == GLSLstd450Modf ? GLSLstd450ModfStruct : GLSLstd450FrexpStruct;
        one.count = type.cells;
        one.width = static_cast<std::uint8_t>(declarations_.type(type.scalar).bits);
        one.result = declarations_.allocate(2 * std::uint64_t{type.cells});
        one.a = one.b = one.c = given.cell;
        push(one);
        const std::uint32_t both = one.result;
        one = {};
        one.op = op::copy;
        one.result = made.cell;
        one.a = both;
        one.count = type.cells;
        push(one);
        moveMemory(false, words[6], *access, both + type.cells);
    }

    // How many operands the instruction must have; 0: its types do not go with it.
    static std::uint32_t glslOperands(std::uint32_t instruction, const Type& made, const Type& given)
    {
        enum : std::uint32_t {
            pow = 26,
            atan2 = 25,
            fMin = 37,
            sMax = 42,
            fClamp = 43,
            sClamp = 45,
            mix = 46,
            step = 48,
            smoothStep = 49,
            fma = 50,
            frexpStruct = 52,
            modfStruct = 36,
            ldexp = 53,
            pack = 54,
            packDouble = 59,
            unpack = 60,
            unpackDouble = 65,
            length = 66,
            distance = 67,
            cross = 68,
            normalize = 69,
            faceForward = 70,
            reflect = 71,
            nMin = 79,
            nMax = 80,
            nClamp = 81
        };
        if (instruction >= pack && instruction <= packDouble) {
            const std::uint32_t parts = instruction <= pack + 1 ? 4 : 2;
            return made.cells == 1 && given.cells == parts ? 1 : 0;
        }
        if (instruction >= unpack && instruction <= unpackDouble) {
            static constexpr std::array<std::uint32_t, 6> parts = {2, 2, 2, 4, 4, 2};
            return given.cells == 1 && made.cells == parts.at(instruction - unpack) ? 1 : 0;
        }
        if (instruction == frexpStruct || instruction == modfStruct) return made.cells == 2 * given.cells ? 1 : 0;
        if (instruction == GLSLstd450Determinant) return isSquare(given) && made.cells == 1 ? 1 : 0;
        if (instruction == GLSLstd450MatrixInverse) return isSquare(given) && made.cells == given.cells ? 1 : 0;
        if (instruction == length) return made.cells == 1 ? 1 : 0;
        if (instruction == distance) return made.cells == 1 ? 2 : 0;
        if (instruction == cross) return made.cells == 3 && given.cells == 3 ? 2 : 0;
        if (made.cells != given.cells) return 0;
        const bool three = (instruction >= fClamp && instruction <= sClamp) || instruction == mix ||
                           instruction == smoothStep || instruction == fma || instruction == faceForward ||
                           instruction == nClamp || instruction == GLSLstd450Refract;
        const bool two = instruction == pow || instruction == atan2 || (instruction >= fMin && instruction <= sMax) ||
                         instruction == step || instruction == ldexp || instruction == reflect || instruction == nMin ||
                         instruction == nMax;
        return three ? 3 : two ? 2 : 1;
    }

    static bool isSquare(const Type& type)
    {
        return type.form == Form::matrix && type.count <= 4 && type.count * type.count == type.cells;
    }

    // After what gives a number that mediump or lowp was asked for.
    void relax(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        if (made.id == 0 || made.type == 0 || !declarations_.isRelaxed(made.id)) return;
        const Type& type = declarations_.type(made.type);
        if (type.form != Form::number && type.form != Form::real && type.form != Form::vector) return;
        const Type& scalar = declarations_.type(type.form == Form::vector ? type.scalar : made.type);
        if (scalar.bits != 32) return;
        Instruction one;
        one.op = op::relaxed;
        one.width = 32;
        one.flags = scalar.form == Form::real ? relaxedReal : scalar.isSigned ? relaxedSigned : relaxedUnsigned;
        one.result = one.a = declarations_.of(made.id).cell;
        one.count = type.cells;
        push(one);
    }

    void calculate(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        std::vector<Instruction> out;
        if (made.id == 0 || made.type == 0) return unknown(words);
        const Meaning meaning = declarations_.of(made.id);
        if (!declarations_.calculation(words.opcode(), made.type, meaning.cell, words.from(3), out))
            return unknown(words);
        if (words.opcode() == spv::OpCopyObject || words.opcode() == spv::OpSelect) {
            const std::uint32_t from = words[words.opcode() == spv::OpSelect ? 4 : 3];
            if (declarations_.type(made.type).form == Form::pointer)
                declarations_.facts(made.id) = declarations_.facts(from);
        }
        for (const Instruction& one : out) push(one);
    }

    // Loads, stores, pointers and atomics; false: it is none of them.
    bool memory(SpirvWords words)
    {
        const spv::Op opcode = words.opcode();
        Instruction one;
        switch (opcode) {
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
                chain(words);
                return true;
            case spv::OpLoad:
            case spv::OpStore: {
                const bool loads = opcode == spv::OpLoad;
                const std::uint32_t pointer = words[loads ? 3 : 1];
                const Meaning& value = declarations_.of(words[2]);
                const std::uint32_t mask = words.size() > (loads ? 4U : 3U) ? words[loads ? 4 : 3] : 0;
                const auto access = accessOf(pointer, mask, madeCoherent(words.from(loads ? 4 : 3), loads));
                if ((mask & spv::MemoryAccessNonPrivatePointerMask) != 0) code_.hasNonPrivate = true;
                if (!access || code_.accesses[*access].cells != declarations_.type(value.type).cells) {
                    unknown(words, " of a type");
                    return true;
                }
                moveMemory(loads, pointer, *access, value.cell);
                return true;
            }
            case spv::OpCopyMemory: {
                // One mask is about both; of two the first is the target's.
                const std::uint32_t mask = words.size() > 3 ? words[3] : 0;
                const auto to = accessOf(words[1], mask, madeCoherent(words.from(3), false));
                const auto from = accessOf(words[2], mask, madeCoherent(words.from(3), true));
                if (!to || !from || code_.accesses[*to].cells != code_.accesses[*from].cells) {
                    unknown(words, " of a type");
                    return true;
                }
                const std::uint32_t between = declarations_.allocate(code_.accesses[*from].cells);
                moveMemory(true, words[2], *from, between);
                moveMemory(false, words[1], *to, between);
                return true;
            }
            case spv::OpArrayLength: {
                const Meaning& pointer = declarations_.of(words[3]);
                const Type& block = declarations_.type(declarations_.type(pointer.type).element);
                if (block.form != Form::structure || words[4] >= block.members.size()) {
                    unknown(words);
                    return true;
                }
                const Member& member = block.members[words[4]];
                one.op = op::arrayLength;
                one.result = declarations_.of(words[2]).cell;
                one.a = pointer.cell;
                one.b = std::max<std::uint32_t>(1, declarations_.type(member.type).stride);
                one.c = static_cast<std::uint32_t>(member.offset);
                push(one);
                return true;
            }
            case spv::OpReadClockKHR: {
                const Meaning& made = declarations_.of(words[2]);
                const Type& type = declarations_.type(made.type);
                one.op = static_cast<std::uint16_t>(opcode);
                one.result = made.cell;
                one.count = type.cells;
                const unsigned bits = declarations_.type(type.scalar).bits;
                if (type.cells > 2 || bits * type.cells != 64)
                    unknown(words, " of a type");
                else
                    push(one);
                return true;
            }
            case spv::OpAssumeTrueKHR:
                return true;
            default:
                if (!isAtomic(static_cast<std::uint16_t>(opcode))) return false;
                atomic(words);
                return true;
        }
    }

    void moveMemory(bool loads, std::uint32_t pointer, std::uint32_t access, std::uint32_t cell)
    {
        Instruction one;
        one.op = loads ? op::load : op::store;
        one.flags = static_cast<std::uint8_t>(code_.accesses[access].space);
        one.count = code_.accesses[access].cells;
        one.a = declarations_.of(pointer).cell;
        one.b = access;
        one.result = cell;
        if (!loads) noteWritten(pointer);
        push(one);
    }

    void noteWritten(std::uint32_t pointer)
    {
        const std::uint32_t variable = declarations_.facts(pointer).variable;
        if (variable != none) {
            code_.variables[variable].written = true;
            return;
        }
        for (Variable& each : code_.variables) each.written = true;
    }

    void chain(SpirvWords words)
    {
        const Meaning made = declarations_.of(words[2]), base = declarations_.of(words[3]);
        const Type& pointer = declarations_.type(base.type);
        PointerFacts facts = declarations_.facts(words[3]);
        const Space space = spaceOfPointer(base.type);
        const bool bytes = space == Space::buffer || space == Space::push;
        const Type* type = &declarations_.type(pointer.element);
        Chain chain;
        chain.firstStep = static_cast<std::uint32_t>(code_.steps.size());
        bool descriptors = bytes && facts.variable != none && words[3] == code_.variables[facts.variable].id &&
                           (type->form == Form::array || type->form == Form::endless);
        for (const std::uint32_t index : words.from(4)) {
            if (type->form == Form::structure) {
                const auto number = declarations_.constant(index);
                if (!number || *number >= type->members.size()) return unknown(words);
                const Member& member = type->members[static_cast<std::size_t>(*number)];
                chain.constant += bytes ? member.offset : member.cell;
                if (!facts.path.empty()) facts.path += ".";
                facts.path += member.name;
                facts.coherent = facts.coherent || member.coherent;
                facts.readOnly = facts.readOnly || member.readOnly;
                facts.matrixStride = member.matrixStride;
                facts.rowMajor = member.rowMajor;
                facts.componentStride = 0;
                type = &declarations_.type(member.type);
                continue;
            }
            const Type& element = declarations_.type(type->element);
            Step step;
            step.cell = scalar(index);
            const Type& number = declarations_.typeOf(index);
            step.width = static_cast<std::uint8_t>(number.bits);
            step.isSigned = number.isSigned;
            step.length = type->count;
            step.stride = bytes ? strideOf(*type, element, facts) : element.cells;
            step.descriptor = std::exchange(descriptors, false);
            if (step.descriptor && step.length == 0) step.length = code_.variables[facts.variable].count;
            step.name = static_cast<std::uint32_t>(code_.names.size());
            code_.names.push_back(facts.path);
            facts.path += "[]";
            const auto known = declarations_.constant(index);
            const bool fits = known && signedOf(*known, step.width) >= 0 &&
                              (*known < step.length || (step.length == 0 && *known < limits::stride));
            if (fits && !step.descriptor)
                chain.constant += *known * step.stride;
            else
                code_.steps.push_back(step);
            type = &element;
        }
        chain.steps = static_cast<std::uint32_t>(code_.steps.size()) - chain.firstStep;
        if (chain.constant > limits::farthest)
            throw KernelError("this SPIR-V cannot be emulated: a part of a buffer lies too far from its beginning");
        const Type& result = declarations_.type(made.type);
        if (result.form != Form::pointer || &declarations_.type(result.element) != type ||
            spaceOfPointer(made.type) != space)
            throw KernelError("this SPIR-V cannot be emulated: a pointer leads to another type");
        declarations_.facts(words[2]) = facts;
        Instruction one;
        one.op = op::chain;
        one.result = made.cell;
        one.a = base.cell;
        one.b = static_cast<std::uint32_t>(code_.chains.size());
        code_.chains.push_back(chain);
        push(one);
    }

    // Bytes from element to element of what has a layout.
    std::uint64_t strideOf(const Type& whole, const Type& element, PointerFacts& facts) const
    {
        const std::uint64_t scalarBytes = declarations_.type(element.scalar).bits / 8;
        switch (whole.form) {
            case Form::array:
            case Form::endless:
                return whole.stride;
            case Form::matrix:
                facts.componentStride = facts.rowMajor ? facts.matrixStride : 0;
                return facts.rowMajor ? scalarBytes : facts.matrixStride;
            default:
                return facts.componentStride != 0 ? facts.componentStride : scalarBytes;
        }
    }

    Space spaceOfPointer(std::uint32_t type) const { return spaceOf(declarations_.type(type).storage); }

    // What memory operands say about how far a use is made visible (it loads) or available.
    Reach madeCoherent(SpirvWords operands, bool loads) const
    {
        const std::uint32_t available = spv::MemoryAccessMakePointerAvailableMask,
                            visible = spv::MemoryAccessMakePointerVisibleMask,
                            mask = operands.size() > 0 ? operands[0] : 0;
        if (!code_.vulkanModel) return Reach::device;
        if ((mask & (loads ? visible : available)) == 0) return Reach::invocation;
        std::size_t at = 1;
        if ((mask & spv::MemoryAccessAlignedMask) != 0) ++at;
        if (loads && (mask & available) != 0) ++at;
        const auto scope = declarations_.constant(operands[at]);
        return scope ? reachOf(static_cast<std::uint32_t>(*scope)) : Reach::device;
    }

    // Empty: of a type that has no layout here.
    std::optional<std::uint32_t> accessOf(std::uint32_t pointer, std::uint32_t mask, Reach reach = Reach::device)
    {
        const Meaning& meaning = declarations_.of(pointer);
        const Type& type = declarations_.type(meaning.type);
        if (type.form != Form::pointer) return {};
        switch (type.storage) {
            case spv::StorageClassFunction:
            case spv::StorageClassPrivate:
            case spv::StorageClassInput:
            case spv::StorageClassOutput:
            case spv::StorageClassWorkgroup:
            case spv::StorageClassStorageBuffer:
            case spv::StorageClassUniform:
            case spv::StorageClassPushConstant:
                break;
            default:
                return {};
        }
        const PointerFacts& facts = declarations_.facts(pointer);
        const Type& what = declarations_.type(type.element);
        if (what.cells == 0 || what.cells > limits::frameCells) return {};
        Access access;
        access.space = spaceOfPointer(meaning.type);
        access.variable = facts.variable;
        access.cells = what.cells;
        const bool isVolatile = (mask & spv::MemoryAccessVolatileMask) != 0;
        access.coherent = !code_.vulkanModel && (isVolatile || facts.coherent);
        access.isPrivate = code_.vulkanModel && (mask & spv::MemoryAccessNonPrivatePointerMask) == 0;
        access.reach = static_cast<std::uint8_t>(reach);
        access.readOnly = facts.readOnly;
        access.first = static_cast<std::uint32_t>(code_.pieces.size());
        if (access.space == Space::buffer || access.space == Space::push) {
            if (!pieces(what, facts, 0)) return {};
            access.pieces = static_cast<std::uint32_t>(code_.pieces.size()) - access.first;
            access.plain = true;
            for (std::uint32_t i = 0; i < access.pieces; ++i) {
                const Piece& piece = code_.pieces[access.first + i];
                access.bytes = std::max<std::uint64_t>(access.bytes, piece.offset + piece.width / 8);
                access.plain = access.plain && piece.width == 32 && piece.offset == std::uint64_t{i} * 4;
            }
        }
        code_.accesses.push_back(access);
        return static_cast<std::uint32_t>(code_.accesses.size() - 1);
    }

    bool pieces(const Type& type, PointerFacts facts, std::uint64_t offset)
    {
        if (offset > limits::farthest) return false;
        switch (type.form) {
            case Form::number:
            case Form::real:
                if (code_.pieces.size() >= limits::pieces)
                    throw KernelError("this SPIR-V cannot be emulated: it loads and stores too large values");
                code_.pieces.push_back({offset, type.bits});
                return true;
            case Form::structure:
                for (const Member& member : type.members) {
                    PointerFacts inside = facts;
                    inside.matrixStride = member.matrixStride;
                    inside.rowMajor = member.rowMajor;
                    inside.componentStride = 0;
                    if (!pieces(declarations_.type(member.type), inside, offset + member.offset)) return false;
                }
                return true;
            case Form::vector:
            case Form::matrix:
            case Form::array: {
                const Type& element = declarations_.type(type.element);
                const std::uint64_t stride = strideOf(type, element, facts);
                for (std::uint32_t i = 0; i < type.count; ++i)
                    if (!pieces(element, facts, offset + i * stride)) return false;
                return true;
            }
            default:
                return false;
        }
    }

    // Every id that an instruction has besides its result. Literals count as ids, too: what only seems to be used is
    // never late.
    void noteUsed(SpirvWords words)
    {
        const std::uint32_t made = resultOf(words).id;
        for (std::size_t i = 1; i < words.size(); ++i)
            if (words[i] != made) used_.insert(words[i]);
    }

    // Whether an atomic with this operand changes nothing; of one that compares nobody knows.
    bool isNeutral(spv::Op opcode, SpirvWords words)
    {
        const auto given = words.size() > 6 ? declarations_.constant(words[6]) : std::nullopt;
        switch (opcode) {
            case spv::OpAtomicLoad:
            case spv::OpAtomicCompareExchange:
            case spv::OpAtomicCompareExchangeWeak:
                return true;
            case spv::OpAtomicIAdd:
            case spv::OpAtomicISub:
            case spv::OpAtomicOr:
            case spv::OpAtomicXor:
            case spv::OpAtomicUMax:
                return given && *given == 0;
            case spv::OpAtomicSMin:
            case spv::OpAtomicSMax:
            case spv::OpAtomicUMin:
            case spv::OpAtomicAnd:
                return given.has_value();
            default:
                return false;
        }
    }

    void atomic(SpirvWords words)
    {
        const spv::Op opcode = words.opcode();
        const bool stores = opcode == spv::OpAtomicStore;
        const std::uint32_t pointer = words[stores ? 1 : 3];
        const std::size_t at = stores ? 2 : 4;
        const auto scope = declarations_.constant(words[at]), semantics = declarations_.constant(words[at + 1]);
        const auto access = accessOf(pointer, spv::MemoryAccessNonPrivatePointerMask);
        const Type& pointed = declarations_.type(declarations_.typeOf(pointer).element);
        const bool ofReal =
            opcode == spv::OpAtomicFAddEXT || opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
        const bool number = pointed.form == Form::number && pointed.bits >= 32 && !ofReal;
        const bool real = pointed.form == Form::real &&
                          (opcode == spv::OpAtomicLoad || stores || opcode == spv::OpAtomicExchange || ofReal);
        const bool others = access && (code_.accesses[*access].space == Space::shared ||
                                       code_.accesses[*access].space == Space::buffer);
        if (!others || !scope || !semantics || (!number && !real)) return unknown(words);
        Atomic about;
        about.scope = static_cast<std::uint32_t>(*scope);
        about.semantics = static_cast<std::uint32_t>(*semantics);
        about.access = *access;
        about.isUsed = !stores && used_.count(words[2]) != 0;
        about.isNeutral = isNeutral(opcode, words);
        const Semantics orders = semanticsOf(about.scope, about.semantics);
        code_.finelyOrdered = static_cast<KeptMask>(code_.finelyOrdered | orders.releases | orders.acquires);
        Instruction one;
        one.op = static_cast<std::uint16_t>(opcode);
        one.flags = static_cast<std::uint8_t>(code_.accesses[*access].space);
        one.width = static_cast<std::uint8_t>(pointed.bits);
        one.a = declarations_.of(pointer).cell;
        if (!stores) one.result = scalar(words[2]);
        switch (opcode) {
            case spv::OpAtomicLoad:
            case spv::OpAtomicIIncrement:
            case spv::OpAtomicIDecrement:
                break;
            case spv::OpAtomicStore:
                one.b = scalar(words[4]);
                break;
            case spv::OpAtomicCompareExchange:
            case spv::OpAtomicCompareExchangeWeak:
                one.b = scalar(words[7]);
                about.comparator = scalar(words[8]);
                break;
            default:
                one.b = scalar(words[6]);
        }
        if (opcode != spv::OpAtomicLoad) noteWritten(pointer);
        one.count = static_cast<std::uint32_t>(code_.atomics.size());
        code_.atomics.push_back(about);
        code_.synchronises = true;
        push(one);
    }

    // What a subgroup does as one; false: it is none of that.
    bool together(SpirvWords words)
    {
        const bool rotates = words.opcode() == spv::OpGroupNonUniformRotateKHR;
        const bool parts = words.opcode() == spv::OpGroupNonUniformPartitionNV;
        const bool scoped = isGroupOperation(words.opcode()) || rotates;
        const spv::Op opcode = scoped || parts ? words.opcode() : laterName(words.opcode());
        if (opcode == spv::OpNop) return false;
        if (scoped && declarations_.constant(words[3]) != spv::ScopeSubgroup) {
            unknown(words, " of a scope");
            return true;
        }
        const Meaning made = declarations_.of(words[2]);
        const Type& type = declarations_.type(made.type);
        Instruction one;
        one.op = static_cast<std::uint16_t>(opcode);
        one.result = made.cell;
        one.count = type.cells;
        const auto refuse = [&] { throw KernelError(placeOf(words) + " cannot be emulated: it takes another type"); };
        const auto value = [&](std::size_t at, std::uint32_t cells) {
            const Meaning& meaning = declarations_.of(words[scoped ? at : at - 1]);
            const Type& given = declarations_.type(meaning.type);
            if (given.cells != cells || given.form == Form::pointer) refuse();
            one.width = static_cast<std::uint8_t>(declarations_.type(given.scalar).bits);
            if (one.width == 0) refuse();
            return meaning.cell;
        };
        const auto oneCell = [&] {
            if (type.cells != 1) refuse();
        };
        switch (opcode) {
            case spv::OpGroupNonUniformElect:
                oneCell();
                break;
            case spv::OpGroupNonUniformAll:
            case spv::OpGroupNonUniformAny:
                oneCell();
                one.a = value(4, 1);
                break;
            case spv::OpGroupNonUniformAllEqual:
                oneCell();
                one.count = declarations_.typeOf(words[scoped ? 4 : 3]).cells;
                one.a = value(4, one.count);
                break;
            case spv::OpGroupNonUniformPartitionNV:
                if (type.cells != 4) refuse();
                one.count = declarations_.typeOf(words[3]).cells;
                one.a = value(4, one.count);
                break;
            case spv::OpGroupNonUniformRotateKHR:
                one.b = value(5, 1);
                one.a = value(4, type.cells);
                if (words.size() > 6) {
                    const auto cluster = declarations_.constant(words[6]);
                    if (!cluster || !std::has_single_bit(*cluster)) refuse();
                    one.c = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cluster, limits::invocations));
                }
                break;
            case spv::OpGroupNonUniformBallot:
                if (type.cells != 4) refuse();
                one.a = value(4, 1);
                break;
            case spv::OpGroupNonUniformInverseBallot:
            case spv::OpGroupNonUniformBallotFindLSB:
            case spv::OpGroupNonUniformBallotFindMSB:
                oneCell();
                one.a = value(4, 4);
                break;
            case spv::OpGroupNonUniformBallotBitExtract:
                oneCell();
                one.b = value(5, 1);
                one.a = value(4, 4);
                break;
            case spv::OpGroupNonUniformBallotBitCount:
                oneCell();
                one.flags = static_cast<std::uint8_t>(std::min<std::uint32_t>(words[4], UINT8_MAX));
                one.a = value(5, 4);
                break;
            case spv::OpGroupNonUniformBroadcastFirst:
                one.a = value(4, type.cells);
                break;
            case spv::OpGroupNonUniformBroadcast:
            case spv::OpGroupNonUniformShuffle:
            case spv::OpGroupNonUniformShuffleXor:
            case spv::OpGroupNonUniformShuffleUp:
            case spv::OpGroupNonUniformShuffleDown:
            case spv::OpGroupNonUniformQuadBroadcast:
            case spv::OpGroupNonUniformQuadSwap:
                one.b = value(5, 1);
                one.a = value(4, type.cells);
                break;
            default: {
                one.flags = static_cast<std::uint8_t>(std::min<std::uint32_t>(words[4], UINT8_MAX));
                one.a = value(5, type.cells);
                if (one.flags >= spv::GroupOperationPartitionedReduceNV &&
                    one.flags <= spv::GroupOperationPartitionedExclusiveScanNV) {
                    const unsigned width = one.width;
                    one.c = value(6, 4);
                    one.width = static_cast<std::uint8_t>(width);
                } else if (one.flags > spv::GroupOperationClusteredReduce) {
                    unknown(words, " of a kind");
                    return true;
                }
                if (one.flags == spv::GroupOperationClusteredReduce) {
                    const auto cluster = declarations_.constant(words[6]);
                    if (!cluster || *cluster == 0) refuse();
                    one.c = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cluster, limits::invocations));
                }
            }
        }
        push(one);
        return true;
    }

    struct Pending {
        std::uint32_t edge, label, block, from;
    };

    Code code_;
    Declarations declarations_;
    Observed observed_;
    std::map<std::uint32_t, Body> bodies_;
    std::unordered_map<std::uint32_t, std::uint32_t> functions_, parameterTypes_;
    std::unordered_set<std::uint32_t> used_;  // ids that instructions of functions have as operands
    std::vector<std::uint32_t> calls_;
    std::vector<Pending> pending_;
    Place place_;
    std::uint32_t current_ = 0, block_ = 0;
};

}  // namespace

Code decode(const SpirvModule& module, const Specialisation& given, const Observed& observed)
{
    return Decoder(module, given, observed).run();
}

}  // namespace a2::emulator
