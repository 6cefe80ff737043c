#include "spirv/EmulatorOrder.h"

#include <utility>

namespace a2::emulator {

namespace {

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

void GroupOrder::start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin,
                       bool apart)
{
    apart_ = apart;
    known_.start(group, invocations, subgroupSize, begin);
    if (apart) availability_.start();
    fencedBuffers_.assign(invocations, 0);
    fences_.resize(invocations);
    pending_.resize(invocations);
    if (anyFence_)
        for (auto& each : fences_) each.clear();
    if (anyPending_)
        for (auto& each : pending_) each.clear();
    anyFence_ = anyPending_ = false;
}

bool GroupOrder::inScope(const Use& use, std::uint32_t invocation, Kept kept, Reach reach) const
{
    return known_.sameDomain(known_.threadOf(use, kept), threadOf(invocation),
                             std::min(static_cast<Reach>(use.reach), reach));
}

GroupOrder::Fence GroupOrder::fenceNow(std::uint32_t invocation, Reach reach, KeptMask mask) const
{
    Fence made;
    made.reach = reach;
    made.mask = mask;
    made.time = known_.times[invocation];
    made.least = known_.least;
    made.subgroupLeast = known_.subgroupLeast[invocation / known_.subgroupSize];
    made.learnt = known_.learnt[invocation];
    made.groupKnown = known_.byAll;
    return made;
}

const Knowledge& GroupOrder::wholeOf(Fence& fence, std::uint32_t invocation) const
{
    if (fence.whole) return fence.whole;
    const std::uint32_t thread = threadOf(invocation);
    auto all = std::make_shared<Known>();
    all->entries = {{thread, {fence.time, fence.time}},
                    {Known::wholeGroup + known_.group, fence.least},
                    {known_.subgroupName(thread), fence.subgroupLeast}};
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
    if (mask == 0 || !known_.sameDomain(release.thread, threadOf(invocation), std::min(release.reach, reach))) return;
    known_.learns(invocation, release.known, mask);
}

void GroupOrder::wait(std::uint32_t invocation, KeptMask by, const Release& release)
{
    anyPending_ = true;
    auto& all = pending_[invocation];
    for (Pending& one : all)
        if (one.by == by && one.release.reach == release.reach && one.release.mask == release.mask &&
            known_.sameDomain(one.release.thread, release.thread, release.reach))
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
    if (apart_ && semantics.makesVisible) availability_.makeVisible(invocation, semantics.reach, semantics.acquires);
    if (semantics.releases == 0) return;
    ++known_.times[invocation];
    if (apart_ && semantics.makesAvailable)
        availability_.makeAvailable(invocation, semantics.reach, semantics.releases, threadOf(invocation));
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
        subgroup.who = known_.subgroupName(threadOf(i));
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
                known_.least[k] = std::max(known_.least[k], least[k]);
                for (auto& one : all.entries)
                    if (one.before[k] <= known_.least[k]) one.before[k] = 0;
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
        known_.anyLearnt = true;
        if (reach == Reach::group)
            join(known_.byAll, told, now);
        else
            for (const std::uint32_t i : members) join(known_.learnt[i], told, now);
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
        for (std::uint32_t first = 0; first < known_.invocations; first += known_.subgroupSize)
            subgroupBarrier(first, std::bitset<128>().set(), semantics);
    const bool reaches = semantics.reach >= Reach::group;
    const auto whole = reaches ? static_cast<KeptMask>(semantics.releases & semantics.acquires) : KeptMask{0};
    if (anyPending_ && reaches)
        for (std::uint32_t i = 0; i < known_.invocations; ++i) acquire(i, semantics.reach, semantics.acquires);
    std::fill(known_.times.begin(), known_.times.end(), now);
    const bool together = (whole & maskOf(Kept::buffers)) != 0;
    if (apart_ && semantics.makesAvailable)
        for (std::uint32_t i = 0; i < known_.invocations; ++i) {
            const bool same =
                together && i % known_.subgroupSize != 0 && !known_.learnt[i];  // the same as the one before it
            if (same) continue;
            const std::uint64_t all = i == 0 ? Known::wholeGroup + known_.group : 0;
            availability_.makeAvailable(i, semantics.reach, semantics.releases, together ? all : threadOf(i));
        }
    if (whole != allKept && (anyFence_ || semantics.releases != semantics.acquires)) {
        std::vector<std::uint32_t> members(known_.invocations);
        for (std::uint32_t i = 0; i < known_.invocations; ++i) members[i] = i;
        meet(0, members, semantics, whole, Reach::group);
    }
    for (std::size_t k = 0; k < keptKinds; ++k)
        if ((whole >> k & 1) != 0) known_.least[k] = now;
    if (known_.anyLearnt && whole != 0)
        for (Knowledge& one : known_.learnt) {
            join(known_.byAll, one, whole);
            if (whole == allKept) one.reset();
        }
    if (apart_ && semantics.makesVisible)
        for (std::uint32_t i = 0; i < known_.invocations; ++i)
            availability_.makeVisible(i, semantics.reach, semantics.acquires);
    if (anyFence_)
        for (auto& fences : fences_)
            std::erase_if(fences,
                          [&](const Fence& one) { return one.reach <= Reach::group && (one.mask & ~whole) == 0; });
    const bool further = semantics.reach > Reach::group && (semantics.releases & maskOf(Kept::buffers)) != 0;
    if (reaches && semantics.releases != 0 && (further || semantics.releases != whole))
        for (std::uint32_t i = 0; i < known_.invocations; ++i) hold(i, semantics.reach, semantics.releases);
}

void GroupOrder::subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants,
                                 const Semantics& semantics)
{
    std::vector<std::uint32_t> members;
    const std::uint32_t size = std::min(known_.subgroupSize, known_.invocations - firstInvocation);
    std::uint32_t now = 0;
    for (std::uint32_t i = 0; i < size; ++i)
        if (participants[i]) {
            members.push_back(firstInvocation + i);
            now = std::max(now, known_.times[members.back()] + 1);
        }
    const bool reaches = semantics.reach >= Reach::subgroup;
    const auto whole = reaches ? static_cast<KeptMask>(semantics.releases & semantics.acquires) : KeptMask{0};
    for (const std::uint32_t i : members) {
        acquire(i, semantics.reach, semantics.acquires);
        known_.times[i] = now;
        if (apart_ && semantics.makesAvailable)
            availability_.makeAvailable(i, semantics.reach, semantics.releases, threadOf(i));
    }
    meet(firstInvocation, members, semantics, whole, Reach::subgroup);
    if (whole != 0) {
        Knowledge all;
        if (members.size() < size) {
            auto own = std::make_shared<Known>();
            for (const std::uint32_t i : members) own->entries.push_back({threadOf(i), {now, now}});
            all = std::move(own);
            known_.anyLearnt = true;
        } else {
            for (std::size_t k = 0; k < keptKinds; ++k)
                if ((whole >> k & 1) != 0) known_.subgroupLeast[firstInvocation / known_.subgroupSize][k] = now;
        }
        if (known_.anyLearnt) {
            for (const std::uint32_t i : members) join(all, known_.learnt[i], whole);
            for (const std::uint32_t i : members) join(known_.learnt[i], all, whole);
        }
    }
    if (apart_ && semantics.makesVisible)
        for (const std::uint32_t i : members) availability_.makeVisible(i, semantics.reach, semantics.acquires);
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
    ++known_.times[invocation];
    if (apart_ && semantics.makesAvailable)
        availability_.makeAvailable(invocation, semantics.reach,
                                    static_cast<KeptMask>(semantics.releases | maskOf(kept)), threadOf(invocation));
    Fence now = fenceNow(invocation, semantics.reach, semantics.releases);
    add(all, {{now.reach, now.mask, threadOf(invocation), wholeOf(now, invocation)}});
    return all;
}

void GroupOrder::add(Message& to, const Message& more) const
{
    for (const Release& one : more) {
        const auto like = std::find_if(to.begin(), to.end(), [&](const Release& other) {
            return other.reach == one.reach && other.mask == one.mask &&
                   known_.sameDomain(other.thread, one.thread, one.reach);
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
        availability_.makeVisible(invocation, semantics.reach,
                                  static_cast<KeptMask>(semantics.acquires | maskOf(kept)));
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
