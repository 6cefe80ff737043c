// What is wrong with a run.
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
    std::string file;               // where the first one about a kernel's code lies; line 0: not known
    std::uint32_t line = 0;
    std::string schedule;  // under which it failed alone (Schedule.h); empty: under any
    bool passed() const { return !mismatches && !anyFails(findings); }
};

}  // namespace a2
