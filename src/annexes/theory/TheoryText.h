// What `a2 theory` prints: tables of 80 columns, each with a line that says what its numbers are.
#pragma once

#include "annexes/theory/Growth.h"
#include "tasks/Textbook.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Every text ends with a newline.
// Every dispatch, and the phases between its barrier() calls where it has several.
std::string dispatchTable(const std::vector<CountedDispatch>& dispatches);
// What every dispatch asks of global memory, and its branches.
std::string requestTable(const std::vector<CountedDispatch>& dispatches);
// Parallel time, cost and work with as many processors as invocations, and with so many if the user named a number.
std::string measuresText(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors,
                         const Textbook& textbook, const Formula& sequential);
// Of one kernel that uses shared memory.
std::string conflictTable(const KernelConflicts& kernel, const std::vector<ConflictColumn>& columns);
std::string growthText(const Optimality& found);
std::string rateText(const WalkRate& rate);

}  // namespace a2
