// An order in which the invocations of a run reach their atomics, and its text form for --schedule.
#pragma once

#include "spirv/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct Schedule {
    std::uint32_t subgroupSize = 32;
    std::uint32_t run = 0;  // how many runs of the same object, on another input, were before it; 0 to 2
    std::uint64_t dispatch = 0;
    std::vector<EmulatorSettings::Pause> pauses;
    bool operator==(const Schedule&) const = default;
};

// "4.1.0:3b-all,1a-5": subgroups of 4, the second run, dispatch 0; each work-group pauses before atomic 3 of its
// kernel, and the one that 5 others have started before pauses after atomic 1. "last" is "all" with the last one going
// on first. "l" is a late atomic, "e" an early one, "r" one before which each pauses each time.
std::string scheduleText(const Schedule& schedule);
// Throws UsageError.
Schedule parseSchedule(const std::string& text);

std::string subgroupsText(std::uint32_t size);  // "with subgroups of 4 invocations"

}  // namespace a2
