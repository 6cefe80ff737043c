// What several ranks found out about one task, each on its part of the arrays, as one outcome.
#pragma once

#include "judge/Outcome.h"

#include <vector>

namespace a2 {

// ofRanks: of the same case or task, rank by rank, at least one. What one rank has found counts, and is said of it.
CaseOutcome wholeCase(const Task& task, const std::vector<CaseOutcome>& ofRanks);
TaskOutcome wholeOutcome(const std::vector<TaskOutcome>& ofRanks);

}  // namespace a2
