// A task's output on stdout: the assignment's three lines, or what went wrong.
#pragma once

#include "judge/Outcome.h"
#include "report/Text.h"

namespace a2 {

// The text of one task, newline at the end.
std::string outcomeText(const TaskOutcome& outcome, const ConsoleStyle& style);
// Only the last part: why it failed or was skipped, and TEST PASSED or TEST FAILED.
std::string verdictText(const TaskOutcome& outcome, const ConsoleStyle& style);

}  // namespace a2
