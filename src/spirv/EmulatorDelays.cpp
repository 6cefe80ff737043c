#include "spirv/EmulatorDelays.h"

#include "spirv/EmulatorAtomics.h"
#include "spirv/EmulatorSync.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

bool has(KeptMask mask, Kept kept) { return (mask & maskOf(kept)) != 0; }

Kept keptOf(const AtomicWord& word) { return word.home ? Kept::shared : Kept::buffers; }

constexpr std::array<Kept, keptKinds> allKinds = {Kept::shared, Kept::buffers};

}  // namespace

bool mayBeLate(const Code& code, const Instruction& one)
{
    const Atomic& about = code.atomics[one.count];
    const AtomicKind kind = kindOf(one.op);
    const Kept kept = code.accesses[about.access].space == Space::shared ? Kept::shared : Kept::buffers;
    // What comes after an acquire cannot come before what the acquire reads.
    const bool acquires = kind.reads && has(semanticsOf(about.scope, about.semantics).acquires, kept);
    return kind.writes && !about.isUsed && !acquires;
}

const EmulatorSettings::Pause* Delays::of(const Group& group, const Instruction& one) const
{
    for (const EmulatorSettings::Pause& each : state_.settings.pauses)
        if (each.way != EmulatorSettings::Pause::Way::pauses && each.atomic == one.count &&
            (!each.group || *each.group == group.started))
            return &each;
    return nullptr;
}

// Late atomics.

Reach Delays::handedOn(const Actor& actor, Kept kept, const Semantics& semantics) const
{
    const Reach before = actor.group.ordered[actor.invocation].reach.at(static_cast<std::size_t>(kept));
    return has(semantics.releases, kept) ? std::max(before, semantics.reach) : before;
}

void Delays::add(LateAtomic late)
{
    late_.push_back(std::move(late));
    state_.heldSince = state_.result.instructions;
}

void Delays::forget(const Group& group)
{
    std::erase_if(late_, [&](const LateAtomic& one) { return one.word.home == &group; });
}

void Delays::settleFor(const Actor& actor, const Group* home, const BufferState* state, std::uint64_t from,
                       std::uint64_t count, Reach handsOn)
{
    const std::uint32_t thread = actor.group.order.threadOf(actor.invocation);
    for (std::size_t i = 0; i < late_.size();) {
        const LateAtomic& one = late_[i];
        const AtomicWord& word = one.word;
        const bool same =
            word.home == home && word.state == state && word.at < from + count && from < word.at + word.size();
        // If the late atomic came after this write, it would read what this write passes on. Because of its
        // invocation's later acquires, all that comes after those would then have to come after this write, too.
        const bool closed =
            one.reads && handsOn != Reach::invocation && synchronisation_.reaches(thread, handsOn, one.thread) &&
            one.acquired != Reach::invocation && synchronisation_.reaches(one.thread, one.acquired, thread);
        if (same && (one.thread == thread || closed || synchronisation_.reaches(one.thread, one.released, thread))) {
            settle(i);
            i = 0;
        } else {
            ++i;
        }
    }
}

void Delays::settle(std::size_t place)
{
    const LateAtomic one = std::move(late_[place]);
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(place));
    // First those late atomics come that must not learn from this one: see settleFor().
    while (!one.message.empty()) {
        const auto told = std::find_if(late_.begin(), late_.end(), [&](const LateAtomic& other) {
            const AtomicWord &a = other.word, &b = one.word;
            return a.home == b.home && a.state == b.state && a.at < b.at + b.size() && b.at < a.at + a.size() &&
                   other.reads && other.acquired != Reach::invocation &&
                   synchronisation_.reaches(other.thread, other.acquired, one.thread);
        });
        if (told == late_.end()) break;
        settle(static_cast<std::size_t>(told - late_.begin()));
    }
    const Instruction& instruction = state_.code.instructions[one.at];
    const AtomicKind kind = kindOf(instruction.op);
    Mark oldMark = 0;
    const Cell old = valueOf(one.word, oldMark);
    const bool equal = !kind.compares || old == one.comparator;
    if (!equal) return;
    const Cell now = changedBy(instruction, old, one.given, equal);
    state_.memory += now != old;
    const Mark made = kind.changes ? static_cast<Mark>((oldMark | one.mark) & mark::data) : one.mark;
    change(one.word, now, made, one.thread);
    if (one.word.home)
        synchronisation_.publish(one.word.home->messages, one.word.at, one.message, !kind.reads);
    else
        synchronisation_.publish(synchronisation_.inBuffers(), one.word.state->number << 40 | one.word.at / 4,
                                 one.message, !kind.reads);
}

bool Delays::settleFirst()
{
    if (late_.empty()) return false;
    settle(late_.front().lastFirst ? late_.size() - 1 : 0);
    return true;
}

void Delays::release(const Group& group, std::uint32_t invocation, const Semantics& semantics)
{
    const std::uint32_t thread = group.order.threadOf(invocation);
    for (std::size_t i = 0; i < late_.size();) {
        LateAtomic& one = late_[i];
        const Kept kept = keptOf(one.word);
        ++i;
        if (!has(semantics.releases, kept)) continue;
        if (!synchronisation_.reaches(one.thread, one.released, thread)) continue;
        one.released = std::max(one.released, semantics.reach);
        if (one.released < (kept == Kept::shared ? Reach::group : Reach::device)) continue;
        settle(i - 1);
        i = 0;
    }
}

// Both late and early atomics.

void Delays::fence(Group& group, std::uint32_t invocation, const Semantics& semantics)
{
    release(group, invocation, semantics);
    acquire(group, invocation, semantics);
    Ordered& self = group.ordered[invocation];
    for (const Kept kept : allKinds) {
        if (!has(semantics.releases, kept)) continue;
        const auto k = static_cast<std::size_t>(kept);
        self.reach.at(k) = std::max(self.reach.at(k), semantics.reach);
        self.released.at(k) = ++moment_;
    }
}

void Delays::acquire(Group& group, std::uint32_t invocation, const Semantics& semantics)
{
    for (LateAtomic& one : late_)
        if (one.thread == group.order.threadOf(invocation) && has(semantics.acquires, keptOf(one.word)))
            one.acquired = std::max(one.acquired, semantics.reach);
    ++moment_;
    Ordered& self = group.ordered[invocation];
    for (const Kept kept : allKinds) {
        if (!has(semantics.acquires, kept)) continue;
        const auto k = static_cast<std::size_t>(kept);
        if (semantics.reach == Reach::device || (kept == Kept::shared && semantics.reach == Reach::group)) {
            self.acquired.at(k) = moment_;
            continue;
        }
        // The acquires of all invocations that may have released to this one.
        self.near.at(k) = moment_;
        for (const Ordered& other : group.ordered)
            self.acquired.at(k) = std::max(self.acquired.at(k), other.acquired.at(k));
    }
}

void Delays::meet(Group& group, const std::vector<std::uint32_t>& members, const Semantics& semantics)
{
    for (const std::uint32_t i : members) release(group, i, semantics);
    for (std::size_t k = 0; k < keptKinds; ++k) {
        Ordered all;
        for (const std::uint32_t i : members) {
            const Ordered& one = group.ordered[i];
            all.reach.at(k) = std::max(all.reach.at(k), one.reach.at(k));
            all.acquired.at(k) = std::max(all.acquired.at(k), one.acquired.at(k));
            all.near.at(k) = std::max(all.near.at(k), one.near.at(k));
        }
        for (const std::uint32_t i : members) {
            Ordered& one = group.ordered[i];
            one.reach.at(k) = all.reach.at(k);
            one.acquired.at(k) = all.acquired.at(k);
            one.near.at(k) = all.near.at(k);
        }
    }
    for (const std::uint32_t i : members) fence(group, i, semantics);
}

// Early atomics.

void Delays::remember(Group* home, const BufferState* state, std::uint64_t word, std::uint32_t thread, bool adds)
{
    FormerValue was;
    was.moment = ++moment_;
    was.thread = thread;
    was.added = adds;
    if (home) {
        was.value = home->shared[word];
        was.mark = home->sharedMarks[word];
        home->history[word].push_back(was);
    } else {
        was.value = state->words[word];
        was.mark = state->set[word] == EmulatedBuffer::allSet ? Mark{0} : Mark{mark::unset};
        history_[state->number << 40 | word].push_back(was);
    }
}

void Delays::change(const AtomicWord& word, Cell value, Mark made, std::uint32_t thread, bool adds)
{
    if (word.home) {
        if (state_.remembers) remember(word.home, nullptr, word.at, thread, adds);
        word.home->shared[word.at] = value;
        word.home->sharedMarks[word.at] = made;
        return;
    }
    BufferState& state = *word.state;
    const bool set = (made & mark::unset) == 0;
    for (std::uint32_t k = 0; k < word.width / 32; ++k) {
        if (state_.remembers) remember(nullptr, &state, word.at / 4 + k, thread, adds);
        state.words[word.at / 4 + k] = static_cast<std::uint32_t>(value >> (32 * k));
        state.set[word.at / 4 + k] = set ? EmulatedBuffer::allSet : 0;
    }
    for (std::uint32_t k = 0; word.width < 32 && k < word.width / 8; ++k)
        state.buffer->put(word.at + k, static_cast<std::uint8_t>(value >> (8 * k)), set);
}

std::optional<Recalled> Delays::recalled(const Actor& actor, const AtomicWord& word, bool writes) const
{
    Group& group = actor.group;
    const auto kept = static_cast<std::size_t>(keptOf(word));
    const Ordered& self = group.ordered[actor.invocation];
    const std::uint32_t thread = group.order.threadOf(actor.invocation);
    const std::uint32_t begin = group.order.threadOf(0);
    const std::uint64_t first = word.home ? word.at : word.state->number << 40 | word.at / 4;
    const std::uint64_t words = word.home ? 1 : word.width / 32;
    const History& history = word.home ? group.history : history_;
    std::uint64_t since = std::max(self.acquired.at(kept), writes ? self.released.at(kept) : 0);
    for (std::uint64_t i = 0; i < words; ++i) {
        if (const auto used = self.used.at(kept).find(first + i); used != self.used.at(kept).end())
            since = std::max(since, used->second);
        const auto found = history.find(first + i);
        if (found == history.end()) continue;
        for (const FormerValue& was : found->second) {
            const bool own = was.thread >= begin && was.thread - begin < state_.code.invocations;
            if (was.thread == thread || (own && was.moment <= self.near.at(kept))) since = std::max(since, was.moment);
        }
    }
    bool any = false;
    Recalled former;
    for (std::uint64_t i = 0; i < words; ++i) {
        Cell one = word.home ? group.shared[word.at] : word.state->words[word.at / 4 + i];
        Mark mark = word.home                                                    ? group.sharedMarks[word.at]
                    : word.state->set[word.at / 4 + i] == EmulatedBuffer::allSet ? Mark{0}
                                                                                 : Mark{mark::unset};
        if (const auto found = history.find(first + i); found != history.end()) {
            const auto was = std::find_if(found->second.begin(), found->second.end(),
                                          [&](const FormerValue& each) { return each.moment > since; });
            if (was != found->second.end()) {
                any = any || one != was->value || mark != was->mark;
                one = was->value;
                mark = was->mark;
                former.onlyAdded = former.onlyAdded && std::all_of(was, found->second.end(),
                                                                   [](const FormerValue& each) { return each.added; });
            }
        }
        former.value |= one << (32 * i);
        former.mark = static_cast<Mark>(former.mark | mark);
    }
    return any ? std::optional(former) : std::nullopt;
}

void Delays::noteUsed(const Actor& actor, const AtomicWord& word)
{
    const auto kept = static_cast<std::size_t>(keptOf(word));
    const std::uint64_t first = word.home ? word.at : word.state->number << 40 | word.at / 4;
    ++moment_;
    for (std::uint64_t i = 0; i < (word.home ? 1 : word.width / 32); ++i)
        actor.group.ordered[actor.invocation].used.at(kept)[first + i] = moment_;
}

}  // namespace a2::emulator
