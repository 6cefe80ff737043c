// The last lines of `a2 run` and `a2 check`: how many rows passed, what they are worth, and where to go on.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// Whether it was skipped because memory ran out, which a freer machine mends; not for a limit of the device.
bool lackedMemory(const TaskOutcome& outcome);

// The row that is to be mended first: one that ends a process hides what else is wrong, one that is not written comes
// last. Null where all have passed.
const TaskOutcome* firstToMend(const std::vector<TaskOutcome>& outcomes);

// "7 of 9 rows passed, 15 of 20 points; 1 failed, 1 skipped for want of memory", and what to look at first where a row
// did not pass. Points are those of the assignment; nothing is said of them where the rows have none.
std::vector<std::string> summaryLines(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
