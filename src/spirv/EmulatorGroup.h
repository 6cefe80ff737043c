// A work-group: its invocations take turns, each until it must wait; its subgroups; its barriers.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

class Delays;
class Faults;
class InvocationWalk;
class Turns;

enum class Progress : std::uint8_t { barrier, done, paused, stuck };

class GroupWalk {
public:
    GroupWalk(WalkState& state, Faults& faults, Delays& delays, Turns& turns, InvocationWalk& invocations);

    // Runs the invocations of a work-group from the last to the first.
    void goLastFirst() { lastFirst_ = true; }
    // Runs all its invocations to their next barrier, or until they wait or have ended.
    Progress advance(Group& group);
    // barrier: the instruction that ended the phase; none: the work-group's end.
    void endPhase(Group& group, std::uint32_t barrier);
    // Whether it waits for memory to change, and that has not changed.
    bool waitsStill(const Group& group, const Invocation& one) const;

private:
    bool runSubgroup(Group& group, std::uint32_t first);
    void together(Group& group, std::uint32_t first, const std::vector<std::uint32_t>& members);
    Cell wordOf(const Group& group, const WordName& name) const;
    const WatchedWord* changedFor(const Group& group, const Invocation& one) const;
    void wake(Group& group, bool byOwn);
    void lookTogether(Group& group);
    void divergence(const Group& group);
    void showPhase(Group& group, std::uint32_t barrier) const;

    WalkState& state_;
    Faults& faults_;
    Delays& delays_;
    Turns& turns_;
    InvocationWalk& invocations_;
    std::vector<std::uint32_t> members_;  // of the operation that a subgroup executes
    bool lastFirst_ = false;
};

}  // namespace a2::emulator
