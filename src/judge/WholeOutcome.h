// Combines the outcomes of several ranks for one task, each on its part of the arrays, into one.
#pragma once

#include "judge/Outcome.h"

#include <vector>

namespace a2 {

// ofRanks: the outcomes of one case or task, rank by rank, at least one. The worst one counts; a finding that not all
// ranks have names its rank.
CaseOutcome wholeCase(const Task& task, const std::vector<CaseOutcome>& ofRanks);
TaskOutcome wholeOutcome(const std::vector<TaskOutcome>& ofRanks);

}  // namespace a2
