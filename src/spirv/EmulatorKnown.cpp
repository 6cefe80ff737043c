#include "spirv/EmulatorKnown.h"

namespace a2::emulator {

namespace {

constexpr unsigned fromAt = 34, toAt = 36, seenAt = 38, numberAt = 39;

std::uint64_t keyOf(Reach from, Reach to)
{
    return static_cast<std::uint64_t>(from) << fromAt | static_cast<std::uint64_t>(to) << toAt;
}

}  // namespace

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

void GroupKnowledge::start(std::uint64_t number, std::uint32_t groupSize, std::uint32_t ofSubgroup, std::uint32_t begin)
{
    group = number;
    first = static_cast<std::uint32_t>(1 + number * groupSize);
    invocations = groupSize;
    subgroupSize = ofSubgroup;
    times.assign(groupSize, begin);
    least.fill(begin);
    subgroupLeast.assign((groupSize + ofSubgroup - 1) / ofSubgroup, least);
    learnt.resize(groupSize);
    if (anyLearnt)
        for (auto& each : learnt) each.reset();
    byAll.reset();
    anyLearnt = false;
}

std::uint32_t GroupKnowledge::end() const { return *std::max_element(times.begin(), times.end()) + 1; }

std::uint64_t GroupKnowledge::subgroupName(std::uint32_t thread) const
{
    const std::uint64_t of = (thread - 1) / invocations;
    return Known::wholeSubgroup + of * subgroupLeast.size() + (thread - 1) % invocations / subgroupSize;
}

std::uint32_t GroupKnowledge::numberOf(std::uint32_t thread, Reach reach) const
{
    if (reach == Reach::subgroup) return static_cast<std::uint32_t>(subgroupName(thread) - Known::wholeSubgroup);
    return reach == Reach::group ? (thread - 1) / invocations : 0;
}

bool GroupKnowledge::sameDomain(std::uint32_t thread, std::uint32_t other, Reach reach) const
{
    switch (reach) {
        case Reach::invocation:
            return thread == other;
        case Reach::subgroup:
            return subgroupName(thread) == subgroupName(other);
        case Reach::group:
            return (thread - 1) / invocations == (other - 1) / invocations;
        case Reach::device:
            return true;
    }
    return false;
}

Reach GroupKnowledge::nearest(std::uint32_t thread, std::uint32_t other) const
{
    Reach reach = Reach::invocation;
    while (!sameDomain(thread, other, reach)) reach = further(reach);
    return reach;
}

Reach GroupKnowledge::nearestOf(std::uint64_t who, std::uint32_t thread) const
{
    const auto number = static_cast<std::uint32_t>(who);
    const auto inGroup = [&](std::uint32_t one) {
        return one == (thread - 1) / invocations ? Reach::group : Reach::device;
    };
    if ((who & Known::wholeGroup) != 0) return inGroup(number);
    if ((who & Known::wholeSubgroup) == 0) return nearest(number, thread);
    if (who == subgroupName(thread)) return Reach::subgroup;
    return inGroup(static_cast<std::uint32_t>(number / subgroupLeast.size()));
}

std::uint32_t GroupKnowledge::before(const Known* known, std::uint32_t thread, Kept kept, std::uint64_t about) const
{
    if (!known) return 0;
    return std::max({known->before(about | thread, kept), known->before(about | subgroupName(thread), kept),
                     known->before(about | (Known::wholeGroup + (thread - 1) / invocations), kept)});
}

std::uint32_t GroupKnowledge::before(std::uint32_t invocation, std::uint32_t thread, Kept kept,
                                     std::uint64_t about) const
{
    return std::max(before(byAll.get(), thread, kept, about), before(learnt[invocation].get(), thread, kept, about));
}

}  // namespace a2::emulator
