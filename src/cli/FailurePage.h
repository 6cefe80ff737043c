// Draws a failure, for a user at a terminal.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// Runs `a2 steps --html` in a process of its own, to draw the smallest failing run of the row to fix first. The page
// replaces that row's last one, in the user's cache folder. Returns its path; empty if there is no such run or no such
// folder, if a solution's process ended, or if drawing takes longer than 10 s.
std::string drawFailure(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
