// The correctness matrix as the settings keep it.
#pragma once

#include "judge/Cases.h"

namespace a2 {

// One input of the correctness matrix, and the cases of every task on it, task by task.
struct CheckRound {
    std::uint64_t n;
    Pattern pattern;
    std::vector<std::vector<CaseOutcome>> cases;  // not run yet; cases that are already no pass are skipped
};

// In the order in which they are run: the matrix's lengths, then the short ones that it leaves out, then many tiles.
std::vector<CheckRound> planCheck(Cases& cases, const std::vector<Task>& tasks);

// The longest array of the matrix.
std::uint64_t longestInMatrix(const Device& gpu, const EvaluationSettings& settings);
// The longest array that is tried besides: none, 0, if the user chose the matrix's contents.
std::uint64_t longestChecked(const EvaluationSettings& settings);

}  // namespace a2
