// Atomic instructions, and what they pass on to other invocations.

#include "spirv/EmulatorWalk.h"

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

Cell Walk::valueOf(const AtomicWord& word, Mark& made) const
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

void Walk::change(const AtomicWord& word, Cell value, Mark made, std::uint32_t thread, bool adds)
{
    if (word.home) {
        if (remembers_) remember(word.home, nullptr, word.at, thread, adds);
        word.home->shared[word.at] = value;
        word.home->sharedMarks[word.at] = made;
        return;
    }
    BufferState& state = *word.state;
    const bool set = (made & mark::unset) == 0;
    for (std::uint32_t k = 0; k < word.width / 32; ++k) {
        if (remembers_) remember(nullptr, &state, word.at / 4 + k, thread, adds);
        state.words[word.at / 4 + k] = static_cast<std::uint32_t>(value >> (32 * k));
        state.set[word.at / 4 + k] = set ? EmulatedBuffer::allSet : 0;
    }
    for (std::uint32_t k = 0; word.width < 32 && k < word.width / 8; ++k)
        state.buffer->put(word.at + k, static_cast<std::uint8_t>(value >> (8 * k)), set);
}

// replaces: it does not continue the release sequence before it.
void Walk::publish(Messages& messages, std::uint64_t word, const Message& published, bool replaces) const
{
    if (replaces && published.empty())
        messages.erase(word);
    else if (replaces)
        messages[word] = published;
    else if (!published.empty())
        anyOrder_.add(messages[word], published);
}

// later: gets what is published; others read it when the atomic takes effect.
void Walk::synchronise(const Actor& actor, Kept kept, Messages& messages, std::uint64_t word, const Ways& ways,
                       bool replaces, const Semantics& semantics, Message* later)
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
    if (later)
        *later = std::move(published);
    else
        publish(messages, word, published, replaces);
}

void Walk::atomic(const Instruction& one, const Actor& actor)
{
    const Atomic& about = code_.atomics[one.count];
    const Access& access = code_.accesses[about.access];
    const AtomicKind kind = kindOf(one.op);
    const Cell* pointer = actor.cells + one.a;
    const bool hasOperand =
        one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicIIncrement && one.op != spv::OpAtomicIDecrement;
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = 0;
        actor.marks[one.result] = mark::data;
    }
    if (!usable(pointer, actor, one.a, kind.writes)) return;

    Group& group = actor.group;
    const bool isShared = access.space == Space::shared;
    Resource* resource = nullptr;
    AtomicWord word{nullptr, nullptr, pointer[1], one.width};
    if (isShared) {
        if (word.at >= group.shared.size()) return;
        word.home = &group;
    } else {
        resource = resourceFor(pointer, access, actor, kind.writes);
        if (!resource) return;
        word.at += resource->offset;
        word.state = resource->state;
        if (word.at % (one.width / 8) != 0)
            return foundBehindEnd(actor, *resource, pointer[1], kind.writes, "which is not aligned for an atomic");
    }
    const Semantics semantics = semanticsOf(about.scope, about.semantics);
    const EmulatorSettings::Pause* const delay = delays_ ? delayOf(group, one) : nullptr;
    if (delays_) {
        const Kept kept = isShared ? Kept::shared : Kept::buffers;
        settleFor(actor, word.home, word.state, word.at, word.size(),
                  kind.writes ? handedOn(actor, kept, semantics) : Reach::invocation);
        releaseLate(group, actor.invocation, semantics);
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
    const bool isLate = delay && delay->way == EmulatorSettings::Pause::Way::late && mayBeLate(code_, one);
    if (delay && delay->way == EmulatorSettings::Pause::Way::early && kind.reads) {
        const std::optional<Recalled> former = recalled(actor, word, kind.writes);
        // It leaves its word as it is, or replaces it: then the additions that it comes before add to what it leaves.
        const bool keeps = former && now == old && changed(former->value) == former->value;
        const bool replaces = former && !keeps && !kind.compares && former->onlyAdded && changed(former->value) == now;
        if (replaces) now = (now + (old - former->value)) & lowBits(one.width);
        if (keeps || replaces) {
            old = former->value;
            oldMark = former->mark;
        }
    }
    const Ways ways{kind.reads, writes, true, now == old, reachOf(about.scope)};
    if (oldMark & mark::unset) {
        unsetLoaded(actor, access.space, isShared ? none : resource->variable, pointer[1]);
        isShared ? unsetLoaded(actor, group.absent, word.at)
                 : unsetLoaded(actor, absent_, resource->state->number << 40 | word.at / 4);
    }
    if (kind.changes && (oldMark & mark::unset) != 0)
        foundUnset(actor, "is what an atomic begins with");
    else if ((givenMark & mark::unset) != 0)
        foundUnset(actor, "goes into an atomic");
    const bool adds = one.op == spv::OpAtomicIAdd || one.op == spv::OpAtomicISub || one.op == spv::OpAtomicFAddEXT;
    if (settings_.counts && adds && (givenMark & mark::data) != 0) ++group.counts.of(actor.invocation).atomicAdditions;
    const std::uint32_t thread = group.order.threadOf(actor.invocation);
    if (writes && !isLate) {
        memory_ += !ways.same;
        const Mark made = kind.changes ? static_cast<Mark>((oldMark | givenMark) & mark::data) : givenMark;
        change(word, now, made, thread, !about.isUsed && addsWhole(one.op));
    }
    if (one.op != spv::OpAtomicStore) {
        actor.cells[one.result] = old;
        actor.marks[one.result] = static_cast<Mark>(mark::data | oldMark);
    }
    actor.self().acted = true;
    const Origin from = actor.origins && hasOperand ? actor.origins[one.b] : 0;
    Origin read = 0;
    if (isShared) {
        noteShared(actor, word.at, ways);
        if (actor.origins) read = traceShared(actor, word.at, ways, from);
        synchronise(actor, Kept::shared, group.messages, word.at, ways, one.op == spv::OpAtomicStore, semantics,
                    isLate ? &later : nullptr);
    } else {
        countRequest(actor, *resource->state, word.at, one.width / 8U);
        noteBuffer(actor, *resource, word.at, one.width / 8U, ways);
        if (actor.origins) read = traceBuffer(actor, *resource, word.at / 4, ways, from);
        synchronise(actor, Kept::buffers, messages_, resource->state->number << 40 | word.at / 4, ways,
                    one.op == spv::OpAtomicStore, semantics, isLate ? &later : nullptr);
    }
    if (actor.origins && one.op != spv::OpAtomicStore) actor.origins[one.result] = read;
    if (!delays_) return;
    if (isLate) {
        const Cell comparator = kind.compares ? actor.cells[about.comparator] : 0;
        late_.push_back(
            {word, thread, actor.at, delay->lastFirst, kind.reads, given, comparator, givenMark, std::move(later)});
        heldSince_ = result_.instructions;
    }
    if (semantics.acquires != 0) acquireForDelays(group, actor.invocation, semantics);
    if (remembers_) noteUsed(actor, word);
}

}  // namespace a2::emulator
