#include "spirv/EmulatorMemory.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorMemoryNotes.h"
#include "spirv/EmulatorSync.h"
#include "spirv/EmulatorUnset.h"

#include <algorithm>

namespace a2::emulator {

void followChain(const Code& code, const Instruction& one, Cell* cells, Mark* marks)
{
    const Chain& chain = code.chains[one.b];
    const Cell* base = cells + one.a;
    Cell* made = cells + one.result;
    Cell root = base[0], offset = base[1] + chain.constant, bad = base[2];
    Mark index = marks[one.a + 1];
    if (bad != 0) offset = base[1];
    for (std::uint32_t i = chain.firstStep; i < chain.firstStep + chain.steps && bad == 0; ++i) {
        const Step& step = code.steps[i];
        Cell value = cells[step.cell];
        if (step.isSigned) value = static_cast<Cell>(signedOf(value, step.width));
        index = static_cast<Mark>(index | marks[step.cell]);
        if (value >= step.limit) {
            bad = i + 1;
            offset = value;
        } else if (step.descriptor) {
            root += value;
        } else {
            offset += value * step.stride;
            if (offset > limits::farthest) bad = i + 1;
        }
    }
    made[0] = root;
    made[1] = offset;
    made[2] = bad;
    marks[one.result] = 0;
    marks[one.result + 1] = index;
    marks[one.result + 2] = 0;
}

// Whether an access through this pointer is allowed at all.
bool Memory::usable(const Cell* pointer, const Actor& actor, std::uint32_t pointerCell, bool writes)
{
    if (actor.marks[pointerCell + 1] & mark::unset) {
        faults_.unset(actor, "is an index");
        state_.result.endangers = true;  // on a device it may be any number
    }
    if (pointer[0] != 0 && pointer[2] == 0) return true;
    faults_.outside(actor, pointer, writes);
    return false;
}

// The descriptor to which a pointer leads, if the whole access is inside it.
Resource* Memory::resourceFor(const Cell* pointer, const Access& access, const Actor& actor, bool writes)
{
    const std::uint64_t root = pointer[0] - 1;
    if (root >= state_.resources.size()) return nullptr;
    Resource& resource = state_.resources[root];
    const std::uint64_t offset = pointer[1];
    if (!resource.state) {
        faults_.behindEnd(actor, resource, offset, writes, "where nothing is bound");
        return nullptr;
    }
    if (offset > resource.bytes || access.bytes > resource.bytes - offset) {
        faults_.behindEnd(actor, resource, offset, writes, nullptr);
        return nullptr;
    }
    if (writes && access.readOnly) {
        faults_.behindEnd(actor, resource, offset, writes, "which is read only");
        return nullptr;
    }
    return &resource;
}

void Memory::load(const Instruction& one, const Actor& actor)
{
    const Access& access = state_.code.accesses[one.b];
    const Cell* pointer = actor.cells + one.a;
    if (access.space == Space::buffer) return loadBuffer(one, actor, access);
    if (!usable(pointer, actor, one.a, false)) {
        std::fill_n(actor.cells + one.result, one.count, Cell{0});
        std::fill_n(actor.marks + one.result, one.count, Mark{0});
        return;
    }
    const std::uint64_t from = pointer[1];
    if (access.space == Space::shared) return loadShared(one, actor, from, one.count);
    if (access.space == Space::push) return loadPush(one, actor, access);
    if (from + one.count > state_.frame) return;  // not from any chain
    std::uint32_t lacking = none;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Mark made = actor.marks[from + i];
        if ((made & mark::unset) != 0 && (made & mark::derived) == 0) lacking = i;
        actor.cells[one.result + i] = actor.cells[from + i];
        actor.marks[one.result + i] = made;
        if (actor.origins) actor.origins[one.result + i] = actor.origins[from + i];
    }
    if (lacking != none && actor.self().unset.at == none) unset_.loaded(actor, Space::own, none, from + lacking);
}

void Memory::store(const Instruction& one, const Actor& actor)
{
    const Access& access = state_.code.accesses[one.b];
    const Cell* pointer = actor.cells + one.a;
    if (access.space == Space::buffer) return storeBuffer(one, actor, access);
    if (!usable(pointer, actor, one.a, true)) return;
    const std::uint64_t to = pointer[1];
    if (access.space == Space::shared) return storeShared(one, actor, to, one.count);
    if (access.space == Space::push || to + one.count > state_.frame) return;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        actor.cells[to + i] = actor.cells[one.result + i];
        actor.marks[to + i] = actor.marks[one.result + i];
        if (actor.origins) actor.origins[to + i] = actor.origins[one.result + i];
    }
}

void Memory::arrayLength(const Instruction& one, const Actor& actor)
{
    const Cell* pointer = actor.cells + one.a;
    Cell length = 0;
    if (usable(pointer, actor, one.a, false) && pointer[0] - 1 < state_.resources.size()) {
        const std::uint64_t bytes = state_.resources[pointer[0] - 1].bytes;
        if (bytes > one.c) length = (bytes - one.c) / one.b & UINT32_MAX;
    }
    actor.cells[one.result] = length;
    actor.marks[one.result] = 0;
}

void Memory::loadShared(const Instruction& one, const Actor& actor, std::uint64_t from, std::uint32_t count)
{
    Group& group = actor.group;
    if (from + count > group.shared.size()) return;  // not from any chain
    if (delays_.anyLate()) delays_.settleFor(actor, &group, nullptr, from, count, Reach::invocation);
    for (std::uint32_t i = 0; i < count; ++i) {
        const AccessWays ways{true, false, false, false};
        notes_.usedShared(actor, from + i, ways);
        if (actor.origins) actor.origins[one.result + i] = notes_.traceShared(actor, from + i, ways, 0);
        const Mark made = group.sharedMarks[from + i];
        actor.cells[one.result + i] = group.shared[from + i];
        actor.marks[one.result + i] = static_cast<Mark>(made | mark::data);
        if ((made & mark::unset) == 0) continue;
        unset_.loaded(actor, Space::shared, none, from + i);
        unset_.loaded(actor, group.absent, from + i);
    }
}

void Memory::storeShared(const Instruction& one, const Actor& actor, std::uint64_t to, std::uint32_t count)
{
    Group& group = actor.group;
    if (to + count > group.shared.size()) return;
    if (delays_.anyLate()) delays_.settleFor(actor, &group, nullptr, to, count, Reach::invocation);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Cell value = actor.cells[one.result + i];
        Cell& kept = group.shared[to + i];
        const bool same = kept == value;
        const AccessWays ways{false, true, false, same};
        notes_.usedShared(actor, to + i, ways);
        state_.memory += !same;
        if (state_.remembers) delays_.remember(&group, nullptr, to + i, group.order.threadOf(actor.invocation));
        kept = value;
        if (actor.origins) notes_.traceShared(actor, to + i, ways, actor.origins[one.result + i]);
        group.sharedMarks[to + i] = actor.marks[one.result + i];
        if (actor.marks[one.result + i] & mark::unset) unset_.stored(actor, group.absent, to + i);
    }
}

void Memory::loadPush(const Instruction& one, const Actor& actor, const Access& access)
{
    const std::uint64_t from = actor.cells[one.a + 1];
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = state_.code.pieces[access.first + i];
        const std::uint64_t at = from + piece.offset;
        Cell value = 0;
        Mark made = 0;
        for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
            const bool known = at + k < state_.dispatch.push.size() &&
                               (state_.dispatch.pushed.empty() ||
                                (at + k < state_.dispatch.pushed.size() && state_.dispatch.pushed[at + k]));
            if (known)
                value |= Cell{state_.dispatch.push[at + k]} << (8 * k);
            else
                made = mark::unset | mark::own;
        }
        actor.cells[one.result + i] = value;
        actor.marks[one.result + i] = made;
        if (made != 0) {
            std::uint32_t variable = none;
            for (std::uint32_t v = 0; v < state_.code.variables.size(); ++v)
                if (state_.code.variables[v].space == Space::push) variable = v;
            unset_.loaded(actor, Space::push, variable, at);
        }
    }
}

void Memory::loadBuffer(const Instruction& one, const Actor& actor, const Access& access)
{
    const Cell* pointer = actor.cells + one.a;
    Resource* resource = usable(pointer, actor, one.a, false) ? resourceFor(pointer, access, actor, false) : nullptr;
    if (!resource) {
        std::fill_n(actor.cells + one.result, one.count, Cell{0});
        std::fill_n(actor.marks + one.result, one.count, Mark{mark::data});
        return;
    }
    BufferState& state = *resource->state;
    const std::uint64_t from = resource->offset + pointer[1];
    AccessWays ways{true, false, access.polls, false, static_cast<Reach>(access.reach)};
    constexpr Mark unset = mark::data | mark::unset;
    const Mark unsetMark = state.buffer->isKept() ? static_cast<Mark>(unset | mark::own) : unset;
    notes_.requested(actor, state, from, access.bytes);
    if (delays_.anyLate()) delays_.settleFor(actor, nullptr, &state, from, access.bytes, Reach::invocation);
    if (access.plain && from % 4 == 0) {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const std::uint64_t word = from / 4 + i;
            const bool set = state.set[word] == EmulatedBuffer::allSet;
            actor.cells[one.result + i] = state.words[word];
            actor.marks[one.result + i] = set ? mark::data : unsetMark;
            if (!set) {
                unset_.loaded(actor, Space::buffer, resource->variable, pointer[1] + std::uint64_t{i} * 4);
                unset_.loaded(actor, unset_.absentInBuffers(), state.number << 40 | word);
            }
            if (access.coherent) ways.atomic = access.polls || notes_.hasPolled(actor, state, word);
            notes_.usedWord(actor, *resource, word, 0xF, ways);
            if (actor.origins) actor.origins[one.result + i] = notes_.traceBuffer(actor, *resource, word, ways, 0);
            if (ways.atomic && state_.code.synchronises)
                synchronisation_.pass(actor, Kept::buffers, synchronisation_.inBuffers(), state.number << 40 | word,
                                      ways, false, {});
        }
        return;
    }
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = state_.code.pieces[access.first + i];
        const std::uint64_t at = from + piece.offset;
        Cell value = 0;
        bool set = true;
        for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
            value |= Cell{state.buffer->byte(at + k)} << (8 * k);
            set = set && state.buffer->isSet(at + k);
        }
        actor.cells[one.result + i] = value;
        actor.marks[one.result + i] = set ? mark::data : unsetMark;
        if (!set) {
            unset_.loaded(actor, Space::buffer, resource->variable, pointer[1] + piece.offset);
            unset_.loaded(actor, unset_.absentInBuffers(), state.number << 40 | at / 4);
        }
        if (access.coherent) ways.atomic = access.polls || notes_.hasPolled(actor, state, at / 4);
        notes_.usedBuffer(actor, *resource, at, piece.width / 8, ways);
        if (actor.origins) actor.origins[one.result + i] = notes_.traceBuffer(actor, *resource, at / 4, ways, 0);
        if (ways.atomic && state_.code.synchronises)
            synchronisation_.pass(actor, Kept::buffers, synchronisation_.inBuffers(), state.number << 40 | at / 4, ways,
                                  false, {});
    }
}

void Memory::storeBuffer(const Instruction& one, const Actor& actor, const Access& access)
{
    const Cell* pointer = actor.cells + one.a;
    Resource* resource = usable(pointer, actor, one.a, true) ? resourceFor(pointer, access, actor, true) : nullptr;
    if (!resource) return;
    BufferState& state = *resource->state;
    const std::uint64_t to = resource->offset + pointer[1];
    const bool flag = access.coherent && actor.group.order.fenced(actor.invocation);
    notes_.requested(actor, state, to, access.bytes);
    if (delays_.anyLate())
        delays_.settleFor(actor, nullptr, &state, to, access.bytes, delays_.handedOn(actor, Kept::buffers, {}));
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = state_.code.pieces[access.first + i];
        const std::uint64_t at = to + piece.offset;
        const Cell value = actor.cells[one.result + i];
        const Mark made = actor.marks[one.result + i];
        const bool set = (made & mark::unset) == 0;
        bool same = true;
        for (std::uint64_t word = at / 4; state_.remembers && word <= (at + piece.width / 8 - 1) / 4; ++word)
            delays_.remember(nullptr, &state, word, actor.group.order.threadOf(actor.invocation));
        if (piece.width == 32 && at % 4 == 0) {
            std::uint32_t& word = state.words[at / 4];
            same = word == static_cast<std::uint32_t>(value);
            word = static_cast<std::uint32_t>(value);
            state.set[at / 4] = set ? EmulatedBuffer::allSet : 0;
        } else {
            for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
                const auto byte = static_cast<std::uint8_t>(value >> (8 * k));
                same = same && state.buffer->byte(at + k) == byte;
                state.buffer->put(at + k, byte, set);
            }
        }
        state_.memory += !same;
        if (!set) {
            constexpr Mark made0 = mark::own | mark::derived;
            if ((made & made0) == made0)
                faults_.unset(actor, "is calculated with, and what comes of it stored,", false);
            unset_.noteStore(actor, *resource, pointer[1] + piece.offset);
            unset_.stored(actor, unset_.absentInBuffers(), state.number << 40 | at / 4);
        }
        const AccessWays ways{false, true, flag, same, static_cast<Reach>(access.reach)};
        notes_.usedBuffer(actor, *resource, at, piece.width / 8, ways);
        if (actor.origins) notes_.traceBuffer(actor, *resource, at / 4, ways, actor.origins[one.result + i]);
        if (flag && state_.code.synchronises)
            synchronisation_.pass(actor, Kept::buffers, synchronisation_.inBuffers(), state.number << 40 | at / 4, ways,
                                  true, {});
    }
}

}  // namespace a2::emulator
