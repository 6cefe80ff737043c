// Atomic instructions, and what they tell other invocations.

#include "spirv/EmulatorWalk.h"

#include <algorithm>
#include <cmath>

namespace a2::emulator {

namespace {

struct AtomicKind {
    bool reads = true, writes = true, changes = true;  // changes: makes the new value from the old one
};

AtomicKind kindOf(std::uint16_t opcode)
{
    switch (opcode) {
        case spv::OpAtomicLoad:
            return {true, false, false};
        case spv::OpAtomicStore:
            return {false, true, false};
        case spv::OpAtomicExchange:
            return {true, true, false};
        default:
            return {};
    }
}

}  // namespace

Cell changedBy(const Instruction& one, Cell old, Cell given, bool equal)
{
    const Cell mask = lowBits(one.width);
    const auto less = [&](Cell a, Cell b) { return signedOf(a, one.width) < signedOf(b, one.width); };
    const double real = realOf(old, one.width), other = realOf(given, one.width);  // of numbers with a point
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

// replaces: it is no part of a release sequence before it.
void Walk::synchronise(const Actor& actor, Kept kept, Messages& messages, std::uint64_t word, const Ways& ways,
                       bool replaces, const Semantics& semantics)
{
    if (!settings_.checks) return;
    GroupOrder& order = actor.group.order;
    const auto found = messages.find(word);
    const auto costs = [&](const Message& message) {
        for (const Release& one : message) left_ -= std::min<std::uint64_t>(left_, one.known->entries.size() / 4);
    };
    const bool anyMessage = found != messages.end();
    if (ways.reads && (anyMessage || semantics.makesVisible))
        order.read(actor.invocation, kept, anyMessage ? found->second : Message(), semantics);
    if (ways.reads && anyMessage) costs(found->second);
    if (!ways.writes) return;
    Message published = order.published(actor.invocation, kept, semantics);
    costs(published);
    if (replaces && published.empty()) {
        if (found != messages.end()) messages.erase(found);
    } else if (replaces) {
        messages[word] = std::move(published);
    } else if (!published.empty()) {
        order.add(messages[word], published);
    }
}

void Walk::atomic(const Instruction& one, const Actor& actor)
{
    const Atomic& about = code_.atomics[one.count];
    const Access& access = code_.accesses[about.access];
    const AtomicKind kind = kindOf(one.op);
    const Cell* pointer = actor.cells + one.a;
    const bool compares = one.op == spv::OpAtomicCompareExchange || one.op == spv::OpAtomicCompareExchangeWeak;
    const bool hasOperand =
        one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicIIncrement && one.op != spv::OpAtomicIDecrement;
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = 0;
        actor.marks[one.result] = mark::data;
    }
    if (!usable(pointer, actor, one.a, kind.writes)) return;

    Group& group = actor.group;
    Resource* resource = nullptr;
    std::uint64_t at = pointer[1];
    Cell old = 0;
    Mark oldMark = 0;
    if (access.space == Space::shared) {
        if (at >= group.shared.size()) return;
        old = group.shared[at];
        oldMark = group.sharedMarks[at];
        if (oldMark & mark::unset) {
            unsetLoaded(actor, Space::shared, none, at);
            unsetLoaded(actor, group.absent, at);
        }
    } else {
        resource = resourceFor(pointer, access, actor, kind.writes);
        if (!resource) return;
        at += resource->offset;
        if (at % (one.width / 8) != 0)
            return foundBehindEnd(actor, *resource, pointer[1], kind.writes, "which is not aligned for an atomic");
        const EmulatedBuffer& buffer = *resource->state->buffer;
        for (std::uint32_t k = 0; k < one.width / 32U; ++k) {
            old |= Cell{resource->state->words[at / 4 + k]} << (32 * k);
            if (resource->state->set[at / 4 + k] != EmulatedBuffer::allSet) oldMark = mark::unset;
        }
        for (std::uint32_t k = 0; one.width < 32 && k < one.width / 8U; ++k) {
            old |= Cell{buffer.byte(at + k)} << (8 * k);
            if (!buffer.isSet(at + k)) oldMark = mark::unset;
        }
        if (oldMark & mark::unset) {
            unsetLoaded(actor, Space::buffer, resource->variable, pointer[1]);
            unsetLoaded(actor, absent_, resource->state->number << 40 | at / 4);
        }
    }

    const Cell given = hasOperand ? actor.cells[one.b] : 0;
    const Mark givenMark = hasOperand ? actor.marks[one.b] : Mark{0};
    if (kind.changes && (oldMark & mark::unset) != 0)
        foundUnset(actor, "is what an atomic begins with");
    else if ((givenMark & mark::unset) != 0)
        foundUnset(actor, "goes into an atomic");
    const bool equal = !compares || old == actor.cells[about.comparator];
    const Cell now = changedBy(one, old, given, equal);
    const bool writes = kind.writes && (!compares || equal);
    const Semantics semantics = semanticsOf(about.scope, about.semantics);
    const Ways ways{kind.reads, writes, true, now == old, reachOf(about.scope)};
    const bool adds = one.op == spv::OpAtomicIAdd || one.op == spv::OpAtomicISub || one.op == spv::OpAtomicFAddEXT;
    if (settings_.counts && adds && (givenMark & mark::data) != 0) ++group.counts.of(actor.invocation).atomicAdditions;
    if (writes) {
        memory_ += now != old;
        const Mark made = kind.changes ? static_cast<Mark>((oldMark | givenMark) & mark::data) : givenMark;
        if (access.space == Space::shared) {
            group.shared[at] = now;
            group.sharedMarks[at] = made;
        } else {
            for (std::uint32_t k = 0; k < one.width / 32U; ++k) {
                resource->state->words[at / 4 + k] = static_cast<std::uint32_t>(now >> (32 * k));
                resource->state->set[at / 4 + k] = (made & mark::unset) != 0 ? 0 : EmulatedBuffer::allSet;
            }
            for (std::uint32_t k = 0; one.width < 32 && k < one.width / 8U; ++k)
                resource->state->buffer->put(at + k, static_cast<std::uint8_t>(now >> (8 * k)),
                                             (made & mark::unset) == 0);
        }
    }
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = old;
        actor.marks[one.result] = static_cast<Mark>(mark::data | oldMark);
    }
    actor.self().acted = true;
    const Origin from = actor.origins && hasOperand ? actor.origins[one.b] : 0;
    Origin read = 0;
    if (access.space == Space::shared) {
        noteShared(actor, at, ways);
        if (actor.origins) read = traceShared(actor, at, ways, from);
        synchronise(actor, Kept::shared, group.messages, at, ways, one.op == spv::OpAtomicStore, semantics);
    } else {
        countRequest(actor, *resource->state, at, one.width / 8U);
        noteBuffer(actor, *resource, at, one.width / 8U, ways);
        if (actor.origins) read = traceBuffer(actor, *resource, at / 4, ways, from);
        synchronise(actor, Kept::buffers, messages_, resource->state->number << 40 | at / 4, ways,
                    one.op == spv::OpAtomicStore, semantics);
    }
    if (actor.origins && one.op != spv::OpAtomicStore) actor.origins[one.result] = read;
}

}  // namespace a2::emulator
