#include "spirv/EmulatorWalk.h"

#include "spirv/EmulatorStops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint64_t patientTurns = std::uint64_t{1} << 16;      // more without an end count as waiting
constexpr std::uint64_t mostWaitingCells = std::uint64_t{1} << 25;  // of waiting work-groups: no device runs as many

}  // namespace

Walk::Walk(const EmulatedDispatch& dispatch, const EmulatorSettings& settings, std::uint64_t first,
           std::uint64_t groups)
    : state_(dispatch, settings, groups), starts_(state_, faults_, first)
{
}

void Walk::finishGroup(std::unique_ptr<Group>& group)
{
    groupWalk_.endPhase(*group, none);
    delays_.forget(*group);
    for (const Invocation& one : group->invocations) {
        ++state_.result.invocations;
        state_.result.idle += !one.acted;
    }
    starts_.takeBack(std::move(group));
}

// All that have started wait: starts one more. If it helps one of them, that one has waited for something without a
// guarantee.
void Walk::unblock()
{
    for (auto& group : state_.live)
        for (Invocation& one : group->invocations)
            if (one.status == Status::stuck || one.status == Status::paused)
                one.waitingSince = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(state_.startedGroups));
    state_.live.push_back(starts_.start());
    state_.lateGroups[state_.live.back()->number] = state_.live.back()->started;
}

// All others have ended or wait: one of those that are held or late goes on. False: there is none.
bool Walk::letGoOn()
{
    if (pauses_.none()) return delays_.settleFirst();
    pauses_.letGoOn();
    return true;
}

// Whether all invocations that have not ended wait for memory to change, and none of them changes it.
bool Walk::isHopeless() const
{
    std::vector<std::pair<const Group*, const LoopOutlook*>> all;
    for (const auto& group : state_.live)
        for (const Invocation& one : group->invocations) {
            if (one.status != Status::paused && one.status != Status::stuck) continue;
            if (!groupWalk_.waitsStill(*group, one)) return false;
            all.emplace_back(group.get(), one.waitsFor.get());
        }
    for (const auto& [group, one] : all)
        for (const TouchedWord& touched : one->touched)
            for (const auto& [otherGroup, other] : all) {
                if (other == one || (touched.name.buffer == WordName::sharedMemory && group != otherGroup)) continue;
                if (std::any_of(other->watched.begin(), other->watched.end(), [&](const WatchedWord& word) {
                        return word.name == touched.name && (word.bits & touched.bits) != 0;
                    }))
                    return false;
            }
    return true;
}

// No invocation is left that could end the waiting.
void Walk::endWaiting()
{
    for (auto& group : state_.live)
        for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
            const Invocation& one = group->invocations[i];
            if (one.status == Status::ended || !one.waitsFor) continue;
            faults_.endless(*group, i, one.watchedLoop,
                            " waits in a loop for something that no invocation will do any more",
                            "look at who should write what it waits for: in every order of work-groups that must "
                            "happen, and with every value differ from what says that nothing is there yet");
        }
    state_.stop = state_.unknown = true;
}

// Returns whether the work-group has gone on; if not, it waits for others, or takes very long.
bool Walk::advanceOne(std::size_t place)
{
    Group& group = *state_.live[place];
    if (group.isHeld) return false;
    const std::uint64_t before = state_.memory;
    Progress progress = groupWalk_.advance(group);
    while (progress == Progress::barrier && state_.settings.together <= 1 && !state_.stop && pauses_.isPatient())
        progress = groupWalk_.advance(group);
    if (state_.stop) return false;
    switch (progress) {
        case Progress::done:
            finishGroup(state_.live[place]);
            return true;
        case Progress::barrier:
            return true;
        case Progress::stuck:
            return before != state_.memory;
        case Progress::paused:
            return std::any_of(group.invocations.begin(), group.invocations.end(), [&](const Invocation& one) {
                return one.status == Status::paused && one.turnsWaited < patientTurns &&
                       !groupWalk_.waitsStill(group, one);
            });
    }
    return false;
}

// One round of all work-groups that have started. The first round goes in their order, so that the ticket that each
// draws is its number; other rounds go from the last to the first, so that a work-group that waits for an earlier one
// comes before it. Returns whether any has gone on.
bool Walk::advanceAll()
{
    bool any = false;
    const std::size_t count = state_.live.size();
    bool turned = rounds_ > 0 && state_.settings.order == EmulatorSettings::Order::forwards;
    if (state_.settings.order == EmulatorSettings::Order::shuffled)
        turned = (shuffledBits(state_.settings.seed + rounds_) & 1) != 0;
    for (std::size_t i = 0; i < count && !state_.stop; ++i) any = advanceOne(turned ? count - 1 - i : i) || any;
    ++rounds_;
    std::erase(state_.live, nullptr);
    return any;
}

Emulated Walk::run()
{
    if ((starts_.first() + state_.groups) * state_.code.invocations >= UINT32_MAX) {
        faults_.unknown(0, fmt::format("{} work-groups are more than are followed", state_.groups));
        return std::move(state_.result);
    }
    const std::size_t together = std::max<std::uint32_t>(1, state_.settings.together);
    while (!state_.stop) {
        while (state_.live.size() < together && state_.startedGroups < state_.groups)
            state_.live.push_back(starts_.start());
        if (state_.live.empty()) break;
        const bool any = advanceAll();
        if (state_.stop) continue;
        if (any) {
            if (!pauses_.isPatient() && !letGoOn()) state_.heldSince = state_.result.instructions;
            continue;
        }
        const bool room = state_.live.size() * state_.code.invocations * state_.frame < mostWaitingCells;
        if ((!pauses_.none() || delays_.anyLate()) && state_.startedGroups < state_.groups && room) {
            state_.live.push_back(starts_.start());
            continue;
        }
        if (letGoOn()) continue;
        if (state_.startedGroups < state_.groups && room) {
            unblock();
            continue;
        }
        if (isHopeless()) endWaiting();
    }
    while (delays_.settleFirst()) {
    }
    if (state_.result.overBudget) turns_.lookAtAll();
    if (state_.settings.atLine) state_.settings.atLine(Standing(state_));
    state_.result.complete = !state_.stop && !state_.unknown && state_.startedGroups == state_.groups;
    state_.result.findings = state_.findings.take();
    if (state_.tracer) state_.result.trace = state_.tracer->take();
    return std::move(state_.result);
}

}  // namespace a2::emulator
