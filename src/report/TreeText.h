// `a2 steps --tree`: which elements each element is computed from, drawn with the characters of a terminal.
#pragma once

#include "judge/Steps.h"
#include "report/Text.h"

#include <cstdint>
#include <string>

namespace a2 {

constexpr std::uint64_t longestTree = 32;  // elements that fit lines of 80 columns

// Elements from top to bottom, steps from left to right, with lines from the elements read to the element written.
// Dispatches without shared memory stand side by side; of the others one work-group is shown, phase by phase.
std::string treeText(const StepsOutcome& steps, std::uint64_t group, const ConsoleStyle& style);

}  // namespace a2
