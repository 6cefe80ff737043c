// Invocations that are held at an atomic until all others wait: EmulatorSettings::Pause.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace a2::emulator {

class Pauses {
public:
    explicit Pauses(WalkState& state) : state_(state) {}

    bool none() const { return held_.empty(); }
    // Whether the invocation pauses here, before or after this atomic.
    bool holds(Group& group, std::uint32_t invocation, const Instruction& one, bool after);
    // Whether those that are held or late wait a little longer, while another one goes on and on from barrier to
    // barrier.
    bool isPatient() const;
    // All others have ended or wait: one of those that were held goes on. Requires that at least one is held.
    void letGoOn();

private:
    struct Held {
        std::uint64_t group = 0;
        std::uint32_t invocation = 0, pause = 0;
        std::uint64_t round = 0;
    };
    std::vector<Held>::iterator next();

    WalkState& state_;
    std::vector<Held> held_;               // in the order in which they reached their pauses
    std::optional<std::uint64_t> wentOn_;  // the work-group of the one that went on last
    std::uint64_t round_ = 0;              // for those that are held each time
    std::optional<std::pair<std::uint64_t, std::uint32_t>> goesLast_;  // work-group and invocation
};

}  // namespace a2::emulator
