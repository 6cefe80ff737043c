#include "spirv/EmulatorMemoryNotes.h"

#include "spirv/EmulatorFaults.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace a2::emulator {

namespace {

void setBit(std::vector<std::uint64_t>& bits, std::uint64_t word)
{
    bits[word / 64] |= std::uint64_t{1} << (word % 64);
}

}  // namespace

bool MemoryNotes::isPrivate(std::uint32_t at) const
{
    const Instruction& one = state_.code.instructions[at];
    return state_.code.vulkanModel && state_.code.hasNonPrivate && (one.op == op::load || one.op == op::store) &&
           state_.code.accesses[one.b].isPrivate;
}

Use MemoryNotes::useOf(const Actor& actor, std::uint32_t thread, std::uint32_t bytes, const AccessWays& ways) const
{
    Use use;
    use.thread = thread;
    use.time = actor.group.order.time(actor.invocation);
    use.at = actor.at & 0x7FFFFF;
    use.isPrivate = isPrivate(actor.at);
    use.bytes = bytes & 0xF;
    use.readsOnly = !ways.writes;
    use.atomic = ways.atomic;
    use.reach = static_cast<unsigned>(ways.reach) & 3;
    return use;
}

void MemoryNotes::usedShared(const Actor& actor, std::uint64_t cell, const AccessWays& ways)
{
    Group& group = actor.group;
    if (state_.settings.counts) {
        if (ways.atomic)
            group.counts.sharedAtomic(cell);
        else
            group.counts.of(actor.invocation).shared = true;
        if (group.isWatched || state_.tracer) request_ = group.counts.sharedAccess(actor.invocation, actor.at, cell);
    }
    if (ways.writes) actor.self().acted = true;
    actor.self().usedMemory = true;
    if (!state_.settings.checks) return;
    const Use use = useOf(actor, actor.invocation + 1, 0xF, ways);
    Shadow& shadow = group.sharedShadow[cell];
    Conflict conflict;
    if (actor.self().waitingSince != 0 && ways.reads) actor.self().turnsWaited = 0;
    const bool fine = (state_.code.finelyOrdered & maskOf(Kept::shared)) != 0;
    if (noteUse(shadow, group.more, cell, use, fine, group.order, actor.invocation, Kept::shared, conflict)) {
        const std::uint32_t variable = state_.variableAt(Space::shared, cell);
        if (variable != none)
            faults_.race(actor, conflict, Kept::shared, variable, cell - state_.code.variables[variable].first, ways);
    }
}

void MemoryNotes::usedBuffer(const Actor& actor, Resource& resource, std::uint64_t byte, std::uint32_t bytes,
                             const AccessWays& ways)
{
    const std::uint64_t first = byte / 4, last = (byte + bytes - 1) / 4;
    for (std::uint64_t word = first; word <= last; ++word) {
        const std::uint64_t from = std::max(byte, word * 4) % 4, to = std::min(byte + bytes, word * 4 + 4) - word * 4;
        usedWord(actor, resource, word,
                 static_cast<std::uint32_t>(lowBits(static_cast<unsigned>(to)) & ~lowBits(static_cast<unsigned>(from))),
                 ways);
    }
}

void MemoryNotes::usedWord(const Actor& actor, Resource& resource, std::uint64_t word, std::uint32_t bytes,
                           const AccessWays& ways)
{
    BufferState& state = *resource.state;
    Group& group = actor.group;
    Invocation& self = actor.self();
    if (ways.reads) setBit(state.use->read, word);
    if (ways.writes) {
        setBit(state.use->written, word);
        self.acted = true;
    }
    self.usedMemory = true;
    if (state_.settings.counts) {
        InvocationWork& work = group.counts.of(actor.invocation);
        work.reads += ways.reads;
        work.writes += ways.writes;
    }
    if (aliases_.any()) aliases_.note(actor, resource, word, ways);
    if (state.shadows.empty()) return;
    const Use use = useOf(actor, group.order.threadOf(actor.invocation), bytes, ways);
    // It may be a flag, too; what is written after it is no flag until the next memory barrier.
    const bool stores = state_.code.instructions[actor.at].op == op::store;
    if (ways.writes && (!ways.atomic || stores)) group.order.wroteBuffer(actor.invocation);
    Shadow& shadow = state.shadows[word];
    if (self.waitingSince != 0 && ways.reads)
        faults_.late(actor, shadow, word * 4 + static_cast<unsigned>(std::countr_zero(bytes)), resource);
    Conflict conflict;
    const bool fine = (state_.code.finelyOrdered & maskOf(Kept::buffers)) != 0;
    if (noteUse(shadow, state.more, word, use, fine, group.order, actor.invocation, Kept::buffers, conflict))
        faults_.race(actor, conflict, Kept::buffers, resource.variable, word * 4 - std::min(word * 4, resource.offset),
                     ways);
}

bool MemoryNotes::hasPolled(const Actor& actor, BufferState& state, std::uint64_t word) const
{
    if (state.shadows.empty()) return false;
    const std::uint32_t first = actor.group.order.threadOf(0);
    const auto polled = [&](const Use& use) {
        return use.atomic && use.readsOnly && use.thread >= first && use.thread - first < state_.code.invocations;
    };
    const Shadow& shadow = state.shadows[word];
    const auto more = state.more.find(word);
    return std::any_of(shadow.atomics.begin(), shadow.atomics.end(), polled) ||
           (more != state.more.end() && std::any_of(more->second.all().begin(), more->second.all().end(), polled));
}

void MemoryNotes::requested(const Actor& actor, const BufferState& state, std::uint64_t byte, std::uint64_t bytes)
{
    if (state_.settings.counts)
        request_ = actor.group.counts.bufferAccess(actor.invocation, actor.at, state.number, byte, bytes);
}

Origin MemoryNotes::traceShared(const Actor& actor, std::uint64_t cell, const AccessWays& ways, Origin from)
{
    const std::uint32_t variable = state_.variableAt(Space::shared, cell);
    if (variable == none) return 0;
    TracedAccess access;
    access.group = actor.group.number;
    access.phase = actor.group.phase;
    access.invocation = actor.invocation;
    access.shared = true;
    access.memory = state_.tracer->sharedPlace(variable);
    access.index = cell - state_.code.variables[variable].first;
    access.reads = ways.reads;
    access.writes = ways.writes;
    access.value = actor.group.shared[cell];
    access.request = request_;
    return state_.tracer->add(std::move(access), actor.at, from);
}

Origin MemoryNotes::traceBuffer(const Actor& actor, const Resource& resource, std::uint64_t word,
                                const AccessWays& ways, Origin from)
{
    TracedAccess access;
    access.group = actor.group.number;
    access.phase = actor.group.phase;
    access.invocation = actor.invocation;
    access.memory = state_.code.variables[resource.variable].binding;
    access.index = word;
    access.reads = ways.reads;
    access.writes = ways.writes;
    access.value = resource.state->words[word];
    access.request = request_;
    return state_.tracer->add(std::move(access), actor.at, from);
}

}  // namespace a2::emulator
