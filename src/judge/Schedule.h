// An order in which the invocations of a run come to their atomics, and how it is written: for --schedule.
#pragma once

#include "spirv/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct Schedule {
    std::uint32_t subgroupSize = 32;
    std::uint32_t run = 0;  // so many runs of the same object, on another input, were before it; 0 to 2
    std::uint64_t dispatch = 0;
    std::vector<EmulatorSettings::Pause> pauses;
    bool operator==(const Schedule&) const = default;
};

// "4.1.0:3b-all,1a-5": subgroups of 4, the second run, dispatch 0; each work-group pauses before atomic 3 of its
// kernel, the one that 5 others have started before after atomic 1. "last" is "all", of which the last goes on first.
// "l" is an atomic that is late, "e" one that is early, "r" one before which each pauses each time.
std::string scheduleText(const Schedule& schedule);
// Throws UsageError.
Schedule parseSchedule(const std::string& text);

std::string subgroupsText(std::uint32_t size);  // "with subgroups of 4 invocations"

}  // namespace a2
