#include "spirv/EmulatorOrderAvailability.h"

namespace a2::emulator {

namespace {

Knowledge knowledgeOf(std::vector<Known::Entry> entries)
{
    if (entries.empty()) return {};
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
    return made;
}

// An entry that becomes known through an order of these kinds of memory.
Known::Entry entryOf(std::uint64_t who, std::uint32_t before, KeptMask by)
{
    Known::Entry one;
    one.who = who;
    for (std::size_t k = 0; k < keptKinds; ++k) one.before[k] = (by >> k & 1) != 0 ? before : 0;
    return one;
}

}  // namespace

Lack Availability::lack(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const
{
    if (earlier.isPrivate || use.isPrivate) return Lack::notPrivate;
    const bool isOver = known_.ordered(earlier, invocation, kept);
    if (kept == Kept::shared || earlier.readsOnly) return isOver ? Lack::nothing : Lack::order;
    const std::uint32_t thread = known_.threadOf(invocation);
    const Reach least = known_.nearest(earlier.thread, thread), own = static_cast<Reach>(earlier.reach),
                reach = static_cast<Reach>(use.reach);
    const auto knows = [&](std::uint64_t about) {
        return known_.anyLearnt && earlier.time < known_.before(invocation, earlier.thread, Kept::buffers, about);
    };
    bool available = isOver && own >= least;
    for (Reach from = Reach::invocation; from <= own && from < least && !available; from = further(from))
        available = knows(Known::available(from, least));
    if (available && (!use.readsOnly || reach >= least)) return Lack::nothing;
    for (unsigned k = 0; use.readsOnly && k <= earlier.reach; ++k) {
        const auto from = static_cast<Reach>(k);
        const std::uint64_t seen = Known::seen(from, Reach::invocation, 0);
        if (seen_[invocation] &&
            earlier.time < known_.before(seen_[invocation].get(), earlier.thread, Kept::buffers, seen))
            return Lack::nothing;
        for (const Reach to : {Reach::subgroup, Reach::group})
            if (to < least && to <= reach && knows(Known::seen(from, to, known_.numberOf(thread, to))))
                return Lack::nothing;
    }
    if (available) return Lack::visibility;
    return isOver ? Lack::availability : Lack::order;
}

void Availability::makeAvailable(std::uint32_t invocation, Reach reach, KeptMask by, std::uint64_t own)
{
    std::vector<Known::Entry> made;
    const auto make = [&](std::uint64_t who, Reach from, Reach already, std::uint32_t before) {
        for (Reach to = already; to < reach;) {
            to = further(to);
            made.push_back(entryOf(Known::available(from, to) | who, before, by));
        }
    };
    if (own != 0) make(own, Reach::invocation, Reach::invocation, known_.times[invocation]);
    for (const auto& [about, before] : writesKnown(invocation, by))
        if (!about.seen && about.to >= known_.nearestOf(about.who, known_.threadOf(invocation)))
            make(about.who, about.from, about.to, before);
    if (!made.empty()) known_.learns(invocation, knowledgeOf(std::move(made)));
}

void Availability::makeVisible(std::uint32_t invocation, Reach reach, KeptMask by)
{
    const std::uint32_t thread = known_.threadOf(invocation);
    std::vector<Known::Entry> mine, others;
    for (const auto& [about, before] : writesKnown(invocation, by)) {
        Reach in = about.to;  // from where it comes in
        if (about.seen) {
            if (about.number != known_.numberOf(thread, in)) continue;
        } else {
            in = known_.nearestOf(about.who, thread);
            if (about.to < in) continue;
        }
        if (in > reach || in == Reach::invocation) continue;
        mine.push_back(entryOf(Known::seen(about.from, Reach::invocation, 0) | about.who, before, allKept));
        for (const Reach to : {Reach::subgroup, Reach::group})
            if (to < in)
                others.push_back(
                    entryOf(Known::seen(about.from, to, known_.numberOf(thread, to)) | about.who, before, by));
    }
    join(seen_[invocation], knowledgeOf(std::move(mine)));
    if (!others.empty()) known_.learns(invocation, knowledgeOf(std::move(others)));
}

// Writes that are over, in the order of buffers, are available as far as their own instructions made them; further
// knowledge counts if it came by any of the orders `by`. The time is the one before which the writes happened.
Availability::Writes Availability::writesKnown(std::uint32_t invocation, KeptMask by) const
{
    constexpr auto buffers = static_cast<std::size_t>(Kept::buffers);
    const std::uint32_t thread = known_.threadOf(invocation);
    Writes all;
    const auto over = [&](std::uint64_t who, std::uint32_t before) {
        Known::About about;
        about.who = who;
        about.from = about.to = known_.nearestOf(who, thread);
        if (before != 0) all.emplace_back(about, before);
    };
    over(Known::wholeGroup + known_.group, known_.least[buffers]);
    over(known_.subgroupName(thread),
         std::max(known_.least[buffers], known_.subgroupLeast[invocation / known_.subgroupSize][buffers]));
    for (const Known* known : {known_.byAll.get(), known_.learnt[invocation].get()}) {
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

}  // namespace a2::emulator
