// The sentences on why a task did not pass, made from what the evaluation found: console, JSON and JUnit say the same.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// Lines of their own each; empty for a task that passed. The command that shows the fault is not among them
// (Diagnosis::command): the console breaks these lines, and never that one.
std::vector<std::string> explanationLines(const TaskOutcome& outcome);
// The same and the command, a line too: for files.
std::vector<std::string> reportLines(const TaskOutcome& outcome);

// What fails, without the notes, a line for each cause (lint/Finding.h).
std::vector<std::string> failureLines(std::vector<Finding> findings);

}  // namespace a2
