#include "spirv/EmulatorAtomics.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorMemory.h"
#include "spirv/EmulatorMemoryNotes.h"
#include "spirv/EmulatorSync.h"
#include "spirv/EmulatorUnset.h"

#include <algorithm>
#include <cmath>

namespace a2::emulator {

AtomicKind kindOf(std::uint16_t opcode)
{
    switch (opcode) {
        case spv::OpAtomicLoad:
            return {true, false, false};
        case spv::OpAtomicStore:
            return {false, true, false};
        case spv::OpAtomicExchange:
            return {true, true, false};
        case spv::OpAtomicCompareExchange:
        case spv::OpAtomicCompareExchangeWeak:
            return {true, true, true, true};
        default:
            return {};
    }
}

Cell changedBy(const Instruction& one, Cell old, Cell given, bool equal)
{
    const Cell mask = lowBits(one.width);
    const auto less = [&](Cell a, Cell b) { return signedOf(a, one.width) < signedOf(b, one.width); };
    const double real = realOf(old, one.width), other = realOf(given, one.width);  // for numbers with a point
    switch (one.op) {
        case spv::OpAtomicStore:
        case spv::OpAtomicExchange:
            return given & mask;
        case spv::OpAtomicCompareExchange:
        case spv::OpAtomicCompareExchangeWeak:
            return equal ? given & mask : old;
        case spv::OpAtomicIIncrement:
            return (old + 1) & mask;
        case spv::OpAtomicIDecrement:
            return (old - 1) & mask;
        case spv::OpAtomicIAdd:
            return (old + given) & mask;
        case spv::OpAtomicISub:
            return (old - given) & mask;
        case spv::OpAtomicSMin:
            return less(given, old) ? given : old;
        case spv::OpAtomicUMin:
            return std::min(old, given & mask);
        case spv::OpAtomicSMax:
            return less(old, given) ? given : old;
        case spv::OpAtomicUMax:
            return std::max(old, given & mask);
        case spv::OpAtomicAnd:
            return old & given;
        case spv::OpAtomicOr:
            return (old | given) & mask;
        case spv::OpAtomicXor:
            return (old ^ given) & mask;
        case spv::OpAtomicFAddEXT:
            return cellOf(rounded(real + other), one.width);
        case spv::OpAtomicFMinEXT:
            return other < real || std::isnan(real) ? given : old;
        case spv::OpAtomicFMaxEXT:
            return real < other || std::isnan(real) ? given : old;
        default:  // OpAtomicLoad
            return old;
    }
}

Cell valueOf(const AtomicWord& word, Mark& made)
{
    if (word.home) {
        made = word.home->sharedMarks[word.at];
        return word.home->shared[word.at];
    }
    const BufferState& state = *word.state;
    Cell value = 0;
    made = 0;
    for (std::uint32_t k = 0; k < word.width / 32; ++k) {
        value |= Cell{state.words[word.at / 4 + k]} << (32 * k);
        if (state.set[word.at / 4 + k] != EmulatedBuffer::allSet) made = mark::unset;
    }
    for (std::uint32_t k = 0; word.width < 32 && k < word.width / 8; ++k) {
        value |= Cell{state.buffer->byte(word.at + k)} << (8 * k);
        if (!state.buffer->isSet(word.at + k)) made = mark::unset;
    }
    return value;
}

void Atomics::run(const Instruction& one, const Actor& actor)
{
    const Atomic& about = state_.code.atomics[one.count];
    const Access& access = state_.code.accesses[about.access];
    const AtomicKind kind = kindOf(one.op);
    const Cell* pointer = actor.cells + one.a;
    const bool hasOperand =
        one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicIIncrement && one.op != spv::OpAtomicIDecrement;
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = 0;
        actor.marks[one.result] = mark::data;
    }
    if (!memory_.usable(pointer, actor, one.a, kind.writes)) return;

    Group& group = actor.group;
    const bool isShared = access.space == Space::shared;
    Resource* resource = nullptr;
    AtomicWord word{nullptr, nullptr, pointer[1], one.width};
    if (isShared) {
        if (word.at >= group.shared.size()) return;
        word.home = &group;
    } else {
        resource = memory_.resourceFor(pointer, access, actor, kind.writes);
        if (!resource) return;
        word.at += resource->offset;
        word.state = resource->state;
        if (word.at % (one.width / 8) != 0)
            return faults_.behindEnd(actor, *resource, pointer[1], kind.writes, "which is not aligned for an atomic");
    }
    const Semantics semantics = semanticsOf(about.scope, about.semantics);
    const EmulatorSettings::Pause* const delay = state_.delays ? delays_.of(group, one) : nullptr;
    if (state_.delays) {
        const Kept kept = isShared ? Kept::shared : Kept::buffers;
        delays_.settleFor(actor, word.home, word.state, word.at, word.size(),
                          kind.writes ? delays_.handedOn(actor, kept, semantics) : Reach::invocation);
        delays_.release(group, actor.invocation, semantics);
    }
    Mark oldMark = 0;
    Cell old = valueOf(word, oldMark);
    const Cell given = hasOperand ? actor.cells[one.b] : 0;
    const Mark givenMark = hasOperand ? actor.marks[one.b] : Mark{0};
    const auto changed = [&](Cell from) {
        return changedBy(one, from, given, !kind.compares || from == actor.cells[about.comparator]);
    };
    const bool equal = !kind.compares || old == actor.cells[about.comparator];
    Cell now = changed(old);
    const bool writes = kind.writes && (!kind.compares || equal);
    Message later;
    const bool isLate = delay && delay->way == EmulatorSettings::Pause::Way::late && mayBeLate(state_.code, one);
    if (delay && delay->way == EmulatorSettings::Pause::Way::early && kind.reads) {
        const std::optional<Recalled> former = delays_.recalled(actor, word, kind.writes);
        // It leaves its word as it is, or replaces it: then the additions that it comes before add to what it leaves.
        const bool keeps = former && now == old && changed(former->value) == former->value;
        const bool replaces = former && !keeps && !kind.compares && former->onlyAdded && changed(former->value) == now;
        if (replaces) now = (now + (old - former->value)) & lowBits(one.width);
        if (keeps || replaces) {
            old = former->value;
            oldMark = former->mark;
        }
    }
    const AccessWays ways{kind.reads, writes, true, now == old, reachOf(about.scope)};
    if (oldMark & mark::unset) {
        unset_.loaded(actor, access.space, isShared ? none : resource->variable, pointer[1]);
        isShared ? unset_.loaded(actor, group.absent, word.at)
                 : unset_.loaded(actor, unset_.absentInBuffers(), resource->state->number << 40 | word.at / 4);
    }
    if (kind.changes && (oldMark & mark::unset) != 0)
        faults_.unset(actor, "is what an atomic begins with");
    else if ((givenMark & mark::unset) != 0)
        faults_.unset(actor, "goes into an atomic");
    const bool adds = one.op == spv::OpAtomicIAdd || one.op == spv::OpAtomicISub || one.op == spv::OpAtomicFAddEXT;
    if (state_.settings.counts && adds && (givenMark & mark::data) != 0)
        ++group.counts.of(actor.invocation).atomicAdditions;
    const std::uint32_t thread = group.order.threadOf(actor.invocation);
    if (writes && !isLate) {
        state_.memory += !ways.same;
        const Mark made = kind.changes ? static_cast<Mark>((oldMark | givenMark) & mark::data) : givenMark;
        delays_.change(word, now, made, thread, !about.isUsed && addsWhole(one.op));
    }
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = old;
        actor.marks[one.result] = static_cast<Mark>(mark::data | oldMark);
    }
    actor.self().acted = true;
    const Origin from = actor.origins && hasOperand ? actor.origins[one.b] : 0;
    Origin read = 0;
    if (isShared) {
        notes_.usedShared(actor, word.at, ways);
        if (actor.origins) read = notes_.traceShared(actor, word.at, ways, from);
        synchronisation_.pass(actor, Kept::shared, group.messages, word.at, ways, one.op == spv::OpAtomicStore,
                              semantics, isLate ? &later : nullptr);
    } else {
        notes_.requested(actor, *resource->state, word.at, one.width / 8U);
        notes_.usedBuffer(actor, *resource, word.at, one.width / 8U, ways);
        if (actor.origins) read = notes_.traceBuffer(actor, *resource, word.at / 4, ways, from);
        synchronisation_.pass(actor, Kept::buffers, synchronisation_.inBuffers(),
                              resource->state->number << 40 | word.at / 4, ways, one.op == spv::OpAtomicStore,
                              semantics, isLate ? &later : nullptr);
    }
    if (actor.origins && one.op != spv::OpAtomicStore) actor.origins[one.result] = read;
    if (!state_.delays) return;
    if (isLate) {
        const Cell comparator = kind.compares ? actor.cells[about.comparator] : 0;
        delays_.add(
            {word, thread, actor.at, delay->lastFirst, kind.reads, given, comparator, givenMark, std::move(later)});
    }
    if (semantics.acquires != 0) delays_.acquire(group, actor.invocation, semantics);
    if (state_.remembers) delays_.noteUsed(actor, word);
}

}  // namespace a2::emulator
