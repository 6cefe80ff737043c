#include "spirv/EmulatorPauses.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint64_t mostWhileHeld = std::uint64_t{1} << 18;  // instructions

}  // namespace

bool Pauses::holds(Group& group, std::uint32_t invocation, const Instruction& one, bool after)
{
    Invocation& self = group.invocations[invocation];
    for (std::uint32_t i = 0; i < state_.settings.pauses.size() && i < 8; ++i) {
        const EmulatorSettings::Pause& pause = state_.settings.pauses[i];
        if (pause.way != EmulatorSettings::Pause::Way::pauses || pause.atomic != one.count || pause.after != after)
            continue;
        if (pause.group && *pause.group != group.started) continue;
        const unsigned bit = 1U << i;
        if ((self.passed & bit) != 0) {
            if (pause.eachTime) self.passed = static_cast<std::uint8_t>(self.passed & ~bit);
            continue;
        }
        self.passed = static_cast<std::uint8_t>(self.passed | bit);
        self.status = Status::held;
        held_.push_back({group.number, invocation, i, round_ + 1});
        state_.heldSince = state_.result.instructions;
        return true;
    }
    return false;
}

bool Pauses::isPatient() const
{
    return state_.settings.pauses.empty() || state_.result.instructions - state_.heldSince < mostWhileHeld;
}

std::vector<Pauses::Held>::iterator Pauses::next()
{
    const EmulatorSettings::Pause& pause = state_.settings.pauses[held_.front().pause];
    if (!pause.eachTime && !pause.lastFirst) return held_.begin();
    if (!pause.eachTime) {
        const auto ofAnother =
            std::find_if(held_.rbegin(), held_.rend(), [&](const Held& one) { return one.group != wentOn_; });
        return ofAnother == held_.rend() ? held_.end() - 1 : ofAnother.base() - 1;
    }
    if (!goesLast_) goesLast_ = {held_.back().group, held_.back().invocation};
    const auto first = [&](bool last) {
        return std::find_if(held_.begin(), held_.end(), [&](const Held& one) {
            return one.round <= round_ && (std::pair(one.group, one.invocation) == *goesLast_) == last;
        });
    };
    for (;; ++round_)
        for (const bool last : {false, true})
            if (const auto found = first(last); found != held_.end()) return found;
}

void Pauses::letGoOn()
{
    state_.heldSince = state_.result.instructions;
    const auto place = next();
    const Held next = *place;
    held_.erase(place);
    wentOn_ = next.group;
    for (auto& group : state_.live)
        if (group->number == next.group) {
            group->isHeld = false;
            group->invocations[next.invocation].status = Status::ready;
        }
}

}  // namespace a2::emulator
