#include "spirv/EmulatorDecode.h"

#include "a2/Error.h"
#include "spirv/EmulatorDecodeBodies.h"
#include "spirv/EmulatorDecodeExtended.h"
#include "spirv/EmulatorDecodeFacts.h"
#include "spirv/EmulatorDecodeMemory.h"
#include "spirv/EmulatorDecodeSubgroup.h"
#include "spirv/EmulatorHandlers.h"
#include "spirv/SpirvGrammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

// Functions, their blocks and the branches between them; other decoders handle the instructions in a block.
class Decoder {
public:
    Decoder(const SpirvModule& module, const Specialisation& given, const Observed& observed)
        : module_(module), observed_(observed), out_(module, given), bodies_(readBodies(module, out_.declarations))
    {
    }

    Code run()
    {
        out_.declarations.finish();
        functionOf(out_.declarations.mainFunction());
        for (std::size_t i = 0; i < out_.code.functions.size(); ++i) function(static_cast<std::uint32_t>(i));
        for (auto& instruction : calls_) {
            const Function& called = out_.code.functions[out_.code.instructions[instruction].c];
            out_.code.instructions[instruction].b = called.entry;
        }
        chooseHandlers(out_.code);
        noteLoops(out_.code);
        if (observed_.lines) noteUses(out_.code);
        const std::uint64_t all = std::uint64_t{out_.code.frame.size()} * out_.code.invocations;
        if (all > limits::groupCells)
            throw KernelError(
                fmt::format("this SPIR-V cannot be emulated: a work-group's invocations have {} numbers", all));
        return std::move(out_.code);
    }

private:
    std::uint32_t functionOf(std::uint32_t id)
    {
        const auto [found, isNew] = functions_.try_emplace(id, static_cast<std::uint32_t>(out_.code.functions.size()));
        if (!isNew) return found->second;
        const auto body = bodies_.functions.find(id);
        if (body == bodies_.functions.end())
            throw KernelError("this SPIR-V cannot be emulated: a function has no body");
        Function made;
        made.id = id;
        made.name = out_.declarations.name(id);
        made.returnCell = out_.declarations.allocate(1);
        for (const std::uint32_t parameter : body->second.parameters) {
            made.parameters.push_back(out_.define(parameter, bodies_.parameterTypes[parameter]));
            made.parameterCells.push_back(out_.declarations.typeOf(parameter).cells);
            made.parameterNames.push_back(
                {out_.declarations.name(parameter), bodies_.parameterTypes[parameter], made.parameters.back()});
            PointerFacts& facts = out_.declarations.facts(parameter);
            facts.path = out_.declarations.name(parameter);
        }
        made.returnedCells = out_.declarations.type(body->second.returned).cells;
        made.returned = out_.declarations.allocate(made.returnedCells);
        out_.code.functions.push_back(std::move(made));
        return found->second;
    }

    void function(std::uint32_t number)
    {
        Body& body = bodies_.functions.at(out_.code.functions[number].id);
        if (body.blocks.empty()) throw KernelError("this SPIR-V cannot be emulated: a function has no block");
        out_.function = number;
        const auto order = structuredOrder(body);
        for (const std::size_t at : order)
            for (std::size_t i = body.blocks[at].first; i < body.blocks[at].end; ++i) declare(body.code[i].words);
        for (const std::size_t at : order) phis(body, body.blocks[at]);

        out_.code.functions[number].entry = static_cast<std::uint32_t>(out_.code.instructions.size());
        out_.place =
            body.blocks[order[0]].first < body.code.size() ? body.code[body.blocks[order[0]].first].place : Place();
        Instruction enter;
        enter.op = op::enter;
        enter.a = number;
        out_.push(enter);
        pending_.clear();
        std::unordered_set<std::uint32_t> nextTurns;
        if (observed_.lines) nextTurns = turnsOf(body);
        for (const std::size_t at : order) {
            Block& block = body.blocks[at];
            block.begin = static_cast<std::uint32_t>(out_.code.instructions.size());
            block_ = block.label;
            bool ended = false;
            std::uint32_t line = 0;  // line of the block's last instruction that does something
            for (std::size_t i = block.first; i < block.end && !ended; ++i) {
                out_.place = body.code[i].place;
                if (observed_.lines && out_.place.line != line && doesSomething(body.code[i].words.opcode())) {
                    line = out_.place.line;
                    out_.pushLine(nextTurns.count(block.label) > 0 ? lineOfTurn : lineOnce);
                }
                ended = instruction(body, body.code[i].words);
                if (!ended) relax(body.code[i].words);
            }
            if (!ended) out_.unknown("a block without an end");
            block.last = static_cast<std::uint32_t>(out_.code.instructions.size() - 1);
        }
        resolve(body, order);
    }

    // Allocates the cells of an instruction's result.
    void declare(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        if (made.id == 0 || made.type == 0) return;
        if (words.opcode() == spv::OpVariable) {
            const Type& pointer = out_.declarations.type(made.type);
            const std::uint32_t cell = out_.define(made.id, made.type);
            if (pointer.form != Form::pointer) return;
            out_.declarations.meaning(made.id).fixed = true;
            const Type& what = out_.declarations.type(pointer.element);
            const std::uint32_t first = out_.declarations.allocate(what.cells);
            out_.code.frame[cell] = 1;
            out_.code.frame[cell + 1] = first;
            Variable variable;
            variable.id = made.id;
            variable.type = pointer.element;
            variable.name = out_.declarations.name(made.id);
            variable.first = first;
            variable.pointer = cell;
            PointerFacts& facts = out_.declarations.facts(made.id);
            facts.variable = static_cast<std::uint32_t>(out_.code.variables.size());
            facts.path = variable.name;
            out_.code.variableOf[made.id] = facts.variable;
            out_.code.variables.push_back(std::move(variable));
            out_.code.functions[out_.function].variables.emplace_back(first, what.cells);
            return;
        }
        const std::uint32_t cell = out_.define(made.id, made.type);
        if (words.opcode() == spv::OpUndef)
            std::fill_n(out_.code.marks.begin() + cell, out_.declarations.type(made.type).cells,
                        Mark{mark::unset | mark::own});
    }

    void phis(const Body& body, Block& block)
    {
        for (std::size_t i = block.first; i < block.end; ++i) {
            const SpirvWords words = body.code[i].words;
            if (words.opcode() != spv::OpPhi) continue;
            const Meaning& made = out_.declarations.of(words[2]);
            const std::uint32_t cells = out_.declarations.type(made.type).cells;
            for (std::size_t k = 3; k + 1 < words.size(); k += 2) {
                const Meaning& from = out_.declarations.meaning(words[k]);
                if (from.kind != Meaning::Kind::value) continue;  // from a block that is never reached
                if (from.type != made.type)
                    throw KernelError("this SPIR-V cannot be emulated: an OpPhi has values of other types");
                if (cells > 0) block.moves[words[k + 1]].push_back({made.cell, from.cell, cells});
            }
        }
    }

    // An edge to a block; the block's instruction is known later.
    std::uint32_t edgeTo(std::uint32_t label)
    {
        pending_.push_back({static_cast<std::uint32_t>(out_.code.edges.size()), label, block_,
                            static_cast<std::uint32_t>(out_.code.instructions.size())});
        out_.code.edges.emplace_back();
        return pending_.back().edge;
    }

    void resolve(Body& body, const std::vector<std::size_t>& order)
    {
        std::unordered_map<std::uint32_t, std::uint32_t> headers;  // first instruction -> loop
        const auto end = static_cast<std::uint32_t>(out_.code.instructions.size());
        for (const std::size_t at : order) {
            const Block& block = body.blocks[at];
            const auto merge = body.byLabel.find(block.merge);
            if (block.next == 0 && merge != body.byLabel.end() && body.blocks[merge->second].begin != none)
                out_.code.meetingOf[block.last] = body.blocks[merge->second].begin;
            if (block.next == 0) continue;
            std::uint32_t stop = merge == body.byLabel.end() ? none : body.blocks[merge->second].begin;
            if (stop == none || stop <= block.begin) stop = end;
            headers[block.begin] = addLoop(block.begin, stop);
        }
        for (const Pending& one : pending_) {
            Edge& edge = out_.code.edges[one.edge];
            const auto found = body.byLabel.find(one.label);
            if (found == body.byLabel.end() || body.blocks[found->second].begin == none)
                throw KernelError("this SPIR-V cannot be emulated: a branch leads out of its function");
            const Block& target = body.blocks[found->second];
            edge.target = target.begin;
            edge.back = target.begin <= one.from;
            if (edge.back && !headers.count(target.begin)) headers[target.begin] = addLoop(target.begin, one.from + 1);
            edge.firstMove = static_cast<std::uint32_t>(out_.code.moves.size());
            const auto moves = target.moves.find(one.block);
            if (moves == target.moves.end()) continue;
            edge.moves = static_cast<std::uint32_t>(moves->second.size());
            if (out_.code.moves.size() + edge.moves > limits::pieces)
                throw KernelError("this SPIR-V cannot be emulated: its branches carry too many values");
            out_.code.moves.insert(out_.code.moves.end(), moves->second.begin(), moves->second.end());
            edge.parallel = edge.moves > 1;
        }
        for (const Pending& one : pending_) {
            Edge& edge = out_.code.edges[one.edge];
            if (const auto loop = headers.find(edge.target); loop != headers.end()) edge.loop = loop->second;
        }
    }

    std::uint32_t addLoop(std::uint32_t begin, std::uint32_t end)
    {
        Loop loop;
        loop.begin = begin;
        loop.end = end;
        loop.function = out_.function;
        out_.code.loops.push_back(loop);
        return static_cast<std::uint32_t>(out_.code.loops.size() - 1);
    }

    // Returns true at the end of a block.
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
                    const Meaning& from = out_.declarations.of(words[4]);
                    const Variable& variable = out_.code.variables[out_.code.variableOf.at(words[2])];
                    if (out_.declarations.type(from.type).cells != out_.declarations.type(variable.type).cells)
                        throw KernelError("this SPIR-V cannot be emulated: a variable begins with another type");
                    one.op = op::copy;
                    one.result = variable.first;
                    one.a = from.cell;
                    one.count = out_.declarations.type(from.type).cells;
                    out_.push(one);
                }
                return false;
            case spv::OpBranch:
                one.op = op::branch;
                one.b = edgeTo(words[1]);
                out_.push(one);
                return true;
            case spv::OpBranchConditional:
                one.op = op::branchIf;
                one.a = out_.scalar(words[1]);
                one.b = edgeTo(words[2]);
                one.c = edgeTo(words[3]);
                out_.push(one);
                return true;
            case spv::OpSwitch:
                branchOn(words);
                return true;
            case spv::OpReturn:
            case spv::OpReturnValue:
                one.op = op::leave;
                one.a = out_.function;
                if (opcode == spv::OpReturnValue) {
                    const Meaning& from = out_.declarations.of(words[1]);
                    if (from.type != body.returned)
                        throw KernelError("this SPIR-V cannot be emulated: a function returns another type");
                    one.b = from.cell;
                    one.count = out_.declarations.type(from.type).cells;
                }
                out_.push(one);
                return true;
            case spv::OpKill:
            case spv::OpTerminateInvocation:
            case spv::OpUnreachable:
                one.op = op::end;
                out_.push(one);
                return true;
            case spv::OpFunctionCall:
                call(words);
                return false;
            case spv::OpControlBarrier:
            case spv::OpMemoryBarrier:
                memory_.barrier(words);
                return false;
            case spv::OpExtInst:
                extended_.decode(words);
                return false;
            default:
                if (!memory_.memory(words) && !decodeTogether(out_, words)) calculate(words);
                return false;
        }
    }

    void branchOn(SpirvWords words)
    {
        Instruction one;
        one.op = op::branchOn;
        one.a = out_.scalar(words[1]);
        const unsigned width = out_.declarations.typeOf(words[1]).bits;
        const std::size_t wide = width > 32 ? 2 : 1;
        one.result = edgeTo(words[2]);
        one.b = static_cast<std::uint32_t>(out_.code.literals.size());
        one.c = static_cast<std::uint32_t>(out_.code.edges.size());
        for (std::size_t i = 3; i + wide < words.size(); i += wide + 1) {
            const std::uint64_t literal = words[i] | (wide > 1 ? std::uint64_t{words[i + 1]} << 32 : 0);
            out_.code.literals.push_back(literal & lowBits(width));
            edgeTo(words[i + wide]);
            ++one.count;
        }
        out_.push(one);
    }

    void call(SpirvWords words)
    {
        const std::uint32_t called = functionOf(words[3]);
        const Function function = out_.code.functions[called];
        const SpirvWords given = words.from(4);
        Instruction one;
        for (std::size_t i = 0; i < given.size() && i < function.parameters.size(); ++i) {
            const Meaning& from = out_.declarations.of(given[i]);
            one = {};
            one.op = op::copy;
            one.result = function.parameters[i];
            one.a = from.cell;
            one.count = function.parameterCells[i];
            if (out_.declarations.type(from.type).cells != one.count)
                throw KernelError("this SPIR-V cannot be emulated: a call passes another type");
            if (one.count > 0) out_.push(one);
        }
        one = {};
        one.op = op::call;
        one.a = function.returnCell;
        one.c = called;
        calls_.push_back(static_cast<std::uint32_t>(out_.code.instructions.size()));
        out_.push(one);
        if (function.returnedCells == 0) {
            if (observed_.lines) out_.pushLine(lineAgain);
            return;
        }
        one = {};
        one.op = op::copy;
        one.result = out_.declarations.of(words[2]).cell;
        one.a = function.returned;
        one.count = function.returnedCells;
        out_.push(one);
        if (observed_.lines) out_.pushLine(lineAgain);
    }

    // Comes after each instruction whose result has mediump or lowp.
    void relax(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        if (made.id == 0 || made.type == 0 || !out_.declarations.isRelaxed(made.id)) return;
        const Type& type = out_.declarations.type(made.type);
        if (type.form != Form::number && type.form != Form::real && type.form != Form::vector) return;
        const Type& scalar = out_.declarations.type(type.form == Form::vector ? type.scalar : made.type);
        if (scalar.bits != 32) return;
        Instruction one;
        one.op = op::relaxed;
        one.width = 32;
        one.flags = scalar.form == Form::real ? relaxedReal : scalar.isSigned ? relaxedSigned : relaxedUnsigned;
        one.result = one.a = out_.declarations.of(made.id).cell;
        one.count = type.cells;
        out_.push(one);
    }

    void calculate(SpirvWords words)
    {
        const SpirvResult made = resultOf(words);
        std::vector<Instruction> out;
        if (made.id == 0 || made.type == 0) return out_.unknown(words);
        const Meaning meaning = out_.declarations.of(made.id);
        if (!out_.declarations.calculation(words.opcode(), made.type, meaning.cell, words.from(3), out))
            return out_.unknown(words);
        if (words.opcode() == spv::OpCopyObject || words.opcode() == spv::OpSelect) {
            const std::uint32_t from = words[words.opcode() == spv::OpSelect ? 4 : 3];
            if (out_.declarations.type(made.type).form == Form::pointer)
                out_.declarations.facts(made.id) = out_.declarations.facts(from);
        }
        for (const Instruction& one : out) out_.push(one);
    }

    struct Pending {
        std::uint32_t edge, label, block, from;
    };

    const SpirvModule& module_;
    Observed observed_;
    Emitter out_;
    Bodies bodies_;
    PointerDecoder pointers_{out_, observed_.lines};
    MemoryDecoder memory_{module_, out_, pointers_, bodies_.used};
    ExtendedDecoder extended_{out_, pointers_, observed_.prints};
    std::unordered_map<std::uint32_t, std::uint32_t> functions_;
    std::vector<std::uint32_t> calls_;
    std::vector<Pending> pending_;
    std::uint32_t block_ = 0;
};

}  // namespace

Code decode(const SpirvModule& module, const Specialisation& given, const Observed& observed)
{
    return Decoder(module, given, observed).run();
}

}  // namespace a2::emulator
