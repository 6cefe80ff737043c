// The start of each work-group, in the order that the settings ask for.
#pragma once

#include "spirv/EmulatorState.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace a2::emulator {

class Faults;

// A fixed permutation of the numbers of 64 bits (the finaliser of SplitMix64: Steele, Lea, Flood 2014).
std::uint64_t shuffledBits(std::uint64_t x);

class GroupStarts {
public:
    // first: the number of the first work-group, if they run forwards.
    GroupStarts(WalkState& state, Faults& faults, std::uint64_t first) : state_(state), faults_(faults), first_(first)
    {
    }

    std::uint64_t first() const { return first_; }
    std::unique_ptr<Group> start();
    // It has ended; its memory is used again.
    void takeBack(std::unique_ptr<Group> group);

private:
    std::array<std::uint32_t, 3> groupId(std::uint64_t number) const;
    std::uint64_t inOrder(std::uint64_t place) const;
    void setBuiltIns(Group& group, std::uint32_t invocation);

    WalkState& state_;
    Faults& faults_;
    std::vector<std::unique_ptr<Group>> idle_;
    std::uint64_t first_;
    std::uint32_t sharedTime_ = 1;
};

}  // namespace a2::emulator
