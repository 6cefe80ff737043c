#include "spirv/EmulatorOrder.h"

#include <utility>

namespace a2::emulator {

namespace {

constexpr unsigned fromAt = 34, toAt = 36, seenAt = 38, numberAt = 39;

Reach further(Reach reach) { return static_cast<Reach>(static_cast<unsigned>(reach) + 1); }

std::uint64_t keyOf(Reach from, Reach to)
{
    return static_cast<std::uint64_t>(from) << fromAt | static_cast<std::uint64_t>(to) << toAt;
}

void learn(Knowledge& to, std::vector<Known::Entry> entries)
{
    if (entries.empty()) return;
    std::sort(entries.begin(), entries.end(),
              [](const Known::Entry& a, const Known::Entry& b) { return a.who < b.who; });
    auto made = std::make_shared<Known>();
    for (const Known::Entry& one : entries) {
        if (made->entries.empty() || made->entries.back().who != one.who) made->entries.push_back({one.who, {}});
        for (std::size_t k = 0; k < keptKinds; ++k) {
            std::uint32_t& before = made->entries.back().before[k];
            before = std::max(before, one.before[k]);
        }
    }
    join(to, made);
}

// An entry that becomes known through an order of these kinds of memory.
Known::Entry entryOf(std::uint64_t who, std::uint32_t before, KeptMask by)
{
    Known::Entry one;
    one.who = who;
    for (std::size_t k = 0; k < keptKinds; ++k) one.before[k] = (by >> k & 1) != 0 ? before : 0;
    return one;
}

// What an invocation has made visible to itself by reading it stays visible, until there is another write.
bool hasSeen(const Shadow& shadow, const OtherUses* others, const Use& use, Reach from)
{
    const auto did = [&](const Use& one) {
        return one.thread == use.thread && one.readsOnly && static_cast<Reach>(one.reach) >= from;
    };
    return std::any_of(shadow.reads.begin(), shadow.reads.end(), did) ||
           std::any_of(shadow.atomics.begin(), shadow.atomics.end(), did) ||
           (others && std::any_of(others->all().begin(), others->all().end(), did));
}

std::uint64_t kindOf(const Use& use)
{
    return std::uint64_t{use.thread} << 8 | std::uint64_t{use.bytes} << 2 | std::uint64_t{use.readsOnly} << 1 |
           std::uint64_t{use.atomic};
}

}  // namespace

void OtherUses::keep(const Use& use)
{
    onlyRead_ = onlyRead_ && use.readsOnly;
    const auto isBefore = [](const Use& one, std::uint64_t kind) { return kindOf(one) < kind; };
    const bool isLast = uses_.empty() || kindOf(uses_.back()) < kindOf(use);
    const auto place = isLast ? uses_.end() : std::lower_bound(uses_.begin(), uses_.end(), kindOf(use), isBefore);
    if (place != uses_.end() && kindOf(*place) == kindOf(use))
        *place = use;
    else
        uses_.insert(place, use);
}

Reach reachOf(std::uint32_t scope)
{
    switch (scope) {
        case spv::ScopeInvocation:
            return Reach::invocation;
        case spv::ScopeSubgroup:
            return Reach::subgroup;
        case spv::ScopeWorkgroup:
            return Reach::group;
        default:
            return Reach::device;
    }
}

Semantics semanticsOf(std::uint32_t scope, std::uint32_t semantics)
{
    KeptMask mask = 0;
    if ((semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0) mask |= maskOf(Kept::shared);
    if ((semantics & spv::MemorySemanticsUniformMemoryMask) != 0) mask |= maskOf(Kept::buffers);
    const std::uint32_t both = spv::MemorySemanticsAcquireReleaseMask | spv::MemorySemanticsSequentiallyConsistentMask;
    Semantics made;
    made.reach = reachOf(scope);
    if (made.reach == Reach::invocation) return made;  // it orders only what is already in order
    if ((semantics & (both | spv::MemorySemanticsReleaseMask)) != 0) made.releases = mask;
    if ((semantics & (both | spv::MemorySemanticsAcquireMask)) != 0) made.acquires = mask;
    const auto does = [&](KeptMask about, std::uint32_t what) {
        return (about & maskOf(Kept::buffers)) != 0 && (semantics & what) != 0;
    };
    made.makesAvailable = does(made.releases, spv::MemorySemanticsMakeAvailableMask);
    made.makesVisible = does(made.acquires, spv::MemorySemanticsMakeVisibleMask);
    return made;
}

std::uint32_t Known::before(std::uint64_t who, Kept kept) const
{
    const auto found = std::lower_bound(entries.begin(), entries.end(), who,
                                        [](const Entry& entry, std::uint64_t wanted) { return entry.who < wanted; });
    return found == entries.end() || found->who != who ? 0 : found->before[static_cast<std::size_t>(kept)];
}

void Known::join(const Known& other, KeptMask mask)
{
    std::vector<Entry> all;
    all.reserve(entries.size() + other.entries.size());
    const auto masked = [&](Entry entry) {
        for (std::size_t k = 0; k < keptKinds; ++k)
            if ((mask >> k & 1) == 0) entry.before[k] = 0;
        return entry;
    };
    auto a = entries.begin();
    auto b = other.entries.begin();
    while (a != entries.end() || b != other.entries.end()) {
        if (b == other.entries.end() || (a != entries.end() && a->who < b->who)) {
            all.push_back(*a++);
        } else if (a == entries.end() || b->who < a->who) {
            all.push_back(masked(*b++));
        } else {
            Entry both = *a++;
            const Entry more = masked(*b++);
            for (std::size_t k = 0; k < keptKinds; ++k) both.before[k] = std::max(both.before[k], more.before[k]);
            all.push_back(both);
        }
    }
    entries = std::move(all);
}

void join(Knowledge& to, const Knowledge& more, KeptMask mask)
{
    if (!more || mask == 0 || more == to) return;
    if (!to && mask == allKept) {
        to = more;
        return;
    }
    auto all = to ? std::make_shared<Known>(*to) : std::make_shared<Known>();
    all->join(*more, mask);
    to = std::move(all);
}

std::uint64_t Known::available(Reach from, Reach to) { return keyOf(from, to); }

std::uint64_t Known::seen(Reach from, Reach to, std::uint32_t number)
{
    return keyOf(from, to) | std::uint64_t{1} << seenAt | std::uint64_t{number} << numberAt;
}

Known::About Known::about(std::uint64_t who)
{
    About one;
    one.who = who & lowBits(fromAt);
    one.from = static_cast<Reach>(who >> fromAt & 3);
    one.to = static_cast<Reach>(who >> toAt & 3);
    one.seen = (who >> seenAt & 1) != 0;
    one.number = static_cast<std::uint32_t>(who >> numberAt);
    return one;
}

void GroupOrder::start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin,
                       bool apart)
{
    apart_ = apart;
    if (apart) seen_.assign(invocations, {});
    group_ = group;
    first_ = static_cast<std::uint32_t>(1 + group * invocations);
    invocations_ = invocations;
    subgroupSize_ = subgroupSize;
    times_.assign(invocations, begin);
    least_.fill(begin);
    subgroupLeast_.assign((invocations + subgroupSize - 1) / subgroupSize, least_);
    fencedBuffers_.assign(invocations, 0);
    fences_.resize(invocations);
    pending_.resize(invocations);
    learnt_.resize(invocations);
    if (anyFence_)
        for (auto& each : fences_) each.clear();
    if (anyPending_)
        for (auto& each : pending_) each.clear();
    if (anyLearnt_)
        for (auto& each : learnt_) each.reset();
    groupKnown_.reset();
    anyFence_ = anyLearnt_ = anyPending_ = false;
}

std::uint32_t GroupOrder::end() const { return *std::max_element(times_.begin(), times_.end()) + 1; }

// Numbered among all subgroups of the dispatch.
std::uint64_t GroupOrder::subgroupName(std::uint32_t thread) const
{
    const std::uint64_t group = (thread - 1) / invocations_;
    return Known::wholeSubgroup + group * subgroupLeast_.size() + (thread - 1) % invocations_ / subgroupSize_;
}

bool GroupOrder::sameDomain(std::uint32_t thread, std::uint32_t other, Reach reach) const
{
    switch (reach) {
        case Reach::invocation:
            return thread == other;
        case Reach::subgroup:
            return subgroupName(thread) == subgroupName(other);
        case Reach::group:
            return (thread - 1) / invocations_ == (other - 1) / invocations_;
        case Reach::device:
            return true;
    }
    return false;
}

bool GroupOrder::inScope(const Use& use, std::uint32_t invocation, Kept kept, Reach reach) const
{
    const std::uint32_t thread = kept == Kept::shared ? first_ + use.thread - 1 : use.thread;
    return sameDomain(thread, threadOf(invocation), std::min(static_cast<Reach>(use.reach), reach));
}

std::uint32_t GroupOrder::before(const Known* known, std::uint32_t thread, Kept kept, std::uint64_t about) const
{
    if (!known) return 0;
    return std::max({known->before(about | thread, kept), known->before(about | subgroupName(thread), kept),
                     known->before(about | (Known::wholeGroup + (thread - 1) / invocations_), kept)});
}

std::uint32_t GroupOrder::known(std::uint32_t invocation, std::uint32_t thread, Kept kept, std::uint64_t about) const
{
    return std::max(before(groupKnown_.get(), thread, kept, about),
                    before(learnt_[invocation].get(), thread, kept, about));
}

GroupOrder::Fence GroupOrder::fenceNow(std::uint32_t invocation, Reach reach, KeptMask mask) const
{
    Fence made;
    made.reach = reach;
    made.mask = mask;
    made.time = times_[invocation];
    made.least = least_;
    made.subgroupLeast = subgroupLeast_[invocation / subgroupSize_];
    made.learnt = learnt_[invocation];
    made.groupKnown = groupKnown_;
    return made;
}

const Knowledge& GroupOrder::wholeOf(Fence& fence, std::uint32_t invocation) const
{
    if (fence.whole) return fence.whole;
    const std::uint32_t thread = threadOf(invocation);
    auto all = std::make_shared<Known>();
    all->entries = {{thread, {fence.time, fence.time}},
                    {Known::wholeGroup + group_, fence.least},
                    {subgroupName(thread), fence.subgroupLeast}};
    if (fence.learnt) all->join(*fence.learnt);
    if (fence.groupKnown) all->join(*fence.groupKnown);
    fence.whole = std::move(all);
    return fence.whole;
}

// Forgets an earlier fence if it says no more than this one.
void GroupOrder::hold(std::uint32_t invocation, Reach reach, KeptMask mask)
{
    if (mask == maskOf(Kept::shared)) reach = std::min(reach, Reach::group);  // other work-groups do not have it
    auto& fences = fences_[invocation];
    std::erase_if(fences, [&](const Fence& one) { return one.reach <= reach && (one.mask & ~mask) == 0; });
    fences.push_back(fenceNow(invocation, reach, mask));
    anyFence_ = true;
}

void GroupOrder::take(std::uint32_t invocation, const Release& release, Reach reach, KeptMask mask)
{
    mask &= release.mask;
    if (mask == 0 || !sameDomain(release.thread, threadOf(invocation), std::min(release.reach, reach))) return;
    join(learnt_[invocation], release.known, mask);
    anyLearnt_ = true;
}

void GroupOrder::wait(std::uint32_t invocation, KeptMask by, const Release& release)
{
    anyPending_ = true;
    auto& all = pending_[invocation];
    for (Pending& one : all)
        if (one.by == by && one.release.reach == release.reach && one.release.mask == release.mask &&
            sameDomain(one.release.thread, release.thread, release.reach))
            return join(one.release.known, release.known);
    all.push_back({by, release});
}

// An acquire takes what was read by atomics in the kinds of memory that it names, for these kinds.
void GroupOrder::acquire(std::uint32_t invocation, Reach reach, KeptMask mask)
{
    if (!anyPending_ || mask == 0) return;
    auto& all = pending_[invocation];
    for (const Pending& one : all)
        if ((one.by & mask) != 0) take(invocation, one.release, reach, mask);
    std::erase_if(all, [&](const Pending& one) {
        return (one.by & mask) != 0 && one.release.reach <= reach && (one.release.mask & ~mask) == 0;
    });
}

void GroupOrder::fence(std::uint32_t invocation, const Semantics& semantics)
{
    acquire(invocation, semantics.reach, semantics.acquires);
    if (apart_ && semantics.makesVisible) makeVisible(invocation, semantics.reach, semantics.acquires);
    if (semantics.releases == 0) return;
    ++times_[invocation];
    if (apart_ && semantics.makesAvailable)
        makeAvailable(invocation, semantics.reach, semantics.releases, threadOf(invocation));
    hold(invocation, semantics.reach, semantics.releases);
    if ((semantics.releases & maskOf(Kept::buffers)) != 0) fencedBuffers_[invocation] = 1;
}

// What a barrier does about memory that it does not order as a whole: `members` pass on what they have released before
// it, and take it there or at a later acquire. GLSL's own contract is a little wider than the model: what a memory
// barrier has ordered is seen after the next barrier(), although that only acquires shared memory.
void GroupOrder::meet(std::uint32_t first, const std::vector<std::uint32_t>& members, const Semantics& semantics,
                      KeptMask whole, Reach reach)
{
    const auto rest = static_cast<KeptMask>(allKept & ~whole);
    const bool reaches = semantics.reach >= reach;
    if (rest == 0 || (!anyFence_ && !(reaches && semantics.releases != 0))) return;
    Known all;
    std::array<std::uint32_t, keptKinds> least{UINT32_MAX, UINT32_MAX};
    std::vector<Knowledge> learnt;
    KeptMask some = 0;
    Reach nearest = Reach::device;
    std::vector<std::uint32_t> fenced;  // for each member: until when
    for (const std::uint32_t i : members) {
        Known::Entry own, subgroup;
        own.who = threadOf(i);
        subgroup.who = subgroupName(threadOf(i));
        const auto pass = [&](const Fence& one) {
            const auto mask = static_cast<KeptMask>(one.mask & rest);
            if (one.reach < reach || mask == 0) return;
            some |= mask;
            nearest = std::min(nearest, one.reach);
            for (std::size_t k = 0; k < keptKinds; ++k)
                if ((mask >> k & 1) != 0) {
                    own.before[k] = std::max(own.before[k], one.time);
                    subgroup.before[k] = std::max(subgroup.before[k], one.subgroupLeast[k]);
                }
            if (!one.learnt || (!learnt.empty() && learnt.back() == one.learnt)) return;
            auto masked = one.learnt;
            if (mask != allKept) {
                masked.reset();
                join(masked, one.learnt, mask);
            }
            learnt.push_back(std::move(masked));
        };
        for (const Fence& one : fences_[i]) pass(one);
        if (reaches && semantics.releases != 0) pass(fenceNow(i, semantics.reach, semantics.releases));
        for (std::size_t k = 0; k < keptKinds; ++k) least[k] = std::min(least[k], own.before[k]);
        fenced.push_back(std::max(own.before[0], own.before[1]));
        all.entries.push_back(own);
        const auto known = std::find_if(all.entries.rbegin(), all.entries.rend(),
                                        [&](const Known::Entry& one) { return one.who == subgroup.who; });
        if (known == all.entries.rend())
            all.entries.push_back(subgroup);
        else
            for (std::size_t k = 0; k < keptKinds; ++k)
                known->before[k] = std::max(known->before[k], subgroup.before[k]);
    }
    if (some == 0) return;
    const bool full = semantics.releases != 0 && semantics.acquires != 0;  // barrier() itself
    const KeptMask now = reaches ? (full ? some : static_cast<KeptMask>(some & semantics.acquires)) : KeptMask{0};
    // If all of them have done so, a single time expresses it.
    if (reach == Reach::group)
        for (std::size_t k = 0; k < keptKinds; ++k)
            if ((now >> k & 1) != 0 && least[k] != 0) {
                least_[k] = std::max(least_[k], least[k]);
                for (auto& one : all.entries)
                    if (one.before[k] <= least_[k]) one.before[k] = 0;
            }
    std::erase_if(all.entries, [](const Known::Entry& one) { return one.before[0] == 0 && one.before[1] == 0; });
    std::sort(all.entries.begin(), all.entries.end(),
              [](const Known::Entry& a, const Known::Entry& b) { return a.who < b.who; });
    Knowledge told = all.entries.empty() ? nullptr : std::make_shared<const Known>(std::move(all));
    for (const Knowledge& one : learnt) join(told, one);
    // An invocation that goes on from such a barrier() passes on what the memory barriers before it have ordered.
    const auto goOn = [&](KeptMask mask) {
        for (std::size_t m = 0; m < members.size() && mask != 0; ++m) {
            hold(members[m], nearest, mask);
            fences_[members[m]].back().time = fenced[m];
        }
    };
    const auto byFences = static_cast<KeptMask>(now & ~semantics.acquires);
    if (!told) return goOn(byFences);
    if (now != 0) {
        anyLearnt_ = true;
        if (reach == Reach::group)
            join(groupKnown_, told, now);
        else
            for (const std::uint32_t i : members) join(learnt_[i], told, now);
    }
    goOn(byFences);
    const auto later = static_cast<KeptMask>(some & ~now);
    if (later == 0) return;
    const Release release{reach, later, threadOf(first), told};
    for (const std::uint32_t i : members) wait(i, allKept, release);
}

void GroupOrder::groupBarrier(const Semantics& semantics)
{
    const std::uint32_t now = end();
    if (semantics.reach == Reach::subgroup)
        for (std::uint32_t first = 0; first < invocations_; first += subgroupSize_)
            subgroupBarrier(first, std::bitset<128>().set(), semantics);
    const bool reaches = semantics.reach >= Reach::group;
    const auto whole = reaches ? static_cast<KeptMask>(semantics.releases & semantics.acquires) : KeptMask{0};
    if (anyPending_ && reaches)
        for (std::uint32_t i = 0; i < invocations_; ++i) acquire(i, semantics.reach, semantics.acquires);
    std::fill(times_.begin(), times_.end(), now);
    const bool together = (whole & maskOf(Kept::buffers)) != 0;
    if (apart_ && semantics.makesAvailable)
        for (std::uint32_t i = 0; i < invocations_; ++i) {
            const bool same = together && i % subgroupSize_ != 0 && !learnt_[i];  // the same as the one before it
            if (same) continue;
            const std::uint64_t all = i == 0 ? Known::wholeGroup + group_ : 0;
            makeAvailable(i, semantics.reach, semantics.releases, together ? all : threadOf(i));
        }
    if (whole != allKept && (anyFence_ || semantics.releases != semantics.acquires)) {
        std::vector<std::uint32_t> members(invocations_);
        for (std::uint32_t i = 0; i < invocations_; ++i) members[i] = i;
        meet(0, members, semantics, whole, Reach::group);
    }
    for (std::size_t k = 0; k < keptKinds; ++k)
        if ((whole >> k & 1) != 0) least_[k] = now;
    if (anyLearnt_ && whole != 0)
        for (Knowledge& one : learnt_) {
            join(groupKnown_, one, whole);
            if (whole == allKept) one.reset();
        }
    if (apart_ && semantics.makesVisible)
        for (std::uint32_t i = 0; i < invocations_; ++i) makeVisible(i, semantics.reach, semantics.acquires);
    if (anyFence_)
        for (auto& fences : fences_)
            std::erase_if(fences,
                          [&](const Fence& one) { return one.reach <= Reach::group && (one.mask & ~whole) == 0; });
    const bool further = semantics.reach > Reach::group && (semantics.releases & maskOf(Kept::buffers)) != 0;
    if (reaches && semantics.releases != 0 && (further || semantics.releases != whole))
        for (std::uint32_t i = 0; i < invocations_; ++i) hold(i, semantics.reach, semantics.releases);
}

void GroupOrder::subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants,
                                 const Semantics& semantics)
{
    std::vector<std::uint32_t> members;
    const std::uint32_t size = std::min(subgroupSize_, invocations_ - firstInvocation);
    std::uint32_t now = 0;
    for (std::uint32_t i = 0; i < size; ++i)
        if (participants[i]) {
            members.push_back(firstInvocation + i);
            now = std::max(now, times_[members.back()] + 1);
        }
    const bool reaches = semantics.reach >= Reach::subgroup;
    const auto whole = reaches ? static_cast<KeptMask>(semantics.releases & semantics.acquires) : KeptMask{0};
    for (const std::uint32_t i : members) {
        acquire(i, semantics.reach, semantics.acquires);
        times_[i] = now;
        if (apart_ && semantics.makesAvailable) makeAvailable(i, semantics.reach, semantics.releases, threadOf(i));
    }
    meet(firstInvocation, members, semantics, whole, Reach::subgroup);
    if (whole != 0) {
        Knowledge all;
        if (members.size() < size) {
            auto own = std::make_shared<Known>();
            for (const std::uint32_t i : members) own->entries.push_back({threadOf(i), {now, now}});
            all = std::move(own);
            anyLearnt_ = true;
        } else {
            for (std::size_t k = 0; k < keptKinds; ++k)
                if ((whole >> k & 1) != 0) subgroupLeast_[firstInvocation / subgroupSize_][k] = now;
        }
        if (anyLearnt_) {
            for (const std::uint32_t i : members) join(all, learnt_[i], whole);
            for (const std::uint32_t i : members) join(learnt_[i], all, whole);
        }
    }
    if (apart_ && semantics.makesVisible)
        for (const std::uint32_t i : members) makeVisible(i, semantics.reach, semantics.acquires);
    if (reaches && semantics.releases != 0 && (semantics.reach > Reach::subgroup || semantics.releases != whole))
        for (const std::uint32_t i : members) hold(i, semantics.reach, semantics.releases);
}

Message GroupOrder::published(std::uint32_t invocation, Kept kept, const Semantics& semantics)
{
    Message all;
    if (anyFence_)
        for (Fence& one : fences_[invocation])
            if ((one.mask & maskOf(kept)) != 0)
                all.push_back({one.reach, one.mask, threadOf(invocation), wholeOf(one, invocation)});
    if (semantics.releases == 0) return all;
    ++times_[invocation];
    if (apart_ && semantics.makesAvailable)
        makeAvailable(invocation, semantics.reach, static_cast<KeptMask>(semantics.releases | maskOf(kept)),
                      threadOf(invocation));
    Fence now = fenceNow(invocation, semantics.reach, semantics.releases);
    add(all, {{now.reach, now.mask, threadOf(invocation), wholeOf(now, invocation)}});
    return all;
}

void GroupOrder::add(Message& to, const Message& more) const
{
    for (const Release& one : more) {
        const auto like = std::find_if(to.begin(), to.end(), [&](const Release& other) {
            return other.reach == one.reach && other.mask == one.mask &&
                   sameDomain(other.thread, one.thread, one.reach);
        });
        if (like == to.end())
            to.push_back(one);
        else
            join(like->known, one.known);
    }
}

void GroupOrder::read(std::uint32_t invocation, Kept kept, const Message& message, const Semantics& semantics)
{
    for (const Release& one : message) {
        take(invocation, one, semantics.reach, semantics.acquires);
        if ((one.mask & ~semantics.acquires) != 0 || semantics.reach < one.reach) wait(invocation, maskOf(kept), one);
    }
    if (apart_ && semantics.makesVisible)
        makeVisible(invocation, semantics.reach, static_cast<KeptMask>(semantics.acquires | maskOf(kept)));
}

// Availability and visibility: operations that each reach further than the one before it take a write from its
// invocation out to a subgroup, a work-group and the device; others take it in to another invocation, in the opposite
// order.

// The smallest scope that two invocations share.
Reach GroupOrder::nearest(std::uint32_t thread, std::uint32_t other) const
{
    Reach reach = Reach::invocation;
    while (!sameDomain(thread, other, reach)) reach = further(reach);
    return reach;
}

Reach GroupOrder::nearest(const Use& use, std::uint32_t invocation, Kept kept) const
{
    return nearest(kept == Kept::shared ? first_ + use.thread - 1 : use.thread, threadOf(invocation));
}

// The smallest scope that an invocation shares with all those that an entry concerns.
Reach GroupOrder::nearestOf(std::uint64_t who, std::uint32_t thread) const
{
    const auto number = static_cast<std::uint32_t>(who);
    const auto inGroup = [&](std::uint32_t group) {
        return group == (thread - 1) / invocations_ ? Reach::group : Reach::device;
    };
    if ((who & Known::wholeGroup) != 0) return inGroup(number);
    if ((who & Known::wholeSubgroup) == 0) return nearest(number, thread);
    if (who == subgroupName(thread)) return Reach::subgroup;
    return inGroup(static_cast<std::uint32_t>(number / subgroupLeast_.size()));
}

// The number among all subgroups, or work-groups, of the dispatch.
std::uint32_t GroupOrder::numberOf(std::uint32_t thread, Reach reach) const
{
    if (reach == Reach::subgroup) return static_cast<std::uint32_t>(subgroupName(thread) - Known::wholeSubgroup);
    return reach == Reach::group ? (thread - 1) / invocations_ : 0;
}

// Writes that are over, in the order of buffers, are available as far as their own instructions made them; further
// knowledge counts if it came by any of the orders `by`. The time is the one before which the writes happened.
GroupOrder::Writes GroupOrder::writesKnown(std::uint32_t invocation, KeptMask by) const
{
    constexpr auto buffers = static_cast<std::size_t>(Kept::buffers);
    const std::uint32_t thread = threadOf(invocation);
    Writes all;
    const auto over = [&](std::uint64_t who, std::uint32_t before) {
        Known::About about;
        about.who = who;
        about.from = about.to = nearestOf(who, thread);
        if (before != 0) all.emplace_back(about, before);
    };
    over(Known::wholeGroup + group_, least_[buffers]);
    over(subgroupName(thread), std::max(least_[buffers], subgroupLeast_[invocation / subgroupSize_][buffers]));
    for (const Known* known : {groupKnown_.get(), learnt_[invocation].get()}) {
        if (!known) continue;
        for (const Known::Entry& one : known->entries) {
            const Known::About about = Known::about(one.who);
            if (about.who == one.who) {
                over(one.who, one.before[buffers]);
                continue;
            }
            std::uint32_t before = 0;
            for (std::size_t k = 0; k < keptKinds; ++k)
                if ((by >> k & 1) != 0) before = std::max(before, one.before[k]);
            if (before != 0) all.emplace_back(about, before);
        }
    }
    return all;
}

// own: this is the first such operation for all writes of this `who`; 0: for none.
void GroupOrder::makeAvailable(std::uint32_t invocation, Reach reach, KeptMask by, std::uint64_t own)
{
    std::vector<Known::Entry> made;
    const auto make = [&](std::uint64_t who, Reach from, Reach already, std::uint32_t before) {
        for (Reach to = already; to < reach;) {
            to = further(to);
            made.push_back(entryOf(Known::available(from, to) | who, before, by));
        }
    };
    if (own != 0) make(own, Reach::invocation, Reach::invocation, times_[invocation]);
    for (const auto& [about, before] : writesKnown(invocation, by))
        if (!about.seen && about.to >= nearestOf(about.who, threadOf(invocation)))
            make(about.who, about.from, about.to, before);
    if (made.empty()) return;
    learn(learnt_[invocation], std::move(made));
    anyLearnt_ = true;
}

void GroupOrder::makeVisible(std::uint32_t invocation, Reach reach, KeptMask by)
{
    const std::uint32_t thread = threadOf(invocation);
    std::vector<Known::Entry> mine, others;
    for (const auto& [about, before] : writesKnown(invocation, by)) {
        Reach in = about.to;  // from where it comes in
        if (about.seen) {
            if (about.number != numberOf(thread, in)) continue;
        } else {
            in = nearestOf(about.who, thread);
            if (about.to < in) continue;
        }
        if (in > reach || in == Reach::invocation) continue;
        mine.push_back(entryOf(Known::seen(about.from, Reach::invocation, 0) | about.who, before, allKept));
        for (const Reach to : {Reach::subgroup, Reach::group})
            if (to < in)
                others.push_back(entryOf(Known::seen(about.from, to, numberOf(thread, to)) | about.who, before, by));
    }
    learn(seen_[invocation], std::move(mine));
    if (others.empty()) return;
    learn(learnt_[invocation], std::move(others));
    anyLearnt_ = true;
}

Lack GroupOrder::lackApart(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const
{
    if (earlier.isPrivate || use.isPrivate) return Lack::notPrivate;
    const bool isOver = ordered(earlier, invocation, kept);
    if (kept == Kept::shared || earlier.readsOnly) return isOver ? Lack::nothing : Lack::order;
    const std::uint32_t thread = threadOf(invocation);
    const Reach least = nearest(earlier.thread, thread), own = static_cast<Reach>(earlier.reach),
                reach = static_cast<Reach>(use.reach);
    const auto knows = [&](std::uint64_t about) {
        return anyLearnt_ && earlier.time < known(invocation, earlier.thread, Kept::buffers, about);
    };
    bool available = isOver && own >= least;
    for (Reach from = Reach::invocation; from <= own && from < least && !available; from = further(from))
        available = knows(Known::available(from, least));
    if (available && (!use.readsOnly || reach >= least)) return Lack::nothing;
    for (unsigned k = 0; use.readsOnly && k <= earlier.reach; ++k) {
        const auto from = static_cast<Reach>(k);
        const std::uint64_t seen = Known::seen(from, Reach::invocation, 0);
        if (seen_[invocation] && earlier.time < before(seen_[invocation].get(), earlier.thread, Kept::buffers, seen))
            return Lack::nothing;
        for (const Reach to : {Reach::subgroup, Reach::group})
            if (to < least && to <= reach && knows(Known::seen(from, to, numberOf(thread, to)))) return Lack::nothing;
    }
    if (available) return Lack::visibility;
    return isOver ? Lack::availability : Lack::order;
}

bool noteUse(Shadow& shadow, MoreUses& more, std::uint64_t word, const Use& use, bool fine, const GroupOrder& order,
             std::uint32_t invocation, Kept kept, Conflict& conflict)
{
    bool found = false;
    const auto others = more.empty() ? more.end() : more.find(word);
    const auto reach = static_cast<Reach>(use.reach);
    const auto clash = [&](const Use& other) {
        if (other.thread == 0 || other.thread == use.thread || found) return;
        if ((other.readsOnly && use.readsOnly) || (other.bytes & use.bytes) == 0) return;
        if (other.atomic && use.atomic && order.inScope(other, invocation, kept, reach)) return;
        const Lack lack = order.lack(other, use, invocation, kept);
        if (lack == Lack::nothing) return;
        const Reach scope = order.nearest(other, invocation, kept);
        if (lack == Lack::visibility && hasSeen(shadow, others == more.end() ? nullptr : &others->second, use, scope))
            return;
        conflict = {other, lack, scope};
        found = true;
    };
    const auto remember = [&](std::array<Use, 2>& slots) {
        for (Use& slot : slots) {
            const bool same = slot.thread == use.thread && slot.time == use.time && slot.readsOnly == use.readsOnly;
            const bool over = slot.thread == 0 || slot.thread == use.thread || order.ordered(slot, invocation, kept);
            const bool covers = slot.thread == 0 || (slot.bytes & ~use.bytes) == 0;
            if (same || (over && covers && (slot.readsOnly || !use.readsOnly || slot.thread == 0))) {
                const Use before = std::exchange(slot, use);
                const bool again = before.thread == use.thread && before.readsOnly && use.readsOnly && !use.atomic;
                if (order.isApart() && again && before.reach > use.reach) slot.reach = before.reach;
                return;
            }
        }
        if (fine) return more[word].keep(use);
        if (!use.readsOnly && slots[1].readsOnly) slots[1] = use;
    };
    clash(shadow.write);
    if (!use.readsOnly)
        for (const Use& other : shadow.reads) clash(other);
    for (const Use& other : shadow.atomics) clash(other);
    if (others != more.end()) {
        if (!use.readsOnly || !others->second.onlyRead())
            for (const Use& other : others->second.all()) clash(other);
        if (!use.atomic && !use.readsOnly && use.bytes == 0xF) more.erase(others);
    }
    if (use.atomic) {
        remember(shadow.atomics);
    } else if (!use.readsOnly) {
        if (shadow.write.thread != 0 && (shadow.write.bytes & ~use.bytes) != 0) more[word].keep(shadow.write);
        shadow.write = use;
        if (order.isApart())
            for (Use& one : shadow.reads) one.reach = 0;
    } else {
        remember(shadow.reads);
    }
    return found;
}

}  // namespace a2::emulator
