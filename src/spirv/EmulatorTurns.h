// The turns that invocations take of loops: whether a loop has an end, for one of them or for all that are in it.
#pragma once

#include "spirv/EmulatorLoops.h"
#include "spirv/EmulatorState.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

class Faults;
class Pauses;

class Turns {
public:
    Turns(WalkState& state, Faults& faults, const Pauses& pauses);

    // Called at every 1024th turn of a loop. Returns true if the invocation must let others go on.
    bool turn(Group& group, std::uint32_t invocation, std::uint32_t loop);
    // For all invocations that have reached the beginning of this turn of a loop: finds out whether it ends for them.
    void lookTogether(Group& group, std::uint32_t invocation);
    // The walk's instructions are used up: finds out in which loops the remaining invocations are, and whether these
    // loops end.
    void lookAtAll();
    // The invocation ends here, and the walk is not complete.
    void giveUp(Group& group, std::uint32_t invocation, std::uint32_t at);

private:
    LoopOutlook outlook(const LoopQuestion& question);
    LoopOutlook outlook(const Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint32_t turns);
    LoopOutlook outlook(const Group& group, const std::vector<std::uint32_t>& members, std::uint32_t loop,
                        std::uint32_t turns);
    bool judge(Group& group, std::uint32_t invocation, std::uint32_t loop, const LoopOutlook& outlook);
    bool takesTooMany(const Group& group, std::uint32_t invocation, std::uint32_t loop, bool own) const;
    bool tooMany(Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint64_t turns);
    bool mayLookTogether(const Group& group, const std::vector<std::uint32_t>& members, bool barriers) const;
    std::vector<std::uint32_t> companions(const Group& group, std::uint32_t invocation, std::uint32_t loop) const;

    WalkState& state_;
    Faults& faults_;
    const Pauses& pauses_;
    std::uint64_t endlessTogether_ = 0;  // as EmulatorSettings::endlessTurns, for loops in which subgroups meet
};

}  // namespace a2::emulator
