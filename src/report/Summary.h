// The last lines of `a2 run` and `a2 check`: how many rows passed, their points, and what to do next.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// Whether it was skipped because memory ran out, which may not happen on a less loaded machine; false for a limit of
// the device.
bool lackedMemory(const TaskOutcome& outcome);

// The row to fix first. One that ends a process hides other faults and comes first; one that is not written comes last.
// Null if all have passed.
const TaskOutcome* firstToMend(const std::vector<TaskOutcome>& outcomes);

// "7 of 9 rows passed, 15 of 20 points; 1 failed, 1 skipped for want of memory", and what to look at first if a row did
// not pass. Points are those of the assignment; they are left out if the rows have none.
std::vector<std::string> summaryLines(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
