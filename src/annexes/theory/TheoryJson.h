// The counts of `a2 theory`, as one entry of `theory` in the JSON report.
#pragma once

#include "annexes/theory/Growth.h"
#include "tasks/Textbook.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct TheoryOutcome {
    std::string id;  // of the task, or "rotate"
    std::uint64_t n = 0;
    KernelShape shape;
    std::vector<CountedDispatch> dispatches;
    Textbook textbook;
    std::vector<ConflictColumn> columns;  // of conflicts
    std::vector<KernelConflicts> conflicts;
    std::optional<Optimality> growth;
};

// The value of `theory`, for jsonReport.
std::string theoryJson(const TheoryOutcome& outcome);

}  // namespace a2
