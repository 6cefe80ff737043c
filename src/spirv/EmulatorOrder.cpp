#include "spirv/EmulatorOrder.h"

#include <utility>

namespace a2::emulator {

std::array<bool, keptKinds> keptBy(std::uint32_t semantics)
{
    return {(semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0,
            (semantics & spv::MemorySemanticsUniformMemoryMask) != 0};
}

bool releases(std::uint32_t semantics)
{
    return (semantics & (spv::MemorySemanticsReleaseMask | spv::MemorySemanticsAcquireReleaseMask |
                         spv::MemorySemanticsSequentiallyConsistentMask)) != 0;
}

bool acquires(std::uint32_t semantics)
{
    return (semantics & (spv::MemorySemanticsAcquireMask | spv::MemorySemanticsAcquireReleaseMask |
                         spv::MemorySemanticsSequentiallyConsistentMask)) != 0;
}

std::uint32_t Known::before(std::uint64_t who, Kept kept) const
{
    const auto found = std::lower_bound(entries.begin(), entries.end(), who,
                                        [](const Entry& entry, std::uint64_t wanted) { return entry.who < wanted; });
    return found == entries.end() || found->who != who ? 0 : found->before[static_cast<std::size_t>(kept)];
}

void Known::add(const Entry& entry)
{
    const auto found = std::lower_bound(entries.begin(), entries.end(), entry.who,
                                        [](const Entry& each, std::uint64_t wanted) { return each.who < wanted; });
    if (found == entries.end() || found->who != entry.who) {
        entries.insert(found, entry);
        return;
    }
    for (std::size_t i = 0; i < keptKinds; ++i) found->before[i] = std::max(found->before[i], entry.before[i]);
}

void Known::join(const Known& other)
{
    if (other.empty()) return;
    std::vector<Entry> all;
    all.reserve(entries.size() + other.entries.size());
    auto a = entries.begin();
    auto b = other.entries.begin();
    while (a != entries.end() || b != other.entries.end()) {
        if (b == other.entries.end() || (a != entries.end() && a->who < b->who)) {
            all.push_back(*a++);
        } else if (a == entries.end() || b->who < a->who) {
            all.push_back(*b++);
        } else {
            Entry both = *a++;
            for (std::size_t i = 0; i < keptKinds; ++i) both.before[i] = std::max(both.before[i], b->before[i]);
            ++b;
            all.push_back(both);
        }
    }
    entries = std::move(all);
}

void GroupOrder::start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin)
{
    group_ = group;
    first_ = static_cast<std::uint32_t>(1 + group * invocations);
    invocations_ = invocations;
    subgroupSize_ = subgroupSize;
    phaseBegin_ = begin;
    times_.assign(invocations, begin);
    for (Space& space : spaces_) {
        space.covered.assign(invocations, begin);
        space.fenced.assign(invocations, 0);
        space.dirty.assign(invocations, 0);
        space.least = begin;
    }
    events_.assign((invocations + subgroupSize - 1) / subgroupSize, {});
    learnt_.assign(invocations, {});
    groupKnown_ = {};
    anyFence_ = anyLearnt_ = false;
}

std::uint32_t GroupOrder::end() const { return *std::max_element(times_.begin(), times_.end()) + 1; }

void GroupOrder::groupBarrier(std::uint32_t semantics)
{
    const std::uint32_t now = end();
    const auto kept = keptBy(semantics);
    for (std::size_t k = 0; k < keptKinds; ++k) {
        Space& space = spaces_[k];
        space.least = now;
        for (std::uint32_t i = 0; i < invocations_; ++i) {
            if (kept[k]) space.dirty[i] = 0;
            if (!space.dirty[i])
                space.covered[i] = now;
            else
                space.covered[i] = std::max(space.covered[i], space.fenced[i]);
            space.least = std::min(space.least, space.covered[i]);
        }
    }
    std::fill(times_.begin(), times_.end(), now);
    phaseBegin_ = now;
    for (auto& events : events_) events.clear();
    if (!anyLearnt_) return;
    for (Known& one : learnt_) {
        groupKnown_.join(one);
        one.entries.clear();
    }
}

void GroupOrder::subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants,
                                 std::uint32_t semantics)
{
    const auto kept = keptBy(semantics);
    if (!kept[0] && !kept[1]) return;
    std::uint32_t now = 0;
    Known all;
    for (std::uint32_t i = 0; i < subgroupSize_ && firstInvocation + i < invocations_; ++i)
        if (participants[i]) {
            now = std::max(now, times_[firstInvocation + i] + 1);
            if (anyLearnt_) all.join(learnt_[firstInvocation + i]);
        }
    for (std::uint32_t i = 0; i < subgroupSize_ && firstInvocation + i < invocations_; ++i)
        if (participants[i]) {
            times_[firstInvocation + i] = now;
            if (anyLearnt_) learnt_[firstInvocation + i] = all;
        }
    auto& events = events_[firstInvocation / subgroupSize_];
    // What the last one has ordered, this one orders, too.
    if (!events.empty() && events.back().participants == participants)
        events.back().time = now;
    else
        events.push_back({now, participants});
}

bool GroupOrder::orderedInSubgroup(const Use& use, std::uint32_t other, std::uint32_t invocation) const
{
    const auto& events = events_[invocation / subgroupSize_];
    const std::uint32_t a = other % subgroupSize_, b = invocation % subgroupSize_;
    for (auto one = events.rbegin(); one != events.rend(); ++one)
        if (one->participants[a] && one->participants[b]) return use.time < one->time;
    return false;
}

void GroupOrder::fence(std::uint32_t invocation, std::uint32_t semantics)
{
    const auto kept = keptBy(semantics);
    ++times_[invocation];
    for (std::size_t k = 0; k < keptKinds; ++k) {
        if (!kept[k]) continue;
        spaces_[k].fenced[invocation] = times_[invocation];
        spaces_[k].dirty[invocation] = 0;
    }
    anyFence_ = true;
}

bool GroupOrder::fenced(std::uint32_t invocation) const
{
    const Space& buffers = of(Kept::buffers);
    return buffers.fenced[invocation] != 0 && !buffers.dirty[invocation];
}

// A memory barrier anywhere in the group will do, where a barrier() came after it: barrier() passes on what is over.
Known GroupOrder::published(std::uint32_t invocation, std::uint32_t semantics) const
{
    Known all;
    const bool release = releases(semantics);
    if (!anyFence_ && !release) return all;
    all = groupKnown_;
    all.join(learnt_[invocation]);
    Known::Entry group, own;
    group.who = Known::wholeGroup + group_;
    own.who = threadOf(invocation);
    const auto kept = keptBy(semantics);
    for (std::size_t k = 0; k < keptKinds; ++k) {
        group.before[k] = spaces_[k].least;
        own.before[k] = release && kept[k] ? times_[invocation] + 1 : spaces_[k].fenced[invocation];
    }
    all.add(group);
    all.add(own);
    return all;
}

void GroupOrder::learn(std::uint32_t invocation, const Known& known)
{
    if (known.empty()) return;
    anyLearnt_ = true;
    learnt_[invocation].join(known);
}

std::uint32_t GroupOrder::known(std::uint32_t invocation, std::uint64_t who, Kept kept) const
{
    return std::max(groupKnown_.before(who, kept), learnt_[invocation].before(who, kept));
}

const Use* noteUse(Shadow& shadow, const Use& use, bool reads, bool writes, bool atomic, const GroupOrder& order,
                   std::uint32_t invocation, Kept kept, Use& conflict)
{
    const Use* found = nullptr;
    const auto clash = [&](const Use& other, bool otherWrites) {
        if (other.thread == 0 || other.thread == use.thread || found) return;
        if ((other.bytes & use.bytes) == 0 || order.ordered(other, otherWrites, invocation, kept)) return;
        conflict = other;
        found = &conflict;
    };
    const auto remember = [&](std::array<Use, 2>& slots) {
        for (Use& slot : slots)
            if (slot.thread == 0 || slot.thread == use.thread || order.ordered(slot, false, invocation, kept)) {
                slot = use;
                return;
            }
        if (!use.readsOnly && slots[1].readsOnly) slots[1] = use;
    };
    clash(shadow.write, true);
    if (writes)
        for (const Use& other : shadow.reads) clash(other, false);
    if (!atomic)
        for (const Use& other : shadow.atomics)
            if (writes || !other.readsOnly) clash(other, !other.readsOnly);
    if (atomic)
        remember(shadow.atomics);
    else if (writes)
        shadow.write = use;
    else if (reads)
        remember(shadow.reads);
    return found;
}

}  // namespace a2::emulator
