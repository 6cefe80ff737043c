// A picture of what failed, for whoever sits at the terminal.
#pragma once

#include "judge/Outcome.h"

#include <string>
#include <vector>

namespace a2 {

// Has `a2 steps --html`, in a process of its own, draw the smallest failing run of the row that is to be mended first.
// The page takes the place of that row's last one, in the user's cache folder. Its path; empty where there is no such
// run, where a process of the solution's ended, where there is no such folder, or where it takes longer than 10 s.
std::string drawFailure(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
