#include "spirv/EmulatorDecodePointers.h"

#include "a2/Error.h"
#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorDecode.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

void PointerDecoder::chain(SpirvWords words)
{
    const Meaning made = out_.declarations.of(words[2]), base = out_.declarations.of(words[3]);
    const Type& pointer = out_.declarations.type(base.type);
    PointerFacts facts = out_.declarations.facts(words[3]);
    const Space space = spaceOfPointer(base.type);
    const bool bytes = space == Space::buffer || space == Space::push;
    const Type* type = &out_.declarations.type(pointer.element);
    Chain chain;
    chain.firstStep = static_cast<std::uint32_t>(out_.code.steps.size());
    bool descriptors = bytes && facts.variable != none && words[3] == out_.code.variables[facts.variable].id &&
                       (type->form == Form::array || type->form == Form::endless);
    for (const std::uint32_t index : words.from(4)) {
        if (type->form == Form::structure) {
            const auto number = out_.declarations.constant(index);
            if (!number || *number >= type->members.size()) return out_.unknown(words);
            const Member& member = type->members[static_cast<std::size_t>(*number)];
            chain.constant += bytes ? member.offset : member.cell;
            if (!facts.path.empty()) facts.path += ".";
            facts.path += member.name;
            facts.coherent = facts.coherent || member.coherent;
            facts.readOnly = facts.readOnly || member.readOnly;
            facts.matrixStride = member.matrixStride;
            facts.rowMajor = member.rowMajor;
            facts.componentStride = 0;
            type = &out_.declarations.type(member.type);
            continue;
        }
        const Type& element = out_.declarations.type(type->element);
        Step step;
        step.cell = out_.scalar(index);
        const Type& number = out_.declarations.typeOf(index);
        step.width = static_cast<std::uint8_t>(number.bits);
        step.isSigned = number.isSigned;
        step.length = type->count;
        step.stride = bytes ? strideOf(*type, element, facts) : element.cells;
        step.descriptor = std::exchange(descriptors, false);
        if (step.descriptor && step.length == 0) step.length = out_.code.variables[facts.variable].count;
        step.limit = step.length > 0 ? step.length : limits::absurdIndex;
        if (step.isSigned) step.limit = std::min(step.limit, std::uint64_t{1} << (step.width - 1));
        step.name = static_cast<std::uint32_t>(out_.code.names.size());
        out_.code.names.push_back(facts.path);
        facts.path += "[]";
        const auto known = out_.declarations.constant(index);
        const bool fits = known && signedOf(*known, step.width) >= 0 &&
                          (*known < step.length || (step.length == 0 && *known < limits::stride));
        if (fits && !step.descriptor)
            chain.constant += *known * step.stride;
        else
            out_.code.steps.push_back(step);
        type = &element;
    }
    chain.steps = static_cast<std::uint32_t>(out_.code.steps.size()) - chain.firstStep;
    if (chain.constant > limits::farthest)
        throw KernelError("this SPIR-V cannot be emulated: a part of a buffer lies too far from its beginning");
    const Type& result = out_.declarations.type(made.type);
    if (result.form != Form::pointer || &out_.declarations.type(result.element) != type ||
        spaceOfPointer(made.type) != space)
        throw KernelError("this SPIR-V cannot be emulated: a pointer leads to another type");
    out_.declarations.facts(words[2]) = facts;
    if (chain.steps == 0 && fix(words[2], base, chain.constant)) return;
    Instruction one;
    one.op = op::chain;
    one.result = made.cell;
    one.a = base.cell;
    one.b = static_cast<std::uint32_t>(out_.code.chains.size());
    one.c = chain.firstStep;
    out_.code.chains.push_back(chain);
    out_.push(one);
}

// A part of what a known pointer leads to is known, too, and needs no instruction.
bool PointerDecoder::fix(std::uint32_t id, const Meaning& base, std::uint64_t away)
{
    std::vector<Cell>& frame = out_.code.frame;
    if (keepsChains_ || !base.fixed || frame[base.cell + 1] + away > limits::farthest) return false;
    Meaning& made = out_.declarations.meaning(id);
    made.fixed = true;
    frame[made.cell] = frame[base.cell];
    frame[made.cell + 1] = frame[base.cell + 1] + away;
    return true;
}

std::uint64_t PointerDecoder::strideOf(const Type& whole, const Type& element, PointerFacts& facts) const
{
    const std::uint64_t scalarBytes = out_.declarations.type(element.scalar).bits / 8;
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

Space PointerDecoder::spaceOfPointer(std::uint32_t type) const { return spaceOf(out_.declarations.type(type).storage); }

Reach PointerDecoder::madeCoherent(SpirvWords operands, bool loads) const
{
    const std::uint32_t available = spv::MemoryAccessMakePointerAvailableMask,
                        visible = spv::MemoryAccessMakePointerVisibleMask, mask = operands.size() > 0 ? operands[0] : 0;
    if (!out_.code.vulkanModel) return Reach::device;
    if ((mask & (loads ? visible : available)) == 0) return Reach::invocation;
    std::size_t at = 1;
    if ((mask & spv::MemoryAccessAlignedMask) != 0) ++at;
    if (loads && (mask & available) != 0) ++at;
    const auto scope = out_.declarations.constant(operands[at]);
    return scope ? reachOf(static_cast<std::uint32_t>(*scope)) : Reach::device;
}

std::optional<std::uint32_t> PointerDecoder::accessOf(std::uint32_t pointer, std::uint32_t mask, Reach reach)
{
    const Meaning& meaning = out_.declarations.of(pointer);
    const Type& type = out_.declarations.type(meaning.type);
    if (type.form != Form::pointer) return {};
    switch (type.storage) {
        case spv::StorageClassFunction:
        case spv::StorageClassPrivate:
        case spv::StorageClassInput:
        case spv::StorageClassWorkgroup:
        case spv::StorageClassStorageBuffer:
        case spv::StorageClassUniform:
        case spv::StorageClassPushConstant:
            break;
        default:
            return {};
    }
    const PointerFacts& facts = out_.declarations.facts(pointer);
    const Type& what = out_.declarations.type(type.element);
    if (what.cells == 0 || what.cells > limits::frameCells) return {};
    Access access;
    access.space = spaceOfPointer(meaning.type);
    access.variable = facts.variable;
    access.cells = what.cells;
    const bool isVolatile = (mask & spv::MemoryAccessVolatileMask) != 0;
    access.coherent = !out_.code.vulkanModel && (isVolatile || facts.coherent);
    access.isPrivate = out_.code.vulkanModel && (mask & spv::MemoryAccessNonPrivatePointerMask) == 0;
    access.reach = static_cast<std::uint8_t>(reach);
    access.readOnly = facts.readOnly;
    access.first = static_cast<std::uint32_t>(out_.code.pieces.size());
    if (access.space == Space::buffer || access.space == Space::push) {
        if (!pieces(what, facts, 0)) return {};
        access.pieces = static_cast<std::uint32_t>(out_.code.pieces.size()) - access.first;
        access.plain = true;
        for (std::uint32_t i = 0; i < access.pieces; ++i) {
            const Piece& piece = out_.code.pieces[access.first + i];
            access.bytes = std::max<std::uint64_t>(access.bytes, piece.offset + piece.width / 8);
            access.plain = access.plain && piece.width == 32 && piece.offset == std::uint64_t{i} * 4;
        }
    }
    out_.code.accesses.push_back(access);
    return static_cast<std::uint32_t>(out_.code.accesses.size() - 1);
}

bool PointerDecoder::pieces(const Type& type, PointerFacts facts, std::uint64_t offset)
{
    if (offset > limits::farthest) return false;
    switch (type.form) {
        case Form::number:
        case Form::real:
            if (out_.code.pieces.size() >= limits::pieces)
                throw KernelError("this SPIR-V cannot be emulated: it loads and stores too large values");
            out_.code.pieces.push_back({offset, type.bits});
            return true;
        case Form::structure:
            for (const Member& member : type.members) {
                PointerFacts inside = facts;
                inside.matrixStride = member.matrixStride;
                inside.rowMajor = member.rowMajor;
                inside.componentStride = 0;
                if (!pieces(out_.declarations.type(member.type), inside, offset + member.offset)) return false;
            }
            return true;
        case Form::vector:
        case Form::matrix:
        case Form::array: {
            const Type& element = out_.declarations.type(type.element);
            const std::uint64_t stride = strideOf(type, element, facts);
            for (std::uint32_t i = 0; i < type.count; ++i)
                if (!pieces(element, facts, offset + i * stride)) return false;
            return true;
        }
        default:
            return false;
    }
}

void PointerDecoder::move(bool loads, std::uint32_t pointer, std::uint32_t access, std::uint32_t cell)
{
    Instruction one;
    one.op = loads ? op::load : op::store;
    one.flags = static_cast<std::uint8_t>(out_.code.accesses[access].space);
    one.count = out_.code.accesses[access].cells;
    const Meaning& to = out_.declarations.of(pointer);
    one.a = to.cell;
    one.b = access;
    one.c = to.fixed ? static_cast<std::uint32_t>(std::min<Cell>(out_.code.frame[to.cell + 1], none)) : none;
    one.result = cell;
    if (!loads) noteWritten(pointer);
    out_.push(one);
}

void PointerDecoder::noteWritten(std::uint32_t pointer)
{
    const std::uint32_t variable = out_.declarations.facts(pointer).variable;
    if (variable != none) {
        out_.code.variables[variable].written = true;
        return;
    }
    for (Variable& each : out_.code.variables) each.written = true;
}

}  // namespace a2::emulator
