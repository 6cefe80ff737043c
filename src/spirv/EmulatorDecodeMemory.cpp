#include "spirv/EmulatorDecodeMemory.h"

#include "spirv/DecidingIds.h"

#include <algorithm>

namespace a2::emulator {

bool MemoryDecoder::memory(SpirvWords words)
{
    const spv::Op opcode = words.opcode();
    switch (opcode) {
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            pointers_.chain(words);
            return true;
        case spv::OpLoad:
        case spv::OpStore:
            move(words);
            return true;
        case spv::OpCopyMemory:
            copy(words);
            return true;
        case spv::OpArrayLength:
            arrayLength(words);
            return true;
        case spv::OpReadClockKHR:
            clock(words);
            return true;
        case spv::OpAssumeTrueKHR:
            return true;
        default:
            if (!isAtomic(static_cast<std::uint16_t>(opcode))) return false;
            atomic(words);
            return true;
    }
}

void MemoryDecoder::move(SpirvWords words)
{
    const bool loads = words.opcode() == spv::OpLoad;
    const std::uint32_t pointer = words[loads ? 3 : 1];
    const Meaning& value = out_.declarations.of(words[2]);
    const std::uint32_t mask = words.size() > (loads ? 4U : 3U) ? words[loads ? 4 : 3] : 0;
    const auto access = pointers_.accessOf(pointer, mask, pointers_.madeCoherent(words.from(loads ? 4 : 3), loads));
    if ((mask & spv::MemoryAccessNonPrivatePointerMask) != 0) out_.code.hasNonPrivate = true;
    if (!access || out_.code.accesses[*access].cells != out_.declarations.type(value.type).cells)
        return out_.unknown(words, " of a type");
    if (Access& made = out_.code.accesses[*access]; loads && made.coherent) made.polls = decides(words[2]);
    pointers_.move(loads, pointer, *access, value.cell);
}

bool MemoryDecoder::decides(std::uint32_t id)
{
    if (!deciding_) deciding_ = decidingIds(module_);
    return deciding_->contains(id);
}

void MemoryDecoder::copy(SpirvWords words)
{
    // A single mask is for both; of two masks the first is for the target.
    const std::uint32_t mask = words.size() > 3 ? words[3] : 0;
    const auto to = pointers_.accessOf(words[1], mask, pointers_.madeCoherent(words.from(3), false));
    const auto from = pointers_.accessOf(words[2], mask, pointers_.madeCoherent(words.from(3), true));
    if (!to || !from || out_.code.accesses[*to].cells != out_.code.accesses[*from].cells)
        return out_.unknown(words, " of a type");
    const std::uint32_t between = out_.declarations.allocate(out_.code.accesses[*from].cells);
    pointers_.move(true, words[2], *from, between);
    pointers_.move(false, words[1], *to, between);
}

void MemoryDecoder::arrayLength(SpirvWords words)
{
    const Meaning& pointer = out_.declarations.of(words[3]);
    const Type& block = out_.declarations.type(out_.declarations.type(pointer.type).element);
    if (block.form != Form::structure || words[4] >= block.members.size()) return out_.unknown(words);
    const Member& member = block.members[words[4]];
    Instruction one;
    one.op = op::arrayLength;
    one.result = out_.declarations.of(words[2]).cell;
    one.a = pointer.cell;
    one.b = std::max<std::uint32_t>(1, out_.declarations.type(member.type).stride);
    one.c = static_cast<std::uint32_t>(member.offset);
    out_.push(one);
}

void MemoryDecoder::clock(SpirvWords words)
{
    const Meaning& made = out_.declarations.of(words[2]);
    const Type& type = out_.declarations.type(made.type);
    Instruction one;
    one.op = static_cast<std::uint16_t>(words.opcode());
    one.result = made.cell;
    one.count = type.cells;
    const unsigned bits = out_.declarations.type(type.scalar).bits;
    if (type.cells > 2 || bits * type.cells != 64)
        out_.unknown(words, " of a type");
    else
        out_.push(one);
}

bool MemoryDecoder::mayBeEarly(spv::Op opcode, SpirvWords words) const
{
    const auto given = words.size() > 6 ? out_.declarations.constant(words[6]) : std::nullopt;
    switch (opcode) {
        case spv::OpAtomicLoad:
        case spv::OpAtomicCompareExchange:
        case spv::OpAtomicCompareExchangeWeak:
            return true;
        case spv::OpAtomicExchange:
            return used_.count(words[2]) != 0;
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

void MemoryDecoder::atomic(SpirvWords words)
{
    const spv::Op opcode = words.opcode();
    const bool stores = opcode == spv::OpAtomicStore;
    const std::uint32_t pointer = words[stores ? 1 : 3];
    const std::size_t at = stores ? 2 : 4;
    const auto scope = out_.declarations.constant(words[at]), semantics = out_.declarations.constant(words[at + 1]);
    const auto access = pointers_.accessOf(pointer, spv::MemoryAccessNonPrivatePointerMask);
    const Type& pointed = out_.declarations.type(out_.declarations.typeOf(pointer).element);
    const bool ofReal =
        opcode == spv::OpAtomicFAddEXT || opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
    const bool number = pointed.form == Form::number && pointed.bits >= 32 && !ofReal;
    const bool real = pointed.form == Form::real &&
                      (opcode == spv::OpAtomicLoad || stores || opcode == spv::OpAtomicExchange || ofReal);
    const bool others = access && (out_.code.accesses[*access].space == Space::shared ||
                                   out_.code.accesses[*access].space == Space::buffer);
    if (!others || !scope || !semantics || (!number && !real)) return out_.unknown(words);
    Atomic about;
    about.scope = static_cast<std::uint32_t>(*scope);
    about.semantics = static_cast<std::uint32_t>(*semantics);
    about.access = *access;
    about.isUsed = !stores && used_.count(words[2]) != 0;
    about.mayBeEarly = mayBeEarly(opcode, words);
    const Semantics orders = semanticsOf(about.scope, about.semantics);
    out_.code.finelyOrdered = static_cast<KeptMask>(out_.code.finelyOrdered | orders.releases | orders.acquires);
    Instruction one;
    one.op = static_cast<std::uint16_t>(opcode);
    one.flags = static_cast<std::uint8_t>(out_.code.accesses[*access].space);
    one.width = static_cast<std::uint8_t>(pointed.bits);
    one.a = out_.declarations.of(pointer).cell;
    if (!stores) one.result = out_.scalar(words[2]);
    switch (opcode) {
        case spv::OpAtomicLoad:
        case spv::OpAtomicIIncrement:
        case spv::OpAtomicIDecrement:
            break;
        case spv::OpAtomicStore:
            one.b = out_.scalar(words[4]);
            break;
        case spv::OpAtomicCompareExchange:
        case spv::OpAtomicCompareExchangeWeak:
            one.b = out_.scalar(words[7]);
            about.comparator = out_.scalar(words[8]);
            break;
        default:
            one.b = out_.scalar(words[6]);
    }
    if (opcode != spv::OpAtomicLoad) pointers_.noteWritten(pointer);
    one.count = static_cast<std::uint32_t>(out_.code.atomics.size());
    out_.code.atomics.push_back(about);
    out_.code.synchronises = true;
    out_.push(one);
}

void MemoryDecoder::barrier(SpirvWords words)
{
    const bool control = words.opcode() == spv::OpControlBarrier;
    const auto execution = out_.declarations.constant(words[1]);
    const auto scope = out_.declarations.constant(words[control ? 2 : 1]);
    const auto semantics = out_.declarations.constant(words[control ? 3 : 2]);
    const bool known = execution && scope && semantics &&
                       (!control || execution == spv::ScopeWorkgroup || execution == spv::ScopeSubgroup);
    if (!known) return out_.unknown(words, " of a scope");
    Instruction one;
    one.a = static_cast<std::uint32_t>(*scope);
    one.b = static_cast<std::uint32_t>(*semantics);
    one.op = static_cast<std::uint16_t>(words.opcode());
    const Semantics orders = semanticsOf(one.a, one.b);
    if (control && execution == spv::ScopeWorkgroup) {
        one.op = op::groupBarrier;
        out_.code.groupBarriers = true;
        const KeptMask both = orders.releases & orders.acquires;
        if (orders.reach < Reach::group || !(both & maskOf(Kept::shared))) out_.code.weakBarriers = true;
    }
    if (!control) out_.code.synchronises = true;
    if (one.op != op::groupBarrier || orders.reach < Reach::group || orders.releases != orders.acquires ||
        orders.releases == 0)
        out_.code.finelyOrdered = allKept;
    out_.push(one);
}

}  // namespace a2::emulator
