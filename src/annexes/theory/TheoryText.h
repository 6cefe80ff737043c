// The output of `a2 theory`: tables of 80 columns, each with a line that explains its numbers.
#pragma once

#include "annexes/theory/Growth.h"
#include "tasks/Textbook.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Every text ends with a newline. This one: every dispatch, and the phases between its barrier() calls if it has
// several.
std::string dispatchTable(const std::vector<CountedDispatch>& dispatches);
// The global memory requests of every dispatch, and its branches.
std::string requestTable(const std::vector<CountedDispatch>& dispatches);
// Parallel time, cost and work with as many processors as invocations, and with the number that the user gave.
std::string measuresText(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors,
                         const Textbook& textbook, const Formula& sequential);
// For one kernel that uses shared memory.
std::string conflictTable(const KernelConflicts& kernel, const std::vector<ConflictColumn>& columns);
std::string growthText(const Optimality& found);
std::string rateText(const std::optional<WalkRate>& rate);

}  // namespace a2
