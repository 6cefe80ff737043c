// Explains in sentences why a task did not pass, from the findings of the evaluation. Console, JSON and JUnit use the
// same.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// One line for each sentence; empty for a task that passed. The command that shows the fault is not included
// (Diagnosis::command), because the console breaks these lines, but never the command.
std::vector<std::string> explanationLines(const TaskOutcome& outcome);
// The same, and the command as a further line: for files.
std::vector<std::string> reportLines(const TaskOutcome& outcome);

// The findings that fail, without the notes, one line for each cause (lint/Finding.h).
std::vector<std::string> failureLines(std::vector<Finding> findings);

}  // namespace a2
