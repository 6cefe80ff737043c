// Loads, stores and pointers.

#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorWalk.h"

#include <algorithm>
#include <bit>

namespace a2::emulator {

namespace {

void setBit(std::vector<std::uint64_t>& bits, std::uint64_t word)
{
    bits[word / 64] |= std::uint64_t{1} << (word % 64);
}

}  // namespace

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
bool Walk::usable(const Cell* pointer, const Actor& actor, std::uint32_t pointerCell, bool writes)
{
    if (actor.marks[pointerCell + 1] & mark::unset) {
        foundUnset(actor, "is an index");
        result_.endangers = true;  // on a device it may be any number
    }
    if (pointer[0] != 0 && pointer[2] == 0) return true;
    foundOutside(actor, pointer, writes);
    return false;
}

void Walk::unsetLoaded(const Actor& actor, Space space, std::uint32_t variable, std::uint64_t offset)
{
    UnsetOrigin& origin = actor.self().unset;
    origin.at = actor.at;
    origin.absent = false;
    origin.offset = offset;
    origin.variable = variable != none ? variable : variableAt(space, offset);
    if (space == Space::buffer && unsetRead_.at == none) unsetRead_ = origin;
}

// The word was set to the value of an invocation that did not take part; what is loaded from it has this origin.
void Walk::unsetLoaded(const Actor& actor, const std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                       std::uint64_t word)
{
    if (const auto found = absent.find(word); found != absent.end()) actor.self().unset = found->second;
}

void Walk::unsetStored(const Actor& actor, std::unordered_map<std::uint64_t, UnsetOrigin>& absent, std::uint64_t word)
{
    if (const UnsetOrigin& origin = actor.self().unset; origin.absent)
        absent[word] = origin;
    else
        absent.erase(word);
}

std::uint32_t Walk::variableAt(Space space, std::uint64_t cell) const
{
    std::uint32_t best = none;
    for (std::uint32_t i = 0; i < code_.variables.size(); ++i) {
        const Variable& variable = code_.variables[i];
        if (variable.space != space || variable.first > cell) continue;
        if (best == none || variable.first >= code_.variables[best].first) best = i;
    }
    return best;
}

void Walk::load(const Instruction& one, const Actor& actor)
{
    const Access& access = code_.accesses[one.b];
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
    if (from + one.count > frame_) return;  // not from any chain
    std::uint32_t lacking = none;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Mark made = actor.marks[from + i];
        if ((made & mark::unset) != 0 && (made & mark::derived) == 0) lacking = i;
        actor.cells[one.result + i] = actor.cells[from + i];
        actor.marks[one.result + i] = made;
        if (actor.origins) actor.origins[one.result + i] = actor.origins[from + i];
    }
    if (lacking != none && actor.self().unset.at == none) unsetLoaded(actor, Space::own, none, from + lacking);
}

void Walk::store(const Instruction& one, const Actor& actor)
{
    const Access& access = code_.accesses[one.b];
    const Cell* pointer = actor.cells + one.a;
    if (access.space == Space::buffer) return storeBuffer(one, actor, access);
    if (!usable(pointer, actor, one.a, true)) return;
    const std::uint64_t to = pointer[1];
    if (access.space == Space::shared) return storeShared(one, actor, to, one.count);
    if (access.space == Space::push || to + one.count > frame_) return;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        actor.cells[to + i] = actor.cells[one.result + i];
        actor.marks[to + i] = actor.marks[one.result + i];
        if (actor.origins) actor.origins[to + i] = actor.origins[one.result + i];
    }
}

bool Walk::isPrivate(std::uint32_t at) const
{
    const Instruction& one = code_.instructions[at];
    return code_.vulkanModel && code_.hasNonPrivate && (one.op == op::load || one.op == op::store) &&
           code_.accesses[one.b].isPrivate;
}

void Walk::noteShared(const Actor& actor, std::uint64_t cell, const Ways& ways)
{
    Group& group = actor.group;
    if (settings_.counts) {
        if (ways.atomic)
            group.counts.sharedAtomic(cell);
        else
            group.counts.of(actor.invocation).shared = true;
        if (group.isWatched || tracer_) request_ = group.counts.sharedAccess(actor.invocation, actor.at, cell);
    }
    if (ways.writes) actor.self().acted = true;
    actor.self().usedMemory = true;
    if (!settings_.checks) return;
    Use use;
    use.thread = actor.invocation + 1;
    use.time = group.order.time(actor.invocation);
    use.at = actor.at & 0x7FFFFF;
    use.isPrivate = isPrivate(actor.at);
    use.bytes = 0xF;
    use.readsOnly = !ways.writes;
    use.atomic = ways.atomic;
    use.reach = static_cast<unsigned>(ways.reach) & 3;
    Shadow& shadow = group.sharedShadow[cell];
    Conflict conflict;
    if (actor.self().waitingSince != 0 && ways.reads) actor.self().turnsWaited = 0;
    const bool fine = (code_.finelyOrdered & maskOf(Kept::shared)) != 0;
    if (noteUse(shadow, group.more, cell, use, fine, group.order, actor.invocation, Kept::shared, conflict)) {
        const std::uint32_t variable = variableAt(Space::shared, cell);
        if (variable != none)
            foundRace(actor, conflict, Kept::shared, variable, cell - code_.variables[variable].first, ways);
    }
}

void Walk::loadShared(const Instruction& one, const Actor& actor, std::uint64_t from, std::uint32_t count)
{
    Group& group = actor.group;
    if (from + count > group.shared.size()) return;  // not from any chain
    if (!late_.empty()) settleFor(actor, &group, nullptr, from, count, Reach::invocation);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Ways ways{true, false, false, false};
        noteShared(actor, from + i, ways);
        if (actor.origins) actor.origins[one.result + i] = traceShared(actor, from + i, ways, 0);
        const Mark made = group.sharedMarks[from + i];
        actor.cells[one.result + i] = group.shared[from + i];
        actor.marks[one.result + i] = static_cast<Mark>(made | mark::data);
        if ((made & mark::unset) == 0) continue;
        unsetLoaded(actor, Space::shared, none, from + i);
        unsetLoaded(actor, group.absent, from + i);
    }
}

void Walk::storeShared(const Instruction& one, const Actor& actor, std::uint64_t to, std::uint32_t count)
{
    Group& group = actor.group;
    if (to + count > group.shared.size()) return;
    if (!late_.empty()) settleFor(actor, &group, nullptr, to, count, Reach::invocation);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Cell value = actor.cells[one.result + i];
        Cell& kept = group.shared[to + i];
        const bool same = kept == value;
        const Ways ways{false, true, false, same};
        noteShared(actor, to + i, ways);
        memory_ += !same;
        if (remembers_) remember(&group, nullptr, to + i, group.order.threadOf(actor.invocation));
        kept = value;
        if (actor.origins) traceShared(actor, to + i, ways, actor.origins[one.result + i]);
        group.sharedMarks[to + i] = actor.marks[one.result + i];
        if (actor.marks[one.result + i] & mark::unset) unsetStored(actor, group.absent, to + i);
    }
}

void Walk::loadPush(const Instruction& one, const Actor& actor, const Access& access)
{
    const std::uint64_t from = actor.cells[one.a + 1];
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = code_.pieces[access.first + i];
        const std::uint64_t at = from + piece.offset;
        Cell value = 0;
        Mark made = 0;
        for (std::uint32_t k = 0; k < piece.width / 8; ++k) {
            const bool known =
                at + k < dispatch_.push.size() &&
                (dispatch_.pushed.empty() || (at + k < dispatch_.pushed.size() && dispatch_.pushed[at + k]));
            if (known)
                value |= Cell{dispatch_.push[at + k]} << (8 * k);
            else
                made = mark::unset | mark::own;
        }
        actor.cells[one.result + i] = value;
        actor.marks[one.result + i] = made;
        if (made != 0) {
            std::uint32_t variable = none;
            for (std::uint32_t v = 0; v < code_.variables.size(); ++v)
                if (code_.variables[v].space == Space::push) variable = v;
            unsetLoaded(actor, Space::push, variable, at);
        }
    }
}

// The descriptor to which a pointer leads, if the whole access is inside it.
Resource* Walk::resourceFor(const Cell* pointer, const Access& access, const Actor& actor, bool writes)
{
    const std::uint64_t root = pointer[0] - 1;
    if (root >= resources_.size()) return nullptr;
    Resource& resource = resources_[root];
    const std::uint64_t offset = pointer[1];
    if (!resource.state) {
        foundBehindEnd(actor, resource, offset, writes, "where nothing is bound");
        return nullptr;
    }
    if (offset > resource.bytes || access.bytes > resource.bytes - offset) {
        foundBehindEnd(actor, resource, offset, writes, nullptr);
        return nullptr;
    }
    if (writes && access.readOnly) {
        foundBehindEnd(actor, resource, offset, writes, "which is read only");
        return nullptr;
    }
    return &resource;
}

void Walk::countRequest(const Actor& actor, const BufferState& state, std::uint64_t byte, std::uint64_t bytes)
{
    if (settings_.counts)
        request_ = actor.group.counts.bufferAccess(actor.invocation, actor.at, state.number, byte, bytes);
}

Origin Walk::traceShared(const Actor& actor, std::uint64_t cell, const Ways& ways, Origin from)
{
    const std::uint32_t variable = variableAt(Space::shared, cell);
    if (variable == none) return 0;
    TracedAccess access;
    access.group = actor.group.number;
    access.phase = actor.group.phase;
    access.invocation = actor.invocation;
    access.shared = true;
    access.memory = tracer_->sharedPlace(variable);
    access.index = cell - code_.variables[variable].first;
    access.reads = ways.reads;
    access.writes = ways.writes;
    access.value = actor.group.shared[cell];
    access.request = request_;
    return tracer_->add(std::move(access), actor.at, from);
}

Origin Walk::traceBuffer(const Actor& actor, const Resource& resource, std::uint64_t word, const Ways& ways,
                         Origin from)
{
    TracedAccess access;
    access.group = actor.group.number;
    access.phase = actor.group.phase;
    access.invocation = actor.invocation;
    access.memory = code_.variables[resource.variable].binding;
    access.index = word;
    access.reads = ways.reads;
    access.writes = ways.writes;
    access.value = resource.state->words[word];
    access.request = request_;
    return tracer_->add(std::move(access), actor.at, from);
}

// bytes: 1 to 8, from byte `byte` of the buffer on.
void Walk::noteBuffer(const Actor& actor, Resource& resource, std::uint64_t byte, std::uint32_t bytes, const Ways& ways)
{
    const std::uint64_t first = byte / 4, last = (byte + bytes - 1) / 4;
    for (std::uint64_t word = first; word <= last; ++word) {
        const std::uint64_t from = std::max(byte, word * 4) % 4, to = std::min(byte + bytes, word * 4 + 4) - word * 4;
        noteWord(actor, resource, word,
                 static_cast<std::uint32_t>(lowBits(static_cast<unsigned>(to)) & ~lowBits(static_cast<unsigned>(from))),
                 ways);
    }
}

// bytes: of the word, one bit each.
void Walk::noteWord(const Actor& actor, Resource& resource, std::uint64_t word, std::uint32_t bytes, const Ways& ways)
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
    if (settings_.counts) {
        InvocationWork& work = group.counts.of(actor.invocation);
        work.reads += ways.reads;
        work.writes += ways.writes;
    }
    if (aliases_) noteAlias(actor, resource, word, ways);
    if (state.shadows.empty()) return;
    Use use;
    use.thread = group.order.threadOf(actor.invocation);
    use.time = group.order.time(actor.invocation);
    use.at = actor.at & 0x7FFFFF;
    use.isPrivate = isPrivate(actor.at);
    use.bytes = bytes & 0xF;
    use.readsOnly = !ways.writes;
    use.atomic = ways.atomic;
    use.reach = static_cast<unsigned>(ways.reach) & 3;
    // It may be a flag, too; what is written after it is no flag until the next memory barrier.
    const bool stores = code_.instructions[actor.at].op == op::store;
    if (ways.writes && (!ways.atomic || stores)) group.order.wroteBuffer(actor.invocation);
    Shadow& shadow = state.shadows[word];
    if (self.waitingSince != 0 && ways.reads)
        noteLate(actor, shadow, word * 4 + static_cast<unsigned>(std::countr_zero(bytes)), resource);
    Conflict conflict;
    const bool fine = (code_.finelyOrdered & maskOf(Kept::buffers)) != 0;
    if (noteUse(shadow, state.more, word, use, fine, group.order, actor.invocation, Kept::buffers, conflict))
        foundRace(actor, conflict, Kept::buffers, resource.variable, word * 4 - std::min(word * 4, resource.offset),
                  ways);
}

// An invocation that has waited reads something from a work-group that was only started because all others waited.
void Walk::noteLate(const Actor& actor, const Shadow& shadow, std::uint64_t byte, const Resource& resource)
{
    for (const Use& use : {shadow.write, shadow.atomics[0], shadow.atomics[1]}) {
        if (use.thread == 0 || use.readsOnly) continue;
        const auto late = lateGroups_.find((use.thread - 1) / code_.invocations);
        if (late == lateGroups_.end() || late->second < actor.self().waitingSince) continue;
        actor.self().waitingSince = 0;
        KernelFinding* finding = findings_.add("forward-progress", actor.at, use.at);
        if (!finding) return;
        finding->actor = describe(actor.group, actor.invocation);
        finding->otherActor = describeThread(actor.group, use, Kept::buffers);
        const Variable& variable = code_.variables[resource.variable];
        finding->variable = variable.name;
        finding->element = elementName(code_, variable, byte - std::min(byte, resource.offset));
        finding->what = called(finding->actor, nullptr) + " waits for '" + finding->element + "', which " +
                        called(finding->otherActor, &finding->actor) +
                        " writes: a work-group that need not start before this one ends";
        return;
    }
}

void Walk::loadBuffer(const Instruction& one, const Actor& actor, const Access& access)
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
    const Ways ways{true, false, access.coherent, false, static_cast<Reach>(access.reach)};
    constexpr Mark unset = mark::data | mark::unset;
    const Mark unsetMark = state.buffer->isKept() ? static_cast<Mark>(unset | mark::own) : unset;
    countRequest(actor, state, from, access.bytes);
    if (!late_.empty()) settleFor(actor, nullptr, &state, from, access.bytes, Reach::invocation);
    if (access.plain && from % 4 == 0) {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const std::uint64_t word = from / 4 + i;
            const bool set = state.set[word] == EmulatedBuffer::allSet;
            actor.cells[one.result + i] = state.words[word];
            actor.marks[one.result + i] = set ? mark::data : unsetMark;
            if (!set) {
                unsetLoaded(actor, Space::buffer, resource->variable, pointer[1] + std::uint64_t{i} * 4);
                unsetLoaded(actor, absent_, state.number << 40 | word);
            }
            noteWord(actor, *resource, word, 0xF, ways);
            if (actor.origins) actor.origins[one.result + i] = traceBuffer(actor, *resource, word, ways, 0);
            if (access.coherent && code_.synchronises)
                synchronise(actor, Kept::buffers, messages_, state.number << 40 | word, ways, false, {});
        }
        return;
    }
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = code_.pieces[access.first + i];
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
            unsetLoaded(actor, Space::buffer, resource->variable, pointer[1] + piece.offset);
            unsetLoaded(actor, absent_, state.number << 40 | at / 4);
        }
        noteBuffer(actor, *resource, at, piece.width / 8, ways);
        if (actor.origins) actor.origins[one.result + i] = traceBuffer(actor, *resource, at / 4, ways, 0);
        if (access.coherent && code_.synchronises)
            synchronise(actor, Kept::buffers, messages_, state.number << 40 | at / 4, ways, false, {});
    }
}

// The line is looked up only once: there may be many such stores.
void Walk::noteUnsetStore(const Actor& actor, const Resource& resource, std::uint64_t offset)
{
    auto& stores = result_.unsetStores;
    const auto [found, isNew] = unsetStoreOf_.try_emplace(actor.at, stores.size());
    if (isNew) {
        KernelLine where = findings_.lineOf(actor.at);
        const auto same =
            std::find_if(stores.begin(), stores.end(), [&](const auto& one) { return one.where == where; });
        found->second = static_cast<std::size_t>(same - stores.begin());
        if (same == stores.end() && stores.size() < 16) {
            UnsetOrigin from = originOfUnset(actor);
            const auto known = [&] {
                return !from.absent && from.variable < code_.variables.size() &&
                       code_.variables[from.variable].space == Space::buffer;
            };
            if (!known()) from = unsetRead_;  // it came through shared memory
            stores.push_back({std::move(where), elementName(code_, code_.variables[resource.variable], offset),
                              known() ? elementName(code_, code_.variables[from.variable], from.offset) : "", 0});
        }
    }
    if (found->second < stores.size()) ++stores[found->second].times;
}

void Walk::storeBuffer(const Instruction& one, const Actor& actor, const Access& access)
{
    const Cell* pointer = actor.cells + one.a;
    Resource* resource = usable(pointer, actor, one.a, true) ? resourceFor(pointer, access, actor, true) : nullptr;
    if (!resource) return;
    BufferState& state = *resource->state;
    const std::uint64_t to = resource->offset + pointer[1];
    const bool flag = access.coherent && actor.group.order.fenced(actor.invocation);
    countRequest(actor, state, to, access.bytes);
    if (!late_.empty()) settleFor(actor, nullptr, &state, to, access.bytes, handedOn(actor, Kept::buffers, {}));
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Piece& piece = code_.pieces[access.first + i];
        const std::uint64_t at = to + piece.offset;
        const Cell value = actor.cells[one.result + i];
        const Mark made = actor.marks[one.result + i];
        const bool set = (made & mark::unset) == 0;
        bool same = true;
        for (std::uint64_t word = at / 4; remembers_ && word <= (at + piece.width / 8 - 1) / 4; ++word)
            remember(nullptr, &state, word, actor.group.order.threadOf(actor.invocation));
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
        memory_ += !same;
        if (!set) {
            constexpr Mark made0 = mark::own | mark::derived;
            if ((made & made0) == made0) foundUnset(actor, "is calculated with, and what comes of it stored,");
            noteUnsetStore(actor, *resource, pointer[1] + piece.offset);
            unsetStored(actor, absent_, state.number << 40 | at / 4);
        }
        const Ways ways{false, true, flag, same, static_cast<Reach>(access.reach)};
        noteBuffer(actor, *resource, at, piece.width / 8, ways);
        if (actor.origins) traceBuffer(actor, *resource, at / 4, ways, actor.origins[one.result + i]);
        if (flag && code_.synchronises)
            synchronise(actor, Kept::buffers, messages_, state.number << 40 | at / 4, ways, true, {});
    }
}

void Walk::arrayLength(const Instruction& one, const Actor& actor)
{
    const Cell* pointer = actor.cells + one.a;
    Cell length = 0;
    if (usable(pointer, actor, one.a, false) && pointer[0] - 1 < resources_.size()) {
        const std::uint64_t bytes = resources_[pointer[0] - 1].bytes;
        if (bytes > one.c) length = (bytes - one.c) / one.b & UINT32_MAX;
    }
    actor.cells[one.result] = length;
    actor.marks[one.result] = 0;
}

}  // namespace a2::emulator
