// The faults of a run.
#pragma once

#include "judge/Comparison.h"
#include "lint/Finding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct Verdict {
    std::optional<Mismatches> mismatches;
    std::vector<Finding> findings;  // of the lint, and validation messages
    std::string file;               // the place of the first finding about a kernel's code; line 0: not known
    std::uint32_t line = 0;
    std::string schedule;  // an order of atomics in which it failed (Schedule.h); empty: no special one is needed
    bool passed() const { return !mismatches && !anyFails(findings); }
};

}  // namespace a2
